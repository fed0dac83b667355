/** The Wi-Fi adapter of the machine, as the hub uses it. */
import type { JoinableSecurity, WifiSecurity, WifiState } from '../../contract/wifi-fields.ts';
import type { ChangeKind } from '../confirmed-change/kind.ts';

/** The bytes of a network's name in lower-case hexadecimal. */
export type SsidBytes = string;

export interface FoundNetwork {
  readonly ssid: SsidBytes;
  /** Percent. */
  readonly strength: number;
  readonly security: WifiSecurity;
  /** MHz, of the strongest access point. */
  readonly frequency: number;
}

/** A network whose profile is stored, with its key. */
export interface StoredNetwork {
  readonly ssid: SsidBytes;
  readonly security: WifiSecurity;
  readonly isHidden: boolean;
}

export interface WifiReading {
  readonly state: WifiState;
  /** Name of the network interface; empty without an adapter. */
  readonly interface: string;
  /** Of the connection that exists or is being made. Addresses have their prefix. */
  readonly current: {
    readonly ssid: SsidBytes;
    readonly strength: number;
    readonly addresses: readonly string[];
  } | null;
  /** One per name and security, the strongest first. */
  readonly networks: readonly FoundNetwork[];
  /** One per name. */
  readonly known: readonly StoredNetwork[];
}

export interface JoinRequest {
  readonly ssid: SsidBytes;
  readonly security: JoinableSecurity;
  /** Undefined for a network without one. */
  readonly key: string | undefined;
  readonly isHidden: boolean;
}

/** Why the adapter did not do what it was asked to. */
export type WifiFaultReason =
  /** There is no adapter, or it is switched off. */
  | 'noAdapter'
  /** The access point does not accept the key. */
  | 'wrongKey'
  /** No access point has this name. */
  | 'notFound'
  /** The network gave the hub no address. */
  | 'noAddress'
  /** The access point refused the hub, or did not answer. */
  | 'refused'
  /** It took too long. */
  | 'timeout';

export class WifiFault extends Error {
  readonly reason: WifiFaultReason;

  constructor(reason: WifiFaultReason, detail = '') {
    super(detail === '' ? reason : `${reason}: ${detail}`);
    this.name = 'WifiFault';
    this.reason = reason;
  }
}

/** A change that makes the adapter leave its network. `rejoin` and `forget` name a stored network. */
export type WifiChange =
  | { readonly join: JoinRequest }
  | { readonly rejoin: SsidBytes }
  | { readonly forget: SsidBytes };

/** As the kind of a change that has to be confirmed: `prepare` rejects with a `WifiFault` if the change cannot work. */
export interface WifiPort extends ChangeKind<WifiChange> {
  read(): Promise<WifiReading>;
  /** Resolves when the scan is over. Rejects with a `WifiFault`. */
  scan(): Promise<void>;
  /**
   * Joins a network and resolves once there is an address. Only then is it stored, and replaces what was stored for this
   * name; after a failure nothing of the attempt is left. Rejects with a `WifiFault`.
   */
  join(request: JoinRequest): Promise<void>;
  /** Joins a network that is stored. Rejects with a `WifiFault`; `notFound` also if it is not stored. */
  rejoin(ssid: SsidBytes): Promise<void>;
  /** Deletes what is stored for the name, and leaves the network. Returns false if nothing was stored. */
  forget(ssid: SsidBytes): Promise<boolean>;
  /** Deletes all stored networks with their keys. Can be repeated. */
  forgetAll(): Promise<void>;
  /** Returns the key of a stored network; undefined if it has none, or if another program keeps the key. */
  keyOf(ssid: SsidBytes): Promise<string | undefined>;
  /** Stores a network without joining it, and replaces one with the same name. Does nothing if the same is stored. */
  store(request: JoinRequest): Promise<void>;
  /** Whether packets to this address leave through the adapter. */
  leadsTo(address: string): Promise<boolean>;
}
