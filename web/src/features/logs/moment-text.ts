/** A moment as it is typed, `2026-11-22 16:49`, and as it is in the address, `2026-11-22T16:49`. Both are local time. */
const pattern = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(\d{1,2}):(\d{2}))?$/;

const two = (value: number | string) => String(value).padStart(2, '0');

/** Returns '' for an empty text and undefined for one that is not a moment. A date alone means that time of day. */
export function parseMoment(text: string, timeOfDay: '00:00' | '23:59'): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const [, year = '', month = '', day = '', hour, minute = ''] = pattern.exec(trimmed) ?? [];
  if (year === '') return undefined;
  const clock = hour === undefined ? timeOfDay : `${two(hour)}:${minute}`;
  const moment = `${year}-${two(month)}-${two(day)}T${clock}`;
  // A date such as February 30 becomes another one, or none.
  const time = new Date(moment);
  return Number.isNaN(time.getTime()) || addressMoment(time) !== moment ? undefined : moment;
}

export function shownMoment(moment: string): string {
  return moment.replace('T', ' ');
}

export function addressMoment(time: Date): string {
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
