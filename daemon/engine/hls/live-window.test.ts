import { expect, test } from 'bun:test';
import { clockRate } from '../mpegts/clock.ts';
import { LiveWindow, listedSegments } from './live-window.ts';
import { playlistOf } from './playlist.ts';
import type { Delivery, SegmentStart } from './segmenter.ts';

const start: SegmentStart = {
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  isDiscontinuous: false,
  isIndependent: true,
  isRemainder: false,
};

function add(window: LiveWindow, seconds: number, change: Partial<SegmentStart> & { bytes?: number } = {}): void {
  const { bytes = 100, ...rest } = change;
  window.begin({ ...start, ...rest });
  const half = { ticks: (seconds / 2) * clockRate, chunks: [new Uint8Array(bytes / 2)] };
  window.add({ ...half, isIndependent: true });
  window.add({ ...half, isIndependent: false });
  window.end();
}

const lines = (window: LiveWindow, delivery: Delivery = 'parts') => playlistOf(window, delivery).trimEnd().split('\n');

test('a playlist lists segments, the newest parts and a hint for the next part', () => {
  const window = new LiveWindow();
  const first = window.newest + 1;
  add(window, 8);
  add(window, 0.8);
  window.begin(start);
  window.add({ ticks: 36_000, isIndependent: true, chunks: [new Uint8Array(188)] });
  const time = '#EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:05.000Z';
  expect(lines(window)).toEqual([
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-TARGETDURATION:8',
    '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=12.00000',
    '#EXT-X-PART-INF:PART-TARGET=4.00000',
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    '#EXT-X-DISCONTINUITY-SEQUENCE:0',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    time,
    `#EXT-X-PART:DURATION=4.00000,INDEPENDENT=YES,URI="${first}.0.ts"`,
    `#EXT-X-PART:DURATION=4.00000,URI="${first}.1.ts"`,
    '#EXTINF:8.00000,',
    `${first}.ts`,
    time,
    `#EXT-X-PART:DURATION=0.40000,INDEPENDENT=YES,URI="${first + 1}.0.ts"`,
    `#EXT-X-PART:DURATION=0.40000,URI="${first + 1}.1.ts"`,
    '#EXTINF:0.80000,',
    `${first + 1}.ts`,
    time,
    `#EXT-X-PART:DURATION=0.40000,INDEPENDENT=YES,URI="${first + 2}.0.ts"`,
    `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${first + 2}.1.ts"`,
  ]);
});

test('a playlist of whole segments contains no low-latency tags', () => {
  const window = new LiveWindow();
  const first = window.newest + 1;
  for (const seconds of [2, 1.6]) add(window, seconds);
  window.begin(start);
  window.add({ ticks: 36_000, isIndependent: true, chunks: [new Uint8Array(188)] });
  const time = '#EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:05.000Z';
  expect(lines(window, 'segments')).toEqual([
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-TARGETDURATION:2',
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    '#EXT-X-DISCONTINUITY-SEQUENCE:0',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    time,
    '#EXTINF:2.00000,',
    `${first}.ts`,
    time,
    '#EXTINF:1.60000,',
    `${first + 1}.ts`,
  ]);
});

test('a playlist of whole segments starts after the group that was cut for the first player of parts', () => {
  const window = new LiveWindow();
  const first = window.newest + 1;
  const numbers = (delivery: Delivery) => window.listed(delivery).map(({ number }) => number - first);
  add(window, 0.8);
  expect(numbers('segments')).toEqual([0]);
  add(window, 1.2, { isIndependent: false, isRemainder: true });
  expect([numbers('segments'), numbers('parts')]).toEqual([[], [0, 1]]);
  for (let round = 0; round < 2; round++) add(window, 2);
  expect([numbers('segments'), numbers('parts')]).toEqual([
    [2, 3],
    [0, 1, 2, 3],
  ]);
  expect(lines(window, 'segments')).toContain(`#EXT-X-MEDIA-SEQUENCE:${first + 2}`);
  expect(lines(window, 'segments')).toContain('#EXT-X-INDEPENDENT-SEGMENTS');
});

test('the first segment suits the viewer that needs it soonest, until it exists', () => {
  const window = new LiveWindow();
  window.ask('segments');
  expect(window.awaited).toBe('segments');
  window.ask('parts');
  window.ask('segments');
  expect(window.awaited).toBe('parts');
  add(window, 2);
  expect(window.awaited).toBeUndefined();
  window.clear();
  expect(window.awaited).toBe('segments');
});

test('older segments leave the playlist, remain for a while for late players, then go; numbers only rise', () => {
  const window = new LiveWindow();
  const first = window.newest + 1;
  for (let round = 0; round < 20; round++) add(window, 2);
  expect(window.listed('parts').map(({ number }) => number)).toEqual([14, 15, 16, 17, 18, 19].map((at) => first + at));
  expect(window.listed('parts')).toHaveLength(listedSegments);
  expect(window.body(first + 10, undefined)?.size).toBe(100);
  expect(window.body(first + 9, undefined)).toBeUndefined();
  window.clear();
  add(window, 2);
  expect(window.listed('parts').map(({ number }) => number)).toEqual([first + 20]);
});

test('only the newest segments list parts, and no discontinuity is counted twice', () => {
  const window = new LiveWindow();
  add(window, 2);
  add(window, 2, { isDiscontinuous: true });
  for (let round = 0; round < 4; round++) add(window, 2);
  const sequence = () => lines(window).find((line) => line.startsWith('#EXT-X-DISCONTINUITY-SEQUENCE'));
  const marks = () => lines(window).filter((line) => line === '#EXT-X-DISCONTINUITY').length;
  expect([sequence(), marks()]).toEqual(['#EXT-X-DISCONTINUITY-SEQUENCE:0', 1]);
  expect(lines(window).filter((line) => line.startsWith('#EXT-X-PART:'))).toHaveLength(6);
  add(window, 2);
  expect([sequence(), marks()]).toEqual(['#EXT-X-DISCONTINUITY-SEQUENCE:0', 1]);
  add(window, 2);
  expect([sequence(), marks()]).toEqual(['#EXT-X-DISCONTINUITY-SEQUENCE:1', 0]);
});

test('a segment that a decoder cannot start with removes the tag for independent segments', () => {
  const window = new LiveWindow();
  add(window, 2);
  expect(lines(window)).toContain('#EXT-X-INDEPENDENT-SEGMENTS');
  add(window, 10, { isIndependent: false });
  expect(lines(window)).not.toContain('#EXT-X-INDEPENDENT-SEGMENTS');
});

test('a high bitrate shortens the window, to three segments at least', () => {
  const window = new LiveWindow();
  for (let round = 0; round < 8; round++) add(window, 2, { bytes: 30 << 20 });
  expect(window.listed('parts')).toHaveLength(3);
});

test('the parts add up to the segment, while it is filled and afterwards', async () => {
  const window = new LiveWindow();
  const number = window.newest + 1;
  window.begin(start);
  const contents = [1, 2, 3].map((value) => new Uint8Array(188).fill(value));
  for (const bytes of contents) window.add({ ticks: 36_000, isIndependent: false, chunks: [bytes] });
  const parts = () => Promise.all([0, 1, 2].map((part) => window.body(number, part)!.bytes()));
  const before = Buffer.concat(await parts());
  window.end();
  const whole = await window.body(number, undefined)!.bytes();
  expect(before.equals(Buffer.concat(contents))).toBe(true);
  expect(before.equals(whole)).toBe(true);
  expect(before.equals(Buffer.concat(await parts()))).toBe(true);
});

test('a request that waits for a part ends when the part exists or the timeout passes', async () => {
  const window = new LiveWindow();
  const number = window.newest + 1;
  expect(await window.until(() => window.hasReached(number, 0), 5)).toBe(false);
  const waiting = window.until(() => window.hasReached(number, 0), 5000);
  window.begin(start);
  window.add({ ticks: 36_000, isIndependent: true, chunks: [] });
  expect(await waiting).toBe(true);
  expect(window.hasReached(number, undefined)).toBe(false);
  window.end();
  expect(window.hasReached(number, undefined)).toBe(true);
});

test('numbers start at the clock, so that they keep rising when the engine restarts', () => {
  expect(Math.abs(new LiveWindow().newest - Date.now() / 1000)).toBeLessThan(3);
});
