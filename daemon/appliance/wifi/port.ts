/** The Wi-Fi adapter of the machine, as the hub uses it. */
import type { JoinableSecurity, WifiSecurity, WifiState } from '../../contract/wifi-fields.ts';

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

export interface WifiPort {
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
}
