import { expect, test } from 'bun:test';
import { addressMoment, parseMoment, shownMoment } from './moment-text.ts';

test.each([
  ['2026-11-22 16:49', '2026-11-22T16:49'],
  [' 2026-11-22T16:49 ', '2026-11-22T16:49'],
  ['2026-1-2 6:49', '2026-01-02T06:49'],
  ['2026-11-22', '2026-11-22T23:59'],
  ['', ''],
  ['2026-02-30', undefined],
  ['2026-11-22 24:01', undefined],
  ['22.11.2026', undefined],
  ['2026-11-22 16', undefined],
])('"%s" is the moment %s', (text, moment) => {
  expect(parseMoment(text, '23:59')).toBe(moment);
});

test('a moment is shown as it is typed', () => {
  const now = new Date(2026, 10, 22, 16, 49);
  expect(shownMoment(addressMoment(now))).toBe('2026-11-22 16:49');
});
