import { expect, test } from 'bun:test';
import { noTime } from '../../../native/ndi/layout.ts';
import { MediaClock } from './media-clock.ts';

const ms = 10_000;
/** Of the first frame. */
const lead = 1000 * ms;
const started = 17_000_000_000_000_000n;
const video = 40 * ms;
const audio = 20 * ms;

/** Frames whose sender stamps them; `at` in milliseconds. */
function clockWith(stamp: 'timestamp' | 'timecode' | 'arrival' = 'timestamp') {
  const clock = new MediaClock();
  return (kind: 'video' | 'audio', at: number, duration = kind === 'video' ? video : audio) => {
    const times = { timecode: noTime, timestamp: noTime, arrival: 0n, duration };
    return clock.next(kind, { ...times, [stamp]: started + BigInt(Math.round(at * ms)) }) - lead;
  };
}

test.each(['timestamp', 'timecode', 'arrival'] as const)('frames are placed by their %s', (stamp) => {
  const next = clockWith(stamp);
  expect(next('video', 0)).toBe(0);
  expect(next('audio', -10)).toBe(-10 * ms);
  expect(next('video', 40)).toBe(40 * ms);
});

test('slightly uneven timestamps leave no gaps', () => {
  const next = clockWith();
  const uneven = [0, 21, 38, 62, 79, 103, 118];
  expect(uneven.map((at) => next('audio', at))).toEqual([0, 20, 40, 60, 80, 100, 120].map((at) => at * ms));
  expect([0, 47, 75, 126].map((at) => next('video', at))).toEqual([0, 40, 80, 120].map((at) => at * ms));
});

test('audio whose clock drifts stays within 25 ms of its timestamps', () => {
  const next = clockWith();
  // 200 ppm, for ten minutes.
  for (let at = 0; at < 600_000; at += 20) {
    const given = at * 1.0002;
    expect(Math.abs(next('audio', given) / ms - given)).toBeLessThan(25);
    // Without pictures, the clock would see no other stream to compare with.
    if (at % 40 === 0) next('video', given);
  }
});

test('lost frames leave a gap', () => {
  const next = clockWith();
  next('video', 0);
  next('audio', 0);
  expect(next('video', 120)).toBe(120 * ms);
  expect(next('audio', 200)).toBe(200 * ms);
});

test('video frames that arrive at a lower rate than announced keep their times', () => {
  const next = clockWith();
  const times = [0, 100, 200, 300];
  expect(times.map((at) => next('video', at))).toEqual(times.map((at) => at * ms));
});

test('a pause of the source, or a clock that is set, leaves no gap, and video and audio stay together', () => {
  const next = clockWith();
  next('video', 0);
  next('audio', 0);
  expect(next('video', 60_000)).toBe(40 * ms);
  expect(next('audio', 60_010)).toBe(50 * ms);
  expect(next('video', 1000)).toBe(80 * ms);
  expect(next('audio', 990)).toBe(70 * ms);
});

test('the times of frames always increase', () => {
  const next = clockWith();
  const times = [0, 300, 100, 120, 140].map((at) => next('audio', at));
  expect(times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0))).toBe(true);
});
