import { expect, test } from 'bun:test';
import { minuteAverages, noHistory } from './history.ts';

const history = (inward: (number | null)[], outward: (number | null)[]) => ({
  stepSeconds: 1,
  end: 0,
  in: inward,
  out: outward,
});
const seconds = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test('an hour of seconds becomes sixty averages of input and output together, in Mbit/s', () => {
  const inward = [...seconds(3540, 1000), ...seconds(60, 4000)];
  const minutes = minuteAverages(history(inward, seconds(3600, 500)));
  expect(minutes).toEqual([...seconds(59, 1.5), 4.5]);
});

test('unknown values are a gap, a partly known minute is the average of its known part', () => {
  const inward = [...seconds(60, null), ...seconds(30, null), ...seconds(30, 2000)];
  expect(minuteAverages(history(inward, seconds(120, null))).slice(-3)).toEqual([null, null, 2]);
});

test('values older than an hour are dropped', () => {
  expect(minuteAverages(history([...seconds(60, 9e6), ...seconds(3600, 1000)], []))).toEqual(seconds(60, 1));
});

test('without an answer all values are gaps', () => {
  expect(minuteAverages(undefined)).toEqual(seconds(60, null));
  expect(noHistory(5)).toEqual({ 'step-s': 60, end: 5, in: seconds(60, null), out: seconds(60, null) });
});
