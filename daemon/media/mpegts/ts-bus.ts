/** The TS shape of a channel: runs of whole 188-byte packets, untouched, with the tables a new receiver needs first. */
import { timing } from '../../timing.ts';
import { defaultRingLimits, Ring, type RingLimits, type Unit } from '../bus.ts';

export interface TsUnit extends Unit {
  /** n x 188 bytes. Never written to after it was pushed. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** A receiver of TS that found no entry point for so long begins without one: not every stream has some that we know. */
export const { entryWaitMs } = timing.flow;

export interface TsBus {
  readonly ring: Ring<TsUnit>;
  /** Newest PAT and PMT packets; empty until both were seen. Changes identity whenever they change. */
  tables: Uint8Array;
}

export function createTsBus(
  limits: RingLimits = { ...defaultRingLimits, lagMs: 2000, lagBytes: 4 << 20 },
  now?: () => number,
): TsBus {
  return { ring: new Ring<TsUnit>(limits, now), tables: new Uint8Array(0) };
}
