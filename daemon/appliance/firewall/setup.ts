/** What the firewall of the appliance is told, and what can be read from it. Remarks stay in the hub. */
import * as z from 'zod/mini';

/** 1: all ports are open; 0: all are closed; -1: those of the rules are open. */
export const firewallModes = [-1, 0, 1] as const;

/** More than a user may have. */
export const maxFirewallRules = 1000;

const Port = z.int().check(z.gte(1), z.lte(65_535));
/** A dot only before the number of a VLAN. */
export const InterfaceName = z.string().check(z.maxLength(15), z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]*(\.\d{1,4})?$/));
const RuleId = z.int().check(z.gte(1), z.lte(0x7fff_ffff));

/** Opens ports of the WAN interfaces. */
export const FirewallRule = z
  .strictObject({
    /** Identifies the counter of the rule. */
    id: RuleId,
    /** First and last port. */
    first: Port,
    last: Port,
    tcp: z.boolean(),
    udp: z.boolean(),
  })
  .check(z.refine(({ first, last, tcp, udp }) => first <= last && (tcp || udp)));
export type FirewallRule = z.infer<typeof FirewallRule>;

export const FirewallSetup = z.strictObject({
  mode: z.literal(firewallModes),
  /** Names of the network interfaces that are filtered. All others are open. */
  wan: z.array(InterfaceName).check(z.maxLength(8), z.refine(areDistinct)),
  /** TCP ports of the console, which are open in every mode. */
  console: z.array(Port).check(z.minLength(1), z.maxLength(4), z.refine(areDistinct)),
  rules: z.array(FirewallRule).check(
    z.maxLength(maxFirewallRules),
    z.refine((rules) => areDistinct(rules.map(({ id }) => id))),
  ),
});
export type FirewallSetup = z.infer<typeof FirewallSetup>;

const Traffic = {
  packets: z.int(),
  bytes: z.int(),
};

export const FirewallReading = z.strictObject({
  /** Identifies the filter as it is, without its counters; null if there is none. */
  fingerprint: z.nullable(z.string()),
  /** What each rule has let in. A rule that is changed keeps its counter. */
  counters: z.array(z.strictObject({ id: RuleId, ...Traffic })),
  /** What was refused because its port is closed. */
  refused: z.strictObject(Traffic),
});
export type FirewallReading = z.infer<typeof FirewallReading>;

function areDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
