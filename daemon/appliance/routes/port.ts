/** Static routes of the machine, which keeps them with the settings of its interfaces. */
import type { EthernetPort } from '../../contract/network-fields.ts';
import type { ChangeKind } from '../confirmed-change/kind.ts';
import type { Target } from '../net/port.ts';

/** An Ethernet port, or the Wi-Fi adapter. */
export type RoutePlace = EthernetPort | 'wifi';

export interface StaticRoute extends Target {
  readonly interface: RoutePlace;
}

export interface RouteInterface {
  readonly id: RoutePlace;
  /** IPv4 addresses that it has or, without a connection, is set to have, with the length of the prefix. */
  readonly addresses: readonly string[];
}

export interface RouteState {
  /** Those that have settings to which routes can be added: of the Wi-Fi adapter, those of the network it has joined. */
  readonly interfaces: readonly RouteInterface[];
  readonly routes: readonly (StaticRoute & {
    /** Whether the kernel uses it now. */
    readonly isActive: boolean;
  })[];
}

/** Names of the Ethernet ports in the kernel. */
export type PortDevices = Readonly<Partial<Record<EthernetPort, string>>>;

/** The complete list of desired routes. */
export interface RouteChange {
  readonly devices: PortDevices;
  readonly routes: readonly StaticRoute[];
}

/** All methods throw MissingPart if NetworkManager or its bus cannot be used, each within a time limit. */
export interface RoutesPort extends ChangeKind<RouteChange> {
  read(devices: PortDevices): Promise<RouteState>;
  /** Makes and stores a change that needs no confirmation. Connections are not interrupted. */
  write(change: RouteChange): Promise<void>;
}
