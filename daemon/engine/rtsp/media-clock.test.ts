import { expect, test } from 'bun:test';
import { MediaClock } from './media-clock.ts';

const second = 90_000;
/** One track of 90 kHz and one of 48 kHz, as most streams have. */
const open = () => new MediaClock([second, 48_000]);
const at = (clock: MediaClock, track: number, timestamp: number, now: number, isNew = false) =>
  clock.take(track, timestamp >>> 0, now, isNew);

test('tracks are aligned by their first packets until the relation of their clocks is known', () => {
  const clock = open();
  const first = at(clock, 0, 7000, 1000).ticks;
  expect(at(clock, 1, 123, 1020).ticks).toBe(first + 0.02 * second);
  expect(at(clock, 1, 123 + 48_000, 1900).ticks).toBe(first + 1.02 * second);
});

test('a clock continues when its 32 bits wrap', () => {
  const clock = open();
  const { ticks } = at(clock, 0, 2 ** 32 - 3600, 0);
  expect(at(clock, 0, 0, 40)).toEqual({ ticks: ticks + 3600, isRestart: false });
  expect(at(clock, 0, 3600, 80).ticks).toBe(ticks + 7200);
});

test('sender reports of all tracks align them, whatever came before; those of one track do not', () => {
  const clock = open();
  const first = at(clock, 0, 0, 0).ticks;
  at(clock, 1, 0, 0);
  clock.synchronize(0, 'report', 0, 1000);
  expect(at(clock, 1, 48_000, 1000).ticks).toBe(first + second);
  // At timestamp 0 its clock was already 0.3 s ahead.
  clock.synchronize(1, 'report', 0, 1000.3);
  expect(at(clock, 1, 96_000, 2000).ticks).toBeCloseTo(first + 2.3 * second, 0);
  expect(at(clock, 0, 2 * second, 2000).ticks).toBe(first + 2 * second);
});

test('the answer to PLAY aligns tracks before their first packets, and sender reports override it', () => {
  const clock = open();
  clock.synchronize(0, 'info', 5000, 0);
  clock.synchronize(1, 'info', 9000, 0);
  const first = at(clock, 0, 5000, 0).ticks;
  expect(at(clock, 1, 9000, 150).ticks).toBe(first);
  clock.synchronize(0, 'report', 5000, 50);
  clock.synchronize(1, 'report', 9000, 50.1);
  clock.synchronize(1, 'info', 9000, 0);
  expect(at(clock, 1, 9000 + 4800, 250).ticks).toBeCloseTo(first + 0.2 * second, 0);
});

test('tracks whose reports are hours apart have different clocks', () => {
  const clock = open();
  const first = at(clock, 0, 0, 0).ticks;
  at(clock, 1, 0, 0);
  clock.synchronize(0, 'report', 0, 0);
  clock.synchronize(1, 'report', 0, 3600);
  expect(at(clock, 1, 48_000, 1000).ticks).toBe(first + second);
});

test('after a clock is set, or with a new sender, the time that has passed continues', () => {
  const clock = open();
  const first = at(clock, 0, 0, 0).ticks;
  expect(at(clock, 0, 3_000_000, 40)).toEqual({ ticks: first + 3600, isRestart: true });
  expect(at(clock, 0, 3_003_600, 80)).toEqual({ ticks: first + 7200, isRestart: false });
  expect(at(clock, 0, 3_003_600 - 2 * second, 120)).toEqual({ ticks: first + 10_800, isRestart: true });
  expect(at(clock, 0, 77, 160, true)).toEqual({ ticks: first + 14_400, isRestart: true });
});

test('packets that were delayed on the network keep their times', () => {
  const clock = open();
  const first = at(clock, 0, 0, 0).ticks;
  for (let i = 1; i <= 75; i++) {
    expect(at(clock, 0, i * 3600, 3000)).toEqual({ ticks: first + i * 3600, isRestart: false });
  }
});
