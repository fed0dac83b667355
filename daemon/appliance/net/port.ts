/** Ethernet ports of the machine, and changes of their addresses. */
import type { EthernetPort } from '../../contract/network-fields.ts';
import type { PortState } from '../../contract/network-states.ts';
import type { Log } from '../../lib/log.ts';
import type { ChangeKind } from '../confirmed-change/kind.ts';

/** A static route of a port; its destination has the length of the prefix: 10.20.0.0/16. */
export interface Target {
  readonly destination: string;
  readonly gateway: string;
}

/** Settings of a port. */
export interface PortConfig {
  /** Null: address and gateway come from a DHCP server. */
  readonly fixed: {
    readonly address: string;
    readonly prefix: number;
    /** Empty for none. */
    readonly gateway: string;
  } | null;
  /** In order of preference; with DHCP, empty for those that it assigns. */
  readonly dns: readonly string[];
}

/** An Ethernet interface of the kernel. */
export interface NetDevice {
  /** What stays the same when the kernel names it differently: `path:` or `mac:` with its value. */
  readonly hardware: string;
  /** Name in the kernel. */
  readonly name: string;
  readonly mac: string;
  readonly driver: string;
  readonly state: Exclude<PortState, 'absent' | 'unknown'>;
  readonly hasLink: boolean;
  /** Mbit/s; 0: unknown. */
  readonly speed: number;
  /** With the length of the prefix. */
  readonly addresses: readonly string[];
  /** Empty for none. */
  readonly gateway: string;
  readonly dns: readonly string[];
  /** What it is set to; null if nothing that these settings can express. */
  readonly config: PortConfig | null;
}

export interface NetState {
  /** Those that are part of the machine, in a stable order. */
  readonly devices: readonly NetDevice[];
  /** What each port is set to, whether or not its interface is there. Ports without settings of the hub's are absent. */
  readonly configs: Readonly<Partial<Record<EthernetPort, PortConfig>>>;
}

export interface PortChange {
  readonly port: EthernetPort;
  /** Of the interface that is this port. */
  readonly hardware: string;
  readonly config: PortConfig;
  /** Static routes; absent: the port keeps its routes. */
  readonly routes?: readonly Target[];
}

/** Bytes since the interface exists. */
export interface Traffic {
  readonly rxBytes: number;
  readonly txBytes: number;
}

/** All methods throw MissingPart if NetworkManager or its bus cannot be used, each within a time limit. */
export interface NetPort extends ChangeKind<readonly PortChange[]> {
  read(): Promise<NetState>;
  /** Calls the listener whenever `read` may return something else, also when NetworkManager comes or goes. */
  watch(listener: () => void): () => void;
  /** Guards addresses that DHCP servers assigned (see `leases.ts`) until the returned function is called. */
  guard(log: Log): () => void;
  /**
   * Deletes the hub's settings of all ports. Each then uses what another program set for it or, if there is nothing,
   * DHCP. A change that waits to be confirmed is given up before. Can be repeated.
   */
  reset(): Promise<void>;
  /** By name of the interface. */
  traffic(): Promise<ReadonlyMap<string, Traffic>>;
}
