/** From readings to alarms: raised after it was bad for long enough, cleared after it was good for a while. Pure. */

import type { AlarmKind } from '../../contract/alarms.ts';
import { timing } from '../../timing.ts';
import type { Reading } from './measure.ts';

/** What is known of one rule of one channel. Times are those of a clock that never jumps. */
export interface Watched {
  readonly badFrom: number | undefined;
  readonly goodFrom: number | undefined;
  readonly isRaised: boolean;
}

export const unwatched: Watched = { badFrom: undefined, goodFrom: undefined, isRaised: false };

export interface Step {
  readonly after: Watched;
  readonly act: 'raise' | 'clear' | undefined;
}

export function step(before: Watched, { verdict, holdMs }: Reading, now: number, mayRaise: boolean): Step {
  const { isRaised } = before;
  if (verdict === 'bad') {
    const badFrom = before.badFrom ?? now;
    const act = !isRaised && mayRaise && now - badFrom >= holdMs ? 'raise' : undefined;
    return { after: { badFrom, goodFrom: undefined, isRaised: isRaised || act !== undefined }, act };
  }
  if (verdict !== 'good') return { after: { ...unwatched, isRaised }, act: undefined };
  const goodFrom = before.goodFrom ?? now;
  const act = isRaised && now - goodFrom >= timing.alarms.clearMs ? 'clear' : undefined;
  return { after: { badFrom: undefined, goodFrom, isRaised: isRaised && act === undefined }, act };
}

/** Kinds whose worst is how long they lasted. */
export function isTimed(kind: AlarmKind): boolean {
  return kind !== 'bitrate-below' && kind !== 'cc-errors' && kind !== 'srt-loss' && kind !== 'no-space';
}

export function worse(kind: AlarmKind, one: number, other: number): number {
  return kind === 'bitrate-below' || kind === 'no-space' ? Math.min(one, other) : Math.max(one, other);
}

export function keyOf({ kind, channel, output }: Pick<Reading, 'kind' | 'channel' | 'output'>): string {
  return `${channel.id}/${kind}/${output?.id ?? 0}`;
}
