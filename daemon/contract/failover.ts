/** The backup input of a channel: when it takes over, when the main input returns, and the slate without either. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { orZero, whole } from './rules.ts';

/** In milliseconds unless the name says otherwise. */
export const FailoverRule = z.object({
  /** `hot`: the backup is received all the time. `cold`: only while needed, which makes switching slower. */
  standby: z.enum(['hot', 'cold']),
  /** An input that delivers no data for this long is lost. */
  'no-data-ms': whole(limits.failover.noDataMs),
  /** Likewise without video and without audio; 0: never. */
  'no-video-ms': orZero(limits.failover.quietMs),
  'no-audio-ms': orZero(limits.failover.quietMs),
  /** Back to the main input: `never` while the backup is good, by `hand`, or once main was good for `stable-s`. */
  back: z.enum(['never', 'hand', 'stable']),
  /** Seconds. */
  'stable-s': whole(limits.failover.stableSeconds),
  /** The slate shown when both inputs are lost. `picture` is the uploaded image. */
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

/** The input that the outputs of a channel carry. */
export const InputRole = z.enum(['main', 'backup', 'slate']);
export type InputRole = z.infer<typeof InputRole>;

/** Reason for the last switch. `none`: no switch yet. `ended`: the other input disconnected. */
export const SwitchReason = z.enum(['none', 'noData', 'noVideo', 'noAudio', 'ended', 'operator', 'stable']);
export type SwitchReason = z.infer<typeof SwitchReason>;
