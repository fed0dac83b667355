import { afterEach, expect, mock, test } from 'bun:test';

type Handler = (event: string, data: unknown) => void;

/** The part of hls.js that the player uses; the last one made is `made`. */
class FakeHls {
  static readonly Events = { ERROR: 'error', LEVEL_UPDATED: 'level', MANIFEST_PARSED: 'manifest' };
  static readonly ErrorDetails = {};
  static isSupported = () => true;
  readonly latency = 0;
  readonly handlers = new Map<string, Handler>();
  on = (event: string, handler: Handler) => void this.handlers.set(event, handler);
  loadSource = () => {};
  attachMedia = () => {};
  destroy = () => {};
}
mock.module('hls.js', () => ({ default: FakeHls }));
const { startPlayer } = await import('./player.ts');

/** A video element whose buffer and position the test sets. */
class FakeVideo extends EventTarget {
  buffer: readonly (readonly [number, number])[] = [];
  currentTime = 0;
  seeking = false;
  paused = false;
  readonly readyState = 0;
  readonly HAVE_FUTURE_DATA = 3;
  play = async () => {};
  pause = () => {};
  get buffered() {
    const { buffer } = this;
    return { length: buffer.length, start: (at: number) => buffer[at]![0], end: (at: number) => buffer[at]![1] };
  }
  receive(...buffer: (readonly [number, number])[]): void {
    this.buffer = buffer;
    this.dispatchEvent(new Event('progress'));
  }
}

let close = () => {};
afterEach(() => close());

function begin() {
  const video = new FakeVideo();
  const states: string[] = [];
  const options = { video: video as unknown as HTMLVideoElement, channelId: 7, byParts: true };
  ({ close } = startPlayer({ ...options, onState: (state) => states.push(state) }));
  return { video, states };
}

test('playback starts within what has arrived, one second before its end', () => {
  const { video } = begin();
  video.receive();
  expect(video.currentTime).toBe(0);
  video.receive([100, 102.5]);
  expect(video.currentTime).toBe(101.5);
});

test('with less than a second it starts where the buffer does, and the newest range counts', () => {
  const { video } = begin();
  video.receive([10, 20], [100, 100.4]);
  expect(video.currentTime).toBe(100);
});

test('a position within the buffer is kept, and so is every position once the picture has moved', () => {
  const { video, states } = begin();
  video.currentTime = 101;
  video.receive([100, 102.5]);
  expect(video.currentTime).toBe(101);
  video.dispatchEvent(new Event('playing'));
  expect(states).toEqual(['playing']);
  video.receive([200, 202]);
  expect(video.currentTime).toBe(101);
});

test('a jump that is under way is not disturbed', () => {
  const { video } = begin();
  video.seeking = true;
  video.receive([100, 102.5]);
  expect(video.currentTime).toBe(0);
});
