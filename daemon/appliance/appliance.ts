/**
 * What the hub asks of its operating system, by area. `this-machine.ts` is the real one; each area has a double for tests
 * and a suite of tests that both pass.
 */
import type { FirewallPort } from './firewall/port.ts';
import type { NetPort } from './net/port.ts';

export interface Appliance {
  /** Ethernet ports. */
  readonly net: NetPort;
  /** Which ports other machines reach. */
  readonly firewall: FirewallPort;
  close(): void;
}
