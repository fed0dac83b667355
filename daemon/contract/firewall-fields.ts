/** What the form of a firewall rule checks, too. */
import * as z from 'zod/mini';
import { firewallModes, firewallProtocols, portsIn } from './firewall-words.ts';
import { limits } from './limits.ts';
import { coded, inWords } from './rules.ts';

/** One port, or a range with its first port below its last. */
export const PortRange = z.string().check(
  z.minLength(1, 'required'),
  z.refine((text) => text === '' || portsIn(text) !== undefined, 'portRange'),
  inWords('A port from 1 to 65535, or a range with the lower port first, such as 5000-5010.'),
);

/** -1: ports are closed except those of the rules; 0: all ports are closed; 1: all ports are open. */
export const FirewallMode = z
  .literal([firewallModes.rules, firewallModes.closed, firewallModes.open])
  .check(z.meta({ rule: '-1 rules, 0 closed, 1 open.' }));

export const FirewallRuleFields = {
  port: PortRange,
  protocol: coded(firewallProtocols).check(
    z.refine((value) => Object.values<number>(firewallProtocols).includes(value), 'choice'),
  ),
  /** Any text; it stays in the hub. */
  remark: z.string().check(z.maxLength(limits.firewall.remark, 'tooLong')),
  enabled: z.boolean(),
};
