import { expect, test } from 'bun:test';
import { type FlvMessage, messageType } from './flv-bus.ts';
import { SentHeaders } from './sent-headers.ts';

const message = (type: FlvMessage['type'], ...bytes: number[]): FlvMessage => ({
  type,
  timestamp: 0,
  payload: Uint8Array.from(bytes),
});
const avc = (seed: number) => message(messageType.video, 0x17, 0, 0, 0, 0, seed);
const aac = (seed: number) => message(messageType.audio, 0xaf, 0, seed);
/** An extended header of HEVC, alone or of one of several tracks. */
const hevc = (seed: number) => message(messageType.video, 0x90, ...Buffer.from('hvc1'), seed);
const track = (number: number, seed: number) =>
  message(messageType.video, 0x96, 0x00, ...Buffer.from('hvc1'), number, seed);

test('a header is sent once, and again after a different one', () => {
  const headers = new SentHeaders();
  const seen = [avc(1), aac(1), avc(1), aac(1), avc(2), avc(1), hevc(1), avc(1)].map((each) => headers.tell(each));
  expect(seen).toEqual([false, false, true, true, false, false, false, false]);
});

test('each track has a header of its own', () => {
  const headers = new SentHeaders();
  const seen = [hevc(1), track(1, 1), track(2, 1), hevc(1), track(1, 1), track(2, 2)].map((each) => headers.tell(each));
  expect(seen).toEqual([false, false, false, true, true, false]);
});

test('a header is sent again after frames of a codec without headers', () => {
  const headers = new SentHeaders();
  headers.tell(aac(1));
  headers.tell(avc(1));
  headers.forget(messageType.audio);
  expect([headers.tell(aac(1)), headers.tell(avc(1))]).toEqual([false, true]);
});

test('tracks beyond the limit of a publisher are sent each time', () => {
  const headers = new SentHeaders();
  for (let number = 0; number < 256; number++) headers.tell(track(number, 1));
  expect(headers.tell(track(3, 1))).toBe(true);
  expect(headers.tell(track(255, 1))).toBe(false);
});
