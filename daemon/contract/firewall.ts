/** The firewall of the appliance: which ports its WAN interfaces let in. */
import * as z from 'zod/mini';
import { Missing } from './appliance.ts';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { FirewallMode, FirewallRuleFields } from './firewall-fields.ts';
import { firewallProtocols, firewallStates, listeningServices } from './firewall-words.ts';
import { ConfirmNetworkWithin } from './network-fields.ts';
import { coded, Ids, Revised, Revision } from './rules.ts';

const Traffic = { packets: z.int(), bytes: z.int() };

export const FirewallRule = z.object({
  id: z.int(),
  revision: z.int(),
  ...FirewallRuleFields,
  /** Let in by this rule since it was added or the machine started. Packets count for the first rule that fits. */
  ...Traffic,
});
export type FirewallRule = z.infer<typeof FirewallRule>;

export const ListeningPort = z.object({
  /** A port, or a range such as 8071-8078. */
  port: z.string(),
  protocol: coded({ tcp: firewallProtocols.tcp, udp: firewallProtocols.udp }),
  service: z.enum(listeningServices),
  /** Name of the input, the output or the port forward; empty for services of the hub. */
  name: z.string(),
  /** Whether the WAN interfaces let it in at present. */
  open: z.boolean(),
});
export type ListeningPort = z.infer<typeof ListeningPort>;

export const Firewall = z.object({
  /** Of the mode. */
  revision: z.int(),
  mode: FirewallMode,
  /** In the order in which they were added. */
  rules: z.array(FirewallRule),
  /** Names of the network interfaces that are filtered. */
  wan: z.array(z.string()),
  /** Ports of the console, which are open in every mode. */
  console: z.array(z.int()),
  /** What was refused because its port is closed, since the machine started. */
  refused: z.object(Traffic),
  /** Where the hub waits for connections from other machines. */
  listening: z.array(ListeningPort),
  state: z.enum(firewallStates),
  /** Why the rules could not be applied; only in the state `failed`. */
  reason: z.optional(z.string()),
  missing: Missing,
});
export type Firewall = z.infer<typeof Firewall>;

/** The ports of the console stay open, so that a change is final unless it is asked to be undone. */
const confirmation = {
  /** Seconds in which `network/confirm` must confirm the change, or it is undone; 0, the default: it is final. */
  'confirm-within': z.optional(ConfirmNetworkWithin),
};
const toConfirm = {
  /** For `network/confirm`; absent for a change that is final. */
  token: z.optional(z.string()),
  /** Seconds until the change is undone; 0 for a change that is final. */
  'confirm-by-s': z.int(),
};

export const firewallApi = endpoints(calls.firewall, {
  get: {
    summary: 'Get the firewall: its mode and rules with their counters, and the ports on which the hub listens.',
    needs: 'hardware',
    response: Firewall,
  },
  set: {
    summary: 'Set which ports the WAN interfaces let in. The ports of the console are open in every mode.',
    needs: 'hardware',
    body: z.object({ mode: FirewallMode, revision: Revision, ...confirmation }),
    response: z.extend(Revised, toConfirm),
  },
  addRule: {
    summary: 'Add a rule that opens ports. It is in effect in mode -1.',
    needs: 'hardware',
    body: z.object({
      ...FirewallRuleFields,
      /** Default: empty. */
      remark: z.optional(FirewallRuleFields.remark),
      /** Default: true. */
      enabled: z.optional(FirewallRuleFields.enabled),
      ...confirmation,
    }),
    response: z.object({ id: z.int(), ...toConfirm }),
  },
  setRule: {
    summary: 'Change a rule; omitted members stay unchanged.',
    needs: 'hardware',
    body: z.object({
      id: z.int('number'),
      ...z.partial(z.object(FirewallRuleFields)).shape,
      revision: Revision,
      ...confirmation,
    }),
    response: z.extend(Revised, toConfirm),
  },
  delRule: {
    summary: 'Delete rules. Connections to ports that are closed by it end at once.',
    needs: 'hardware',
    body: z.object({ id: Ids, ...confirmation }),
    response: z.object(toConfirm),
  },
});
