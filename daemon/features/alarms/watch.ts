/** Turns readings into alarms: raised after they were bad for long enough, cleared after they were good for a while. */

import { isCommon } from '../../contract/alarm-severity.ts';
import type { AlarmKind } from '../../contract/alarms.ts';
import { timing } from '../../timing.ts';
import type { Reading } from './measure.ts';

/** State of one rule of one channel. Times are monotonic. */
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

export function step(before: Watched, { condition, holdMs }: Reading, now: number, mayRaise: boolean): Step {
  const { isRaised } = before;
  if (condition === 'bad') {
    const badFrom = before.badFrom ?? now;
    const act = !isRaised && mayRaise && now - badFrom >= holdMs ? 'raise' : undefined;
    return { after: { badFrom, goodFrom: undefined, isRaised: isRaised || act !== undefined }, act };
  }
  if (condition !== 'good') return { after: { ...unwatched, isRaised }, act: undefined };
  const goodFrom = before.goodFrom ?? now;
  const act = isRaised && now - goodFrom >= timing.alarms.clearMs ? 'clear' : undefined;
  return { after: { badFrom: undefined, goodFrom, isRaised: isRaised && act === undefined }, act };
}

const untimed: ReadonlySet<AlarmKind> = new Set(['bitrate-below', 'cc-errors', 'srt-loss', 'no-space', 'device-hot']);

/** Whether its peak is its duration. */
export function isTimed(alarm: Pick<Reading, 'kind' | 'device'>): boolean {
  return !untimed.has(alarm.kind) && !isCommon(alarm);
}

export function worse(kind: AlarmKind, one: number, other: number): number {
  return kind === 'bitrate-below' || kind === 'no-space' ? Math.min(one, other) : Math.max(one, other);
}

export function keyOf({
  kind,
  channel,
  device,
  output,
}: Pick<Reading, 'kind' | 'channel' | 'device' | 'output'>): string {
  if (device !== undefined) return `device/${device}/${kind}`;
  return `${channel.id}/${kind}/${output?.id ?? 0}`;
}
