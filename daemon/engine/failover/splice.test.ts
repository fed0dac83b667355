import { expect, test } from 'bun:test';
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { parseVideoTag } from '../flv/tag.ts';
import { Splice } from './splice.ts';

const video = (timestamp: number, composition = 0, isKeyframe = false): FlvMessage => ({
  type: messageType.video,
  timestamp: timestamp >>> 0,
  payload: Uint8Array.of(isKeyframe ? 0x17 : 0x27, 1, 0, composition >> 8, composition & 255, 0xff),
});
const audio = (timestamp: number): FlvMessage => ({
  type: messageType.audio,
  timestamp: timestamp >>> 0,
  payload: Uint8Array.of(0xaf, 1, 0xff),
});

/** Timestamps sent, by message type. */
function recorder(splice: Splice) {
  const out = { [messageType.video]: [] as number[], [messageType.audio]: [] as number[] };
  const keep = (message: FlvMessage | undefined) => {
    if (message) out[message.type as 8 | 9].push(message.timestamp);
  };
  return { out, send: (message: FlvMessage, now: number) => keep(splice.map(message, now)), keep };
}

const isGrowing = (list: readonly number[]) => list.every((at, i) => i === 0 || at > (list[i - 1] as number));

test('the next source continues at the current clock', () => {
  const splice = new Splice();
  const { out, send } = recorder(splice);
  splice.cut(5000, 0);
  for (let at = 0; at <= 400; at += 40) send(video(5000 + at), at);
  // 300 ms without data.
  splice.cut(900_000, 700);
  for (let at = 700; at <= 900; at += 40) send(video(900_000 + at - 700), at);
  expect(out[9]).toEqual([0, 40, 80, 120, 160, 200, 240, 280, 320, 360, 400, 700, 740, 780, 820, 860, 900]);
});

test('a buffered group fills the missing time, and nothing is late afterwards', () => {
  const splice = new Splice();
  const { out, send, keep } = recorder(splice);
  splice.cut(0, 0);
  for (let at = 0; at <= 400; at += 40) {
    send(video(at), at);
    send(audio(at + 10), at);
  }
  const held = Array.from({ length: 46 }, (_, i) => [
    video(70_000 + i * 40, 80, i === 0),
    audio(70_005 + i * 40),
  ]).flat();
  const shown = splice.catchUp(held, 700);
  for (const message of shown) keep(message);
  expect(out[9].slice(-46)[0]).toBe(401);
  expect(out[9].at(-1)).toBe(700);
  expect(isGrowing(out[9])).toBe(true);
  expect(isGrowing(out[8])).toBe(true);
  // Composition times shrink with the interval between pictures.
  const composed = shown
    .filter(({ type }) => type === messageType.video)
    .map((m) => parseVideoTag(m.payload)!.compositionMs);
  expect(Math.max(...composed)).toBeLessThan(20);
  send(video(70_000 + 46 * 40, 80), 740);
  expect(out[9].at(-1)).toBe(740);
  expect(out[8].at(-1)! - out[9].at(-2)!).toBeLessThanOrEqual(5);
});

test('a group that is short enough keeps its pace', () => {
  const splice = new Splice();
  const { out, send, keep } = recorder(splice);
  splice.cut(0, 0);
  send(video(0), 0);
  for (const message of splice.catchUp([video(500, 0, true), video(540), video(580)], 1000)) keep(message);
  expect(out[9]).toEqual([0, 920, 960, 1000]);
});

test('a channel that starts shows the buffered group unchanged', () => {
  const splice = new Splice();
  const { out, keep } = recorder(splice);
  for (const message of splice.catchUp([video(500, 0, true), video(540), audio(541)], 1000)) keep(message);
  expect(out[9].map((at) => at - out[9][0]!)).toEqual([0, 40]);
});

test('audio from before the cut is dropped', () => {
  const splice = new Splice();
  const { out, send } = recorder(splice);
  splice.cut(0, 0);
  send(video(0), 0);
  send(audio(300), 0);
  splice.cut(8000, 100);
  for (const at of [7900, 8100, 8250]) send(audio(at), 100);
  send(video(8000), 100);
  expect(out[8]).toEqual([300, 350]);
  expect(out[9]).toEqual([0, 100]);
});

test('a timestamp that wraps continues', () => {
  const splice = new Splice();
  const { out, send } = recorder(splice);
  splice.cut(0xffff_ffd8, 0);
  for (let i = 0; i < 4; i++) send(video(0xffff_ffd8 + i * 40), i * 40);
  expect(out[9]).toEqual([0, 40, 80, 120]);
});
