import { expect, test } from 'bun:test';
import { append, columnsOf, lastOf, usualSpan } from './rate-history.ts';

const history = { 'step-s': 1, end: 100_000, in: [1, 2, null], out: [3, 4, null] };

test('a history ends at its own time', () => {
  expect(columnsOf(history).time).toEqual([98, 99, 100]);
});

test('a new second is appended, a repeated one is ignored', () => {
  const columns = columnsOf(history);
  append(columns, { time: 101, in: 5, out: 6 });
  append(columns, { time: 101, in: 7, out: 8 });
  expect(columns.in).toEqual([1, 2, null, 5]);
});

test('time without data becomes a gap', () => {
  const columns = columnsOf(history);
  append(columns, { time: 120, in: 5, out: 6 });
  expect(columns.time).toEqual([98, 99, 100, 101, 120]);
  expect(columns.in).toEqual([1, 2, null, null, 5]);
});

test('values older than an hour are dropped', () => {
  const columns = columnsOf(history);
  append(columns, { time: 3699, in: 5, out: 6 });
  expect(columns.time).toEqual([100, 101, 3699]);
});

function aged(seconds: number) {
  const known = Array.from({ length: seconds }, (_, at) => at);
  const gaps = Array.from({ length: 3600 - seconds }, () => null);
  return columnsOf({
    'step-s': 1,
    end: 10_000_000,
    in: [...gaps, ...known],
    out: [...gaps, ...gaps, ...known].slice(-3600),
  });
}

test('a new channel is shown over five minutes, an older one over the hour', () => {
  expect([0, 1, 300, 302, 3600].map((seconds) => usualSpan(aged(seconds)))).toEqual([5, 5, 5, 60, 60]);
});

test('the newest part covers that many minutes', () => {
  const part = lastOf(aged(3600), 5);
  expect(part.time).toHaveLength(300);
  expect([part.in.at(-1), part.in[0], part.out.at(-1)]).toEqual([3599, 3300, 3599]);
  expect(lastOf(columnsOf({ 'step-s': 1, end: 0, in: [], out: [] }), 5).time).toEqual([]);
});
