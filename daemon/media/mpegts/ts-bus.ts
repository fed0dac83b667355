/** The TS shape of a channel: runs of whole 188-byte packets, untouched, with the tables a new receiver needs first. */
import { defaultRingLimits, Ring, type RingLimits, type Unit } from '../bus.ts';

export interface TsUnit extends Unit {
  /** n x 188 bytes. Never written to after it was pushed. */
  readonly data: Uint8Array<ArrayBuffer>;
}

export interface TsBus {
  readonly ring: Ring<TsUnit>;
  /** Newest PAT and PMT packets; empty until both were seen. Changes identity whenever they change. */
  tables: Uint8Array;
}

export function createTsBus(limits: RingLimits = { ...defaultRingLimits, lagMs: 2000, lagBytes: 4 << 20 }): TsBus {
  return { ring: new Ring<TsUnit>(limits), tables: new Uint8Array(0) };
}
