/**
 * When a schedule runs, in a time zone. A time that the clock skips is the next minute that exists; of one that the clock
 * has twice, it is the first.
 */
import type { SchedulePart } from '../../contract/schedule-fields.ts';

export interface Plan {
  /** `HH:MM`. */
  readonly start: string | null;
  readonly stop: string | null;
  /** Days of the week, 1 Monday to 7 Sunday; empty with a date. */
  readonly days: readonly number[];
  readonly date: string | null;
}

export interface Run {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly part: SchedulePart;
}

const daysOfWeek = 7;

/** Returns the first run later than `after`; undefined if there is none. */
export function nextRun(plan: Plan, after: number, zone: string): Run | undefined {
  // A stop may be on the day after its start.
  return runsFrom(plan, after, zone, daysOfWeek + 1).find(({ at }) => at > after);
}

/** Returns the runs later than `after` and not later than `now`, the first ones first; of the last 8 days. */
export function dueRuns(plan: Plan, after: number, now: number, zone: string): Run[] {
  const from = Math.max(after, now - daysOfWeek * 86_400_000);
  return runsFrom(plan, from, zone, daysOfWeek + 1).filter(({ at }) => at > from && at <= now);
}

/** All runs from the day before that time on, in their order; the start before a stop at the same time. */
function runsFrom(plan: Plan, time: number, zone: string, days: number): Run[] {
  const first = Temporal.Instant.fromEpochMilliseconds(time)
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .subtract({ days: 1 });
  const each = Array.from({ length: days + 1 }, (_, index) => first.add({ days: index }));
  const starts =
    plan.date === null
      ? each.filter(({ dayOfWeek }) => plan.days.includes(dayOfWeek))
      : [Temporal.PlainDate.from(plan.date)];
  return starts.flatMap((day) => runsOf(plan, day, zone)).sort((a, b) => a.at - b.at);
}

function runsOf({ start, stop }: Plan, day: Temporal.PlainDate, zone: string): Run[] {
  const isOvernight = start !== null && stop !== null && stop <= start;
  return [
    ...(start === null ? [] : [{ at: instantOf(day, start, zone), part: 'start' } as const]),
    ...(stop === null
      ? []
      : [{ at: instantOf(day.add({ days: Number(isOvernight) }), stop, zone), part: 'stop' } as const]),
  ];
}

function instantOf(day: Temporal.PlainDate, time: string, zone: string): number {
  const local = day.toPlainDateTime(Temporal.PlainTime.from(time));
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const isSkipped = !earlier.toPlainDateTime().equals(local);
  // A skipped time is taken as one before the clock was set.
  const exact = isSkipped ? (earlier.getTimeZoneTransition('next') ?? earlier) : earlier;
  return exact.epochMilliseconds;
}
