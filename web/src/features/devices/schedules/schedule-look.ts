/** How schedules, their times and their runs are shown. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { IconAlertTriangle, IconCircleCheck, IconCircleFilled, IconPlayerPause, IconUserX } from '@tabler/icons-react';
import type { RunState, ScheduleAction, SchedulePart } from '../../../../../daemon/contract/schedule-fields.ts';
import type { Schedule } from '../../../../../daemon/contract/schedules.ts';
import { weekDay } from '../../../lib/week-days.ts';
import type { Look } from '../../../ui/data/StateMark.tsx';
import { allDays } from './schedule-form.ts';

type ScheduleState = 'on' | 'failed' | 'ended' | 'off' | 'orphaned';

export const scheduleLooks: Readonly<Record<ScheduleState, Look>> = {
  on: { tone: 'live', icon: IconCircleFilled, text: msg`On` },
  failed: { tone: 'warn', icon: IconAlertTriangle, text: msg`Check last run` },
  ended: { tone: 'off', icon: IconCircleCheck, text: msg`Finished` },
  off: { tone: 'off', icon: IconPlayerPause, text: msg`Off` },
  orphaned: { tone: 'fault', icon: IconUserX, text: msg`Off` },
};

export const problemTexts: Readonly<Record<NonNullable<Schedule['problem']>, MessageDescriptor>> = {
  ownerDeleted: msg`Its owner was deleted`,
  tokenEnded: msg`Its access token has ended`,
};

/** Whether the last run did not reach every device. */
export const hasFailed = ({ last }: Schedule): boolean =>
  last !== undefined && last.state !== 'running' && !(last.state === 'done' && last.done === last.total);

export function stateOf(schedule: Schedule): ScheduleState {
  if (schedule.problem !== undefined) return 'orphaned';
  if (!schedule.enabled) return 'off';
  if (schedule.next === undefined) return 'ended';
  return hasFailed(schedule) ? 'failed' : 'on';
}

export const actionTexts: Readonly<Record<ScheduleAction, MessageDescriptor>> = {
  record: msg({ message: 'Recording', context: 'of a schedule' }),
  live: msg`Live stream`,
  quick: msg`Quick stream`,
};

export const nextTexts: Readonly<Record<SchedulePart, MessageDescriptor>> = { start: msg`Starts`, stop: msg`Stops` };

type RunText = Readonly<Record<Exclude<RunState, 'done'>, MessageDescriptor>>;
const runTexts: Readonly<Record<SchedulePart, RunText>> = {
  start: { running: msg`Starting…`, missed: msg`Start missed`, interrupted: msg`Start interrupted` },
  stop: { running: msg`Stopping…`, missed: msg`Stop missed`, interrupted: msg`Stop interrupted` },
};

export function lastText(i18n: I18n, { part, state, done, total }: NonNullable<Schedule['last']>): string {
  if (state !== 'done') return i18n._(runTexts[part][state]);
  return i18n._(part === 'start' ? msg`Started: ${done} of ${total}` : msg`Stopped: ${done} of ${total}`);
}

/** As `useFormat` writes dates. */
const dateText = ({ locale }: I18n, time: number, options: Intl.DateTimeFormatOptions): string =>
  new Date(time).toLocaleString(locale === 'zh' ? 'zh-CN' : 'en-GB', options);

/** Both times, such as “09:00 – 10:00”. */
export function timesText(i18n: I18n, { start, stop }: Pick<Schedule, 'start' | 'stop'>): string {
  if (start === undefined) return i18n._(msg`stops at ${stop ?? ''}`);
  if (stop === undefined) return i18n._(msg`starts at ${start}`);
  return `${start} – ${stop}${stop < start ? ` ${i18n._(msg`(next day)`)}` : ''}`;
}

export function daysText(i18n: I18n, { days = [], date }: Pick<Schedule, 'days' | 'date'>): string {
  if (date !== undefined)
    return dateText(i18n, Date.parse(`${date}T00:00:00Z`), { dateStyle: 'medium', timeZone: 'UTC' });
  if (days.length === allDays.length) return i18n._(msg`Every day`);
  const [first, last] = [days[0] ?? 1, days.at(-1) ?? 1];
  const name = (day: number) => weekDay(i18n, day, 'short');
  if (days.length > 2 && last - first === days.length - 1) return `${name(first)} – ${name(last)}`;
  return days.map(name).join(i18n._(msg({ message: ', ', comment: 'Between days of the week' })));
}

/** A time in the time zone of the hub. */
export function momentText(i18n: I18n, time: number, zone: string): string {
  const isThisYear = new Date(time).getFullYear() === new Date().getFullYear();
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const parts = { ...day, hour: '2-digit', minute: '2-digit' } as const;
  return dateText(i18n, time, {
    ...parts,
    ...(!isThisYear && { year: 'numeric' as const }),
    ...{ hourCycle: 'h23', timeZone: zone },
  });
}
