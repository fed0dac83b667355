/** An operating system in memory, for whole hubs in tests. Each area has its own double. */
import type { Appliance } from './appliance.ts';
import { createFirewallDouble, type FirewallDouble } from './firewall/double-for-test.ts';
import { createNetDouble, type NetDouble } from './net/double-for-test.ts';

export interface ApplianceDouble extends Appliance {
  /** What tests do to the areas. */
  readonly double: { readonly net: NetDouble; readonly firewall: FirewallDouble };
}

export function createApplianceDouble(): ApplianceDouble {
  const net = createNetDouble();
  const firewall = createFirewallDouble();
  return { double: { net, firewall }, net: net.port, firewall: firewall.port, close() {} };
}
