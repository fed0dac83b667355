/** A packet filter in memory that decides about packets as the real one does. */
import { HubError } from '../../lib/hub-error.ts';
import { MissingPart } from '../missing-part.ts';
import type { FirewallPort } from './port.ts';
import { type FirewallReading, FirewallSetup } from './setup.ts';

export interface Packet {
  /** Name of the network interface. */
  readonly on: string;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
}

export type FirewallDouble = ReturnType<typeof createFirewallDouble>;

export function createFirewallDouble() {
  let setup: FirewallSetup | undefined;
  const counters = new Map<number, { packets: number; bytes: number }>();
  let refused = { packets: 0, bytes: 0 };
  let fault: Error | undefined;
  const applied: { readonly setup: FirewallSetup; readonly by: string }[] = [];

  const reading = (): FirewallReading => {
    const list = [...counters].map(([id, traffic]) => ({ id, ...traffic }));
    const fingerprint = setup === undefined ? null : Bun.hash(JSON.stringify(setup)).toString(16);
    return { fingerprint, counters: setup === undefined ? [] : list, refused };
  };
  const ruleFor = ({ protocol, port }: Packet) =>
    setup?.rules.find((rule) => rule[protocol] && rule.first <= port && port <= rule.last);
  const isConsole = ({ protocol, port }: Packet) => protocol === 'tcp' && setup?.console.includes(port) === true;

  const port: FirewallPort = {
    async apply(wanted, { user }) {
      if (fault) throw fault;
      const checked = FirewallSetup.safeParse(wanted);
      if (!checked.success) throw new HubError('ioFailed', 'firewall.apply has not the form that it must have');
      setup = checked.data;
      applied.push({ setup, by: user });
      const known = new Set(setup.mode === -1 ? setup.rules.map(({ id }) => id) : []);
      for (const id of counters.keys()) if (!known.has(id)) counters.delete(id);
      for (const id of known) if (!counters.has(id)) counters.set(id, { packets: 0, bytes: 0 });
      return reading();
    },
    async read() {
      if (fault) throw fault;
      return reading();
    },
  };
  return {
    port,
    /** Setups that were applied, oldest first. */
    applied,
    /** Whether the packet gets in; it is counted. */
    lets(packet: Packet, bytes = 60): boolean {
      if (setup === undefined || !setup.wan.includes(packet.on) || isConsole(packet) || setup.mode === 1) return true;
      const rule = setup.mode === -1 ? ruleFor(packet) : undefined;
      const before = rule ? counters.get(rule.id) : refused;
      const after = { packets: (before?.packets ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes };
      if (rule) counters.set(rule.id, after);
      else refused = after;
      return rule !== undefined;
    },
    /** What `nft flush ruleset` does. */
    flush(): void {
      setup = undefined;
      counters.clear();
    },
    /** Every call fails from now on; undefined: no more. */
    failWith(next: 'noHelper' | 'noNftables' | 'refused' | undefined): void {
      if (next === 'noHelper') fault = new MissingPart('helper', 'absent', 'nothing listens at its socket');
      else if (next === 'noNftables') fault = new MissingPart('nftables', 'absent', 'the package is not installed');
      else if (next === 'refused') fault = new HubError('ioFailed', 'nft refused the rules: for a test');
      else fault = undefined;
    },
  };
}
