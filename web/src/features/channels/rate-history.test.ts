import { expect, test } from 'bun:test';
import { append, columnsOf } from './rate-history.ts';

const history = { 'step-s': 1, end: 100_000, in: [1, 2, null], out: [3, 4, null] };

test('a history ends at its own time', () => {
  expect(columnsOf(history).time).toEqual([98, 99, 100]);
});

test('a new second goes to the end, a repeated one is ignored', () => {
  const columns = columnsOf(history);
  append(columns, { time: 101, in: 5, out: 6 });
  append(columns, { time: 101, in: 7, out: 8 });
  expect(columns.in).toEqual([1, 2, null, 5]);
});

test('a silence becomes a gap', () => {
  const columns = columnsOf(history);
  append(columns, { time: 120, in: 5, out: 6 });
  expect(columns.time).toEqual([98, 99, 100, 101, 120]);
  expect(columns.in).toEqual([1, 2, null, null, 5]);
});

test('what is older than an hour falls out', () => {
  const columns = columnsOf(history);
  append(columns, { time: 3699, in: 5, out: 6 });
  expect(columns.time).toEqual([100, 101, 3699]);
});
