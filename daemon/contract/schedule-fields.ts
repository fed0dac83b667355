/** What a schedule does and when; for forms, too. Free of schemas. */

/** What is started and stopped. `quick`: of a Director, the first stream of its list. */
export const scheduleActions = ['record', 'live', 'quick'] as const;
export type ScheduleAction = (typeof scheduleActions)[number];

export const scheduleParts = ['start', 'stop'] as const;
export type SchedulePart = (typeof scheduleParts)[number];

/**
 * Of the last run. `running`; `done`: each device was told, though some may have refused; `interrupted`: the hub stopped
 * before all were told, or the next run began; `missed`: the hub was off, or more than 5 minutes late.
 */
export const runStates = ['running', 'done', 'interrupted', 'missed'] as const;
export type RunState = (typeof runStates)[number];

const time = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** `HH:MM`, from 00:00 to 23:59. */
export const isTime = (text: string): boolean => time.test(text);

/** `YYYY-MM-DD`, a day that exists. */
export function isDate(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
