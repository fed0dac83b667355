import { expect, test } from 'bun:test';
import { shippedTiming } from '../shipped-timing.ts';
import { createReconnect } from './reconnect.ts';

const lost = (upMs: number) => ({ kind: 'lost', upMs }) as const;
const longest = () => createReconnect(shippedTiming.link, () => 1);

test('the range of the delay doubles up to a minute, and starts again after a minute with a link', () => {
  const { delayAfter } = longest();
  const delays = Array.from({ length: 7 }, () => delayAfter(lost(0)));
  expect(delays).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(delayAfter(lost(59_999))).toBe(60_000);
  expect(delayAfter(lost(60_000))).toBe(2000);
});

test('the delay is anywhere from zero to the end of its range', () => {
  const { delayAfter } = createReconnect(shippedTiming.link, () => 0);
  expect(delayAfter(lost(0))).toBe(0);
  const drawn = createReconnect(shippedTiming.link);
  for (let at = 0; at < 20; at++) expect(drawn.delayAfter(lost(0))).toBeLessThan(60_000);
});

test('after a working link breaks, the whole fleet comes back over its spread', () => {
  const { delayAfter, setSpread } = longest();
  setSpread(50_000);
  expect(delayAfter(lost(120_000))).toBe(50_000);
  expect(delayAfter(lost(0))).toBe(4000);
});

test('the hub may ask for a spread, and a refused device waits 5 to 15 minutes', () => {
  expect(longest().delayAfter({ kind: 'spread', spreadMs: 30_000 })).toBe(30_000);
  expect(longest().delayAfter({ kind: 'replaced' })).toBe(60_000);
  expect(longest().delayAfter({ kind: 'refused' })).toBe(900_000);
  expect(createReconnect(shippedTiming.link, () => 0).delayAfter({ kind: 'refused' })).toBe(300_000);
});
