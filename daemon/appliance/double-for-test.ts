/** An operating system in memory, for whole hubs in tests. Each area has its own double. */
import type { Appliance } from './appliance.ts';
import { createNetDouble, type NetDouble } from './net/double-for-test.ts';

export interface ApplianceDouble extends Appliance {
  /** What tests do to the areas. */
  readonly double: { readonly net: NetDouble };
}

export function createApplianceDouble(): ApplianceDouble {
  const net = createNetDouble();
  return { double: { net }, net: net.port, close() {} };
}
