/** The stored firewall and what the packet filter is told of it. */
import type { FirewallSetup } from '../../appliance/firewall/setup.ts';
import {
  type FirewallModeCode,
  type FirewallProtocolCode,
  firewallModes,
  firewallProtocols,
  portsIn,
} from '../../contract/firewall-words.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Queries } from '../../store/database.ts';
import { listRules, readMode, type StoredRule } from './store.ts';

type Rule = StoredRule & { readonly protocol: FirewallProtocolCode };

export interface FirewallRules {
  readonly mode: FirewallModeCode;
  readonly rules: readonly Rule[];
}

/** Without what is damaged: then, all ports but those of the console are closed. */
export function storedRules(db: Queries): FirewallRules & { readonly isDamaged: boolean } {
  const mode = readMode(db);
  const rows = listRules(db);
  const rules = rows.filter(isWhole);
  const isDamaged = rules.length < rows.length || mode === undefined || !isMode(mode);
  return { mode: isDamaged ? firewallModes.closed : mode, rules, isDamaged };
}

function isWhole(rule: StoredRule): rule is Rule {
  return portsIn(rule.port) !== undefined && Object.values<number>(firewallProtocols).includes(rule.protocol);
}

function isMode(mode: number): mode is FirewallModeCode {
  return Object.values<number>(firewallModes).includes(mode);
}

interface Place {
  /** Names of the network interfaces that are filtered. */
  readonly wan: readonly string[];
  readonly console: readonly number[];
}

/** Without the remarks, which the packet filter never gets. */
export function setupOf({ mode, rules }: FirewallRules, { wan, console }: Place): FirewallSetup {
  const enabled = rules.filter((rule) => rule.enabled);
  return {
    ...{ mode, wan: [...new Set(wan)], console: [...new Set(console)].toSorted((a, b) => a - b) },
    rules: enabled.map(({ id, port, protocol }) => ({ id, ...rangeOf(port), ...protocolsOf(protocol) })),
  };
}

/** Whether the WAN interfaces let in a port, or all of a range. */
export function isOpen(setup: FirewallSetup, { port, protocol }: { readonly port: string; readonly protocol: number }) {
  const name = protocol === firewallProtocols.tcp ? 'tcp' : 'udp';
  const { first, last } = rangeOf(port);
  if (setup.mode === firewallModes.open) return true;
  const isLetIn = (one: number) =>
    (name === 'tcp' && setup.console.includes(one)) ||
    (setup.mode === firewallModes.rules &&
      setup.rules.some((rule) => rule[name] && rule.first <= one && one <= rule.last));
  return Array.from({ length: last - first + 1 }, (_, at) => first + at).every(isLetIn);
}

function rangeOf(port: string) {
  const ports = portsIn(port);
  if (!ports) throw new Error('the ports of a rule are checked before');
  return ports;
}

function protocolsOf(protocol: FirewallProtocolCode) {
  return { tcp: protocol !== firewallProtocols.udp, udp: protocol !== firewallProtocols.tcp };
}

const protocolNames = { 0: 'TCP', 1: 'UDP', 2: 'TCP+UDP' } as const satisfies Record<FirewallProtocolCode, string>;
const modeNames = { [-1]: 'rules', 0: 'closed', 1: 'open' } as const satisfies Record<FirewallModeCode, string>;

/** How the operation log calls a rule. */
export function labelOf({ port, protocol }: Pick<Rule, 'port' | 'protocol'>): string {
  return `${protocolNames[protocol]} ${port}`;
}

export function modeChange(mode: FirewallModeCode): OperationChange {
  return { word: 'firewallMode', value: modeNames[mode] };
}

/** Only members that are given. */
export function describeRule(change: {
  readonly port?: string | undefined;
  readonly protocol?: FirewallProtocolCode | undefined;
  readonly remark?: string | undefined;
  readonly enabled?: boolean | undefined;
}): OperationChange[] {
  const { port, protocol, remark, enabled } = change;
  return [
    ...(port === undefined ? [] : [{ word: 'firewallPorts' as const, value: port }]),
    ...(protocol === undefined ? [] : [{ word: 'firewallProtocol' as const, value: protocolNames[protocol] }]),
    ...(remark === undefined || remark === '' ? [] : [{ word: 'remark' as const, value: remark }]),
    ...(enabled === undefined ? [] : [{ word: 'enabled' as const, value: String(enabled) }]),
  ];
}
