import { expect, test } from 'bun:test';
import { encodeAmf } from '../flv/amf0.ts';
import { type FlvMessage, type FlvUnit, messageType } from '../flv/flv-bus.ts';
import { ChunkReader } from './chunk-reader.ts';
import { playWire, pushWire, withHeaders } from './wire.ts';

const message = (type: FlvMessage['type'], timestamp: number, ...bytes: number[]): FlvMessage => ({
  type,
  timestamp,
  payload: Uint8Array.from(bytes),
});
const metadata: FlvMessage = { type: 18, timestamp: 0, payload: encodeAmf('onMetaData', { width: 1 }) };
const unitOf = (...messages: FlvMessage[]): FlvUnit => ({ bytes: 1, entryPoint: true, messages });

function decode(wire: Uint8Array): [type: number, streamId: number, timestamp: number, payload: Buffer][] {
  const seen: [number, number, number, Buffer][] = [];
  const reader = new ChunkReader((...one) => seen.push([one[0], one[1], one[2], Buffer.from(one[3])]), 1 << 20);
  reader.feed(Buffer.from(wire));
  return seen;
}

test('the bytes of a unit are built once and shared by players and by pushes with the same stream id', () => {
  const unit = unitOf(message(9, 1, 0x17, 1), message(8, 2, 0xaf, 1));
  expect(playWire(unit)).toBe(playWire(unit));
  expect(pushWire(unit, 1)).toBe(playWire(unit));
  expect(decode(playWire(unit)).map(([type, id, at]) => [type, id, at])).toEqual([
    [9, 1, 1],
    [8, 1, 2],
  ]);
});

test('only the bytes of the last unit are kept', () => {
  const [first, second] = [unitOf(message(9, 1, 0x17, 1)), unitOf(message(9, 2, 0x17, 1))];
  const [play, push] = [playWire(first), pushWire(first, 5)];
  expect([playWire(first), pushWire(first, 5)]).toEqual([play, push]);
  expect(pushWire(first, 5)).toBe(push);
  playWire(second);
  expect(playWire(first)).not.toBe(play);
  expect(playWire(first)).toEqual(play);
  expect(pushWire(first, 5)).not.toBe(push);
});

test('a push on another stream has its own bytes, also built once', () => {
  const unit = unitOf(message(9, 1, 0x17, 1));
  expect(pushWire(unit, 5)).toBe(pushWire(unit, 5));
  expect(decode(pushWire(unit, 5))[0]?.[1]).toBe(5);
});

test('metadata goes to a server with @setDataFrame, to players without it', () => {
  const unit = unitOf(metadata);
  const plain = Buffer.from(metadata.payload);
  expect(decode(playWire(unit))[0]?.[3]).toEqual(plain);
  expect(decode(pushWire(unit, 1))[0]?.[3]).toEqual(Buffer.concat([encodeAmf('@setDataFrame'), plain]));
});

test('headers precede a unit at its time, those that it was encoded with before the latest ones', () => {
  const [oldVideo, newVideo, audio] = [message(9, 0, 1), message(9, 50, 2), message(8, 0, 3)];
  const latest = { metadata, video: newVideo, audio };
  const unit = { ...unitOf(message(9, 77, 9)), headers: { metadata, video: oldVideo, audio } };
  const summary = ({ messages }: FlvUnit) =>
    messages.map(({ type, timestamp, payload }) => [type, timestamp, payload.at(-1)]);
  expect(summary(withHeaders(unit, latest))).toEqual([
    [messageType.data, 0, 9],
    [9, 77, 1],
    [8, 77, 3],
    [9, 77, 9],
  ]);
  expect(summary(withHeaders(unitOf(message(9, 77, 9)), latest))[1]).toEqual([9, 77, 2]);
});
