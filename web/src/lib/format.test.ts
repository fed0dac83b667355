import { describe, expect, test } from 'bun:test';
import { durationText, formatFor } from './format.ts';

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

  test('keep two digits below a hundred and one above', () => {
    expect(english.rate(6017)).toEqual({ value: '6.02', unit: 'Mb/s' });
    expect(english.rate(131_240)).toEqual({ value: '131.2', unit: 'Mb/s' });
  });
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
