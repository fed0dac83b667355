/** The backup input of a channel: when it takes over, when the main input is back, and what is shown without either. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';

const within = ({ min, max }: { min: number; max: number }) =>
  z.int('number').check(z.gte(min, 'range'), z.lte(max, 'range'));
/** 0: nobody minds. */
const withinOrOff = ({ min, max }: { min: number; max: number }) =>
  z.int('number').check(z.refine((ms) => ms === 0 || (ms >= min && ms <= max), 'range'));

/** Milliseconds, except where the name says otherwise. */
export const FailoverRule = z.object({
  /** `hot`: the backup is received all the time. `cold`: only while it is needed, which takes longer. */
  standby: z.enum(['hot', 'cold']),
  /** An input that brings nothing for so long is lost. */
  'no-data-ms': within(limits.failover.noDataMs),
  /** The same without a picture, and without sound; 0: never. */
  'no-video-ms': withinOrOff(limits.failover.quietMs),
  'no-audio-ms': withinOrOff(limits.failover.quietMs),
  /** Back to the main input: not while the backup is good, by hand, or once the main one was good for `stable-s`. */
  back: z.enum(['never', 'hand', 'stable']),
  /** Seconds. */
  'stable-s': within(limits.failover.stableSeconds),
  /** What stands in when both are gone. `picture` is the one that was uploaded. */
  slate: z.enum(['none', 'bars', 'picture']),
});
export type FailoverRule = z.infer<typeof FailoverRule>;

export const defaultFailover: FailoverRule = {
  standby: 'hot',
  'no-data-ms': limits.failover.noDataMs.default,
  'no-video-ms': 1000,
  'no-audio-ms': 0,
  back: 'stable',
  'stable-s': limits.failover.stableSeconds.default,
  slate: 'none',
};

/** Which of a channel's inputs its outputs carry. */
export const InputRole = z.enum(['main', 'backup', 'slate']);
export type InputRole = z.infer<typeof InputRole>;

/** Why it is that one. `none`: there was no switch yet. `ended`: the other one disconnected. */
export const SwitchReason = z.enum(['none', 'noData', 'noVideo', 'noAudio', 'ended', 'operator', 'stable']);
export type SwitchReason = z.infer<typeof SwitchReason>;
