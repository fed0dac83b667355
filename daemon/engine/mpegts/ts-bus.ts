/** The TS bus of a channel: unchanged runs of whole 188-byte packets, and the tables that new receivers need first. */
import { timing } from '../../timing.ts';
import { defaultRingLimits, Ring, type RingLimits, type Unit } from '../bus/bus.ts';

export interface TsUnit extends Unit {
  /** n x 188 bytes. Never modified after it was pushed. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** After this time receivers start without a random access point, as the scanner cannot find those of all streams. */
export const { entryWaitMs } = timing.flow;

export interface TsBus {
  readonly ring: Ring<TsUnit>;
  /** Newest PAT and PMT packets; empty until both have arrived. A new array whenever they change. */
  tables: Uint8Array;
}

export function createTsBus(
  limits: RingLimits = { ...defaultRingLimits, lagMs: 2000, lagBytes: 4 << 20 },
  now?: () => number,
): TsBus {
  return { ring: new Ring<TsUnit>(limits, now), tables: new Uint8Array(0) };
}
