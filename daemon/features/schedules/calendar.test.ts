import { describe, expect, test } from 'bun:test';
import { dueRuns, nextRun, type Plan } from './calendar.ts';

const every = [1, 2, 3, 4, 5, 6, 7];
const plan = (more: Partial<Plan>): Plan => ({ start: null, stop: null, days: every, date: null, ...more });
const at = (iso: string) => Date.parse(iso);
const shown = (runs: ReturnType<typeof dueRuns>) =>
  runs.map((run) => `${run.part} ${new Date(run.at).toISOString().slice(0, 16)}`);

describe('each week', () => {
  const office = plan({ start: '09:00', stop: '10:30', days: [1, 5] });

  test('the next run is the first after a time, in the time zone of the hub', () => {
    const zone = 'Asia/Shanghai';
    const next = (after: string) => shown([nextRun(office, at(after), zone)!])[0];
    // A Thursday.
    expect(next('2026-07-02T12:00Z')).toBe('start 2026-07-03T01:00');
    expect(next('2026-07-03T01:00Z')).toBe('stop 2026-07-03T02:30');
    expect(next('2026-07-03T02:30Z')).toBe('start 2026-07-06T01:00');
  });

  test('a stop that is not after the start is on the next day, also from Sunday to Monday', () => {
    const night = plan({ start: '22:00', stop: '02:00', days: [7] });
    const runs = dueRuns(night, at('2026-07-05T00:00Z'), at('2026-07-07T00:00Z'), 'UTC');
    expect(shown(runs)).toEqual(['start 2026-07-05T22:00', 'stop 2026-07-06T02:00']);
    expect(shown([nextRun(night, at('2026-07-06T01:00Z'), 'UTC')!])).toEqual(['stop 2026-07-06T02:00']);
  });

  test('with one part only, only that is done', () => {
    expect(nextRun(plan({ stop: '18:00', days: [3] }), at('2026-07-01T18:00Z'), 'UTC')).toEqual({
      ...{ part: 'stop', at: at('2026-07-08T18:00Z') },
    });
  });
});

describe('once', () => {
  const once = plan({ start: '23:00', stop: '01:00', days: [], date: '2026-12-31' });

  test('it starts on its date and stops on the next, and never again', () => {
    const runs = dueRuns(once, at('2026-12-31T00:00Z'), at('2027-01-02T00:00Z'), 'UTC');
    expect(shown(runs)).toEqual(['start 2026-12-31T23:00', 'stop 2027-01-01T01:00']);
    expect(nextRun(once, at('2027-01-01T01:00Z'), 'UTC')).toBeUndefined();
    expect(nextRun(once, at('2020-01-01T00:00Z'), 'UTC')?.at).toBe(at('2026-12-31T23:00Z'));
  });
});

describe('when the clock is set', () => {
  const berlin = 'Europe/Berlin';
  const days = (from: string, to: string, times: Partial<Plan>, zone: string) =>
    shown(dueRuns(plan(times), at(from), at(to), zone));

  test('a time that is skipped is the next minute that exists, on that day alone', () => {
    // On 29 March, 02:00 is followed by 03:00.
    expect(days('2026-03-28T00:00Z', '2026-03-30T12:00Z', { start: '02:30' }, berlin)).toEqual([
      'start 2026-03-28T01:30',
      'start 2026-03-29T01:00',
      'start 2026-03-30T00:30',
    ]);
  });

  test('a time that exists twice runs once, the first time', () => {
    // On 25 October, 03:00 is followed by 02:00.
    expect(days('2026-10-24T12:00Z', '2026-10-26T12:00Z', { start: '02:30' }, berlin)).toEqual([
      'start 2026-10-25T00:30',
      'start 2026-10-26T01:30',
    ]);
  });

  test('a clock may be set at midnight, or by half an hour', () => {
    // Midnight of 6 September is skipped in Santiago; 02:00 of 4 October is 02:30 on Lord Howe Island.
    expect(days('2026-09-05T12:00Z', '2026-09-06T12:00Z', { start: '00:00' }, 'America/Santiago')).toEqual([
      'start 2026-09-06T04:00',
    ]);
    expect(days('2026-10-03T00:00Z', '2026-10-04T00:00Z', { start: '02:10' }, 'Australia/Lord_Howe')).toEqual([
      'start 2026-10-03T15:30',
    ]);
  });

  test('a start and a stop that are both skipped come at the same time, the start first', () => {
    expect(days('2026-03-29T00:00Z', '2026-03-29T12:00Z', { start: '02:15', stop: '02:45' }, berlin)).toEqual([
      'start 2026-03-29T01:00',
      'stop 2026-03-29T01:00',
    ]);
  });
});

test('of a long time, only the last days are looked at', () => {
  const runs = dueRuns(plan({ start: '06:00' }), at('2020-01-01T00:00Z'), at('2026-07-08T12:00Z'), 'UTC');
  expect(shown(runs)[0]).toBe('start 2026-07-02T06:00');
  expect(runs).toHaveLength(7);
});
