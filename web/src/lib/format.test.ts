import { describe, expect, test } from 'bun:test';
import { amountText, durationText, formatFor, type Measure } from './format.ts';

const english = formatFor('en-GB');

describe('rates', () => {
  test('stay in kb/s below a megabit', () => {
    expect(english.rate(0)).toEqual({ value: '0', unit: 'kb/s' });
    expect(english.rate(999)).toEqual({ value: '999', unit: 'kb/s' });
  });

  test('never show a thousand of a unit', () => {
    expect(english.rate(999.6)).toEqual({ value: '1.00', unit: 'Mb/s' });
    expect(english.rate(999_700)).toEqual({ value: '1.00', unit: 'Gb/s' });
  });

  test('have two decimals from a megabit', () => {
    expect(english.rate(6017)).toEqual({ value: '6.02', unit: 'Mb/s' });
    expect(english.rate(131_240)).toEqual({ value: '131.24', unit: 'Mb/s' });
  });

  test('have one unit on an axis, and the decimals that its steps need', () => {
    expect(english.rateTicks([0, 500, 1000, 1500])).toEqual(['0.0 Mb/s', '0.5 Mb/s', '1.0 Mb/s', '1.5 Mb/s']);
    expect(english.rateTicks([0, 2000, 4000])).toEqual(['0 Mb/s', '2 Mb/s', '4 Mb/s']);
    expect(english.rateTicks([0, 250, 500])).toEqual(['0 kb/s', '250 kb/s', '500 kb/s']);
    expect(english.ticks([0, 0.25, 0.5], '%')).toEqual(['0.00 %', '0.25 %', '0.50 %']);
    expect(english.ticks([0, 0.1, 0.2, 0.30000000000000004], 'ms')).toEqual(['0.0 ms', '0.1 ms', '0.2 ms', '0.3 ms']);
  });
});

test('each figure of a connection has one unit and precision', () => {
  const text = (measure: Measure, value: number) => amountText(english.measure(measure, value));
  expect([0, 0.4, 12].map((value) => text('loss-percent', value))).toEqual(['0.00 %', '0.40 %', '12.00 %']);
  expect([0.31, 93].map((value) => text('rtt-ms', value))).toEqual(['0.3 ms', '93.0 ms']);
  expect(text('jitter-ms', 2)).toBe('2.0 ms');
  expect([93, 93.4].map((value) => text('buffer-ms', value))).toEqual(['93 ms', '93 ms']);
});

describe('durations', () => {
  test('are hours, minutes and seconds', () => {
    expect(durationText(0, 'd')).toBe('00:00:00');
    expect(durationText(3725, 'd')).toBe('01:02:05');
  });

  test('count days above 24 hours', () => {
    expect(durationText(90_061, 'd')).toBe('1 d 01:01:01');
  });

  test('that are negative, as after a clock change, show as nothing', () => {
    expect(durationText(-5, 'd')).toBe('00:00:00');
  });
});

test('spans are the two largest units', () => {
  expect([0, 59, 60, 80, 3605, 3660, 90_000, -3].map(english.span)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 min 20 s',
    '1 h',
    '1 h 1 min',
    '1 d 1 h',
    '0 s',
  ]);
  expect(formatFor('zh-CN').span(80)).toBe('1 分 20 秒');
});

test('relative times use the largest fitting unit', () => {
  expect(english.relative(0, 150_000)).toBe('2 minutes ago');
  expect(english.relative(0, 5000)).toBe('5 seconds ago');
});

test('Chinese relative times have a space beside the number', () => {
  const chinese = formatFor('zh-CN');
  expect(chinese.relative(0, 150_000)).toBe('2 分钟前');
  expect(chinese.relative(86_400_000 * 30, 0)).toBe('30 天后');
  expect(chinese.relative(0, 86_400_000)).toBe('昨天');
});
