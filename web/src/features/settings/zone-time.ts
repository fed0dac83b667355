/** Converts between a date as typed, in a time zone, and milliseconds since 1970. */

/** By how many milliseconds the zone is ahead of UTC at a moment. */
function aheadAt(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(at);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((name) => Number(parts.find(({ type }) => type === name)?.value));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** `text`: as a field for date and time has it, such as `2026-05-01T12:00`. Returns NaN for anything else. */
export function momentIn(zone: string, text: string): number {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(wall)) return wall;
  // The difference to UTC is that of the moment, which it decides itself: near a change of the clocks, it differs.
  const near = wall - aheadAt(zone, wall);
  return wall - aheadAt(zone, near);
}
