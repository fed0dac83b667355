import { expect, test } from 'bun:test';
import { momentIn } from './zone-time.ts';

test.each([
  ['Etc/UTC', '2026-05-01T12:00', '2026-05-01T12:00:00Z'],
  ['Europe/Berlin', '2026-05-01T12:00', '2026-05-01T10:00:00Z'],
  ['Europe/Berlin', '2026-01-01T00:30:15', '2025-12-31T23:30:15Z'],
  ['Asia/Shanghai', '2026-05-01T12:00', '2026-05-01T04:00:00Z'],
  ['America/New_York', '2026-12-31T20:00', '2027-01-01T01:00:00Z'],
  // An hour after the clocks were put forward, and before.
  ['Europe/Berlin', '2026-03-29T03:30', '2026-03-29T01:30:00Z'],
  ['Europe/Berlin', '2026-03-29T01:30', '2026-03-29T00:30:00Z'],
])('in %s, %s is %s', (zone, text, expected) => {
  expect(new Date(momentIn(zone, text)).toISOString()).toBe(new Date(expected).toISOString());
});

test('what is not a date is not a moment', () => {
  for (const text of ['', 'tomorrow', '2026-13-01T00:00', '2026-05-01']) expect(momentIn('Etc/UTC', text)).toBeNaN();
});
