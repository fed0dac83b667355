import { expect, test } from 'bun:test';
import { setupI18n } from '@lingui/core';
import type { Schedule } from '../../../../../daemon/contract/schedules.ts';
import { checkSchedule, type ScheduleValues, scheduleConfig, scheduleValues } from './schedule-form.ts';
import { daysText, hasFailed, momentText, stateOf, timesText } from './schedule-look.ts';

const i18n = setupI18n({ locale: 'en', messages: { en: {} } });
const schedule = (more: Partial<Schedule>): Schedule => ({
  ...{ id: 1, name: 'Service', enabled: true, action: 'record', devices: 2, owner: 'ann', revision: 1 },
  next: { time: Date.UTC(2026, 6, 1, 9), part: 'start' },
  ...more,
});

test('days are shortened to a range if they follow each other', () => {
  expect(daysText(i18n, { days: [1, 2, 3, 4, 5, 6, 7] })).toBe('Every day');
  expect(daysText(i18n, { days: [1, 2, 3, 4, 5] })).toBe('Mon – Fri');
  expect(daysText(i18n, { days: [6, 7] })).toBe('Sat, Sun');
  expect(daysText(i18n, { days: [1, 3, 5] })).toBe('Mon, Wed, Fri');
  expect(daysText(i18n, { date: '2026-12-31' })).toBe('31 Dec 2026');
});

test('times say when the stop is on the next day', () => {
  expect(timesText(i18n, { start: '09:00', stop: '10:00' })).toBe('09:00 – 10:00');
  expect(timesText(i18n, { start: '22:00', stop: '02:00' })).toBe('22:00 – 02:00 (next day)');
  expect(timesText(i18n, { stop: '02:00' })).toBe('stops at 02:00');
});

test('a moment is in the time zone of the hub', () => {
  expect(momentText(i18n, Date.UTC(2030, 6, 1, 20, 5), 'Asia/Shanghai')).toBe('Tue, 2 Jul 2030, 04:05');
});

test('a schedule is on, off or over; a run that did not reach all devices needs attention', () => {
  const last = { time: 0, part: 'start', state: 'done', done: 2, total: 2 } as const;
  expect(stateOf(schedule({ last }))).toBe('on');
  expect(stateOf(schedule({ last: { ...last, done: 1 } }))).toBe('failed');
  expect(stateOf(schedule({ last: { ...last, done: 0, state: 'missed' } }))).toBe('failed');
  expect(hasFailed(schedule({ last: { ...last, done: 0, state: 'running' } }))).toBe(false);
  const { next: _, ...over } = schedule({});
  expect(stateOf(over)).toBe('ended');
  expect(stateOf(schedule({ enabled: false }))).toBe('off');
  expect(stateOf(schedule({ enabled: false, problem: 'ownerDeleted' }))).toBe('orphaned');
  expect(stateOf(schedule({ problem: 'tokenEnded' }))).toBe('orphaned');
});

const values: ScheduleValues = { ...scheduleValues(undefined), name: 'Service', start: '09:00', sn: ['A'] };

test.each<[Partial<ScheduleValues>, object]>([
  [{}, {}],
  [{ name: '' }, { name: 'required' }],
  [{ start: '' }, { start: 'required' }],
  [{ stop: '09:00' }, { stop: 'sameTime' }],
  [{ days: [] }, { days: 'required' }],
  [{ repeat: 'once' }, { date: 'required' }],
  [{ repeat: 'once', date: '2026-02-30' }, { date: 'date' }],
  [{ sn: [] }, { sn: 'required' }],
])('%j has the faults %j', (more, faults) => expect(checkSchedule({ ...values, ...more })).toEqual(faults as never));

test('the form sends days or a date, and only the parts that are done', () => {
  const { name } = values;
  const common = { name, action: 'record', enabled: true } as const;
  expect(scheduleConfig(values)).toEqual({ ...common, sn: ['A'], start: '09:00', days: [1, 2, 3, 4, 5] });
  expect(scheduleConfig({ ...values, start: '', stop: '10:00', repeat: 'once', date: '2026-07-01' })).toEqual({
    ...{ ...common, sn: ['A'], stop: '10:00', date: '2026-07-01' },
  });
});
