/** Names of the days of the week, 1 Monday to 7 Sunday, in the language of the console. */
import type { I18n } from '@lingui/core';

/** A Monday. */
const monday = Date.UTC(2024, 0, 1);
const dayMs = 86_400_000;

export function weekDay(i18n: I18n, day: number, form: 'long' | 'short'): string {
  return i18n.date(new Date(monday + (day - 1) * dayMs), { weekday: form, timeZone: 'UTC' });
}
