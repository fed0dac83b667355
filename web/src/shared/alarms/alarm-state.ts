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

/** More than can be active at a time, with those that are gone while a reconnect brings them again in several messages. */
const maxKnown = 4096;

/** Returns the ids of known alarms, the newest last. A wall display collects them for months. */
export function stillKnown(known: ReadonlySet<number> | undefined, alarms: readonly Alarm[]): ReadonlySet<number> {
  const ids = new Set([...(known ?? []), ...alarms.map(({ id }) => id)]);
  return ids.size <= maxKnown ? ids : new Set([...ids].toSorted((a, b) => a - b).slice(-maxKnown));
}
