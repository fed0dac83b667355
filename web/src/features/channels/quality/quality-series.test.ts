import { expect, test } from 'bun:test';
import { qualityData, summaryOf, topOf } from './quality-series.ts';

const quality = {
  'step-s': 5,
  end: 100_000,
  connected: [true, false, false, true, false],
  'loss-percent': [0.5, null, null, 2, null],
  'pkt-loss': [1, null, null, 4, null],
  'pkt-retrans': [10, null, null, 5, null],
  'rtt-ms': [20, null, null, 22, null],
};

test('there is a plot for each known figure, and none for the rest', () => {
  const { plots, time, seconds } = qualityData(quality);
  expect(plots.map(({ key }) => key)).toEqual(['loss', 'repair', 'rtt']);
  expect(time).toEqual([80, 85, 90, 95, 100]);
  expect(seconds).toBe(25);
});

test('packets of an interval are shown as packets per second', () => {
  const repair = qualityData(quality).plots.find(({ key }) => key === 'repair');
  expect(repair?.curves).toEqual([{ figure: 'pkt-retrans', values: [2, null, null, 1, null] }]);
});

test('each time without connection is one outage', () => {
  expect(qualityData(quality).outages).toEqual([
    { from: 80, to: 90 },
    { from: 95, to: 100 },
  ]);
});

test('a summary has the newest, the mean and the highest value', () => {
  expect(summaryOf([1, null, 3])).toEqual({ newest: 3, mean: 2, max: 3 });
  expect(summaryOf([1, null])).toEqual({ newest: null, mean: 1, max: 1 });
  expect(summaryOf([null])).toEqual({ newest: null, mean: null, max: null });
});

test('a plot has room above its highest value, and a minimum height', () => {
  const of = (value: number) => topOf({ key: 'rtt', unit: 'ms', curves: [{ figure: 'rtt-ms', values: [value] }] });
  expect(of(0.1)).toBe(10);
  expect(of(200)).toBeGreaterThan(200);
});
