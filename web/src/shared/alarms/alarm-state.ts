/** What an alarm asks of the user. Pure. */
import type { Alarm } from '../../../../daemon/contract/alarms.ts';

export function isMuted({ 'muted-until': until }: Alarm, now: number): boolean {
  return until !== undefined && (until === 0 || until > now);
}

/** Whether an alarm is active and nobody has acknowledged or muted it. */
export function callsForAttention(alarm: Alarm, now: number): boolean {
  return alarm.cleared === 0 && alarm.acknowledged === undefined && !isMuted(alarm, now);
}

/**
 * Returns the alarms that call for attention and were not among the known ones. Nothing is new while none are known: a
 * page that opens announces no old alarms.
 */
export function newCalls(known: ReadonlySet<number> | undefined, alarms: readonly Alarm[], now: number): Alarm[] {
  if (known === undefined) return [];
  return alarms.filter((alarm) => !known.has(alarm.id) && callsForAttention(alarm, now));
}
