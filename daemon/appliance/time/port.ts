import type { SyncState, TimeSourceState } from '../../contract/time-states.ts';
import type { Asker } from '../helper/operations.ts';

export interface NtpConfig {
  readonly enabled: boolean;
  /** Host names or addresses; at most two. */
  readonly servers: readonly string[];
}

export interface TimeSource {
  readonly name: string;
  readonly state: TimeSourceState;
  readonly stratum: number;
  /** Milliseconds by which this machine was ahead at the last measurement. */
  readonly offsetMs?: number;
}

export interface Synchronization {
  readonly state: Exclude<SyncState, 'off' | 'unknown'>;
  /** Milliseconds by which this machine is ahead of NTP. */
  readonly offsetMs?: number;
  readonly sources: readonly TimeSource[];
}

/** The clock of the machine. Changes throw MissingPart or HubError. */
export interface TimePort {
  ntp(): Promise<NtpConfig>;
  /** Throws MissingPart while chrony does not run. */
  synchronization(): Promise<Synchronization>;
  zone(): Promise<string>;
  /** Those of the system, by name. */
  zones(): Promise<readonly string[]>;
  /** Changes NTP and time zone; what is absent stays. */
  apply(change: { readonly ntp?: NtpConfig; readonly zone?: string }, by: Asker): Promise<void>;
  /** Sets the clock, in milliseconds since 1970. Throws `wrongState` while NTP is on. */
  set(at: number, by: Asker): Promise<void>;
  hostName(): Promise<string>;
  setHostName(name: string, by: Asker): Promise<void>;
}
