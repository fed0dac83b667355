/**
 * What the hub asks of its operating system, by area. `this-machine.ts` is the real one; each area has a double for tests
 * and a suite of tests that both pass.
 */
import type { FirewallPort } from './firewall/port.ts';
import type { LightPort } from './light/port.ts';
import type { NetPort } from './net/port.ts';
import type { PowerPort } from './power/port.ts';
import type { RoutesPort } from './routes/port.ts';
import type { TimePort } from './time/port.ts';
import type { UsbPort } from './usb/port.ts';
import type { WifiPort } from './wifi/port.ts';

export interface Appliance {
  /** Ethernet ports. */
  readonly net: NetPort;
  /** At the Ethernet ports. */
  readonly light: LightPort;
  /** Which ports other machines reach. */
  readonly firewall: FirewallPort;
  readonly power: PowerPort;
  readonly routes: RoutesPort;
  readonly usb: UsbPort;
  readonly wifi: WifiPort;
  /** Clock, NTP, time zone and host name. */
  readonly time: TimePort;
  close(): void;
}
