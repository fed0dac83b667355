import { expect, test } from 'bun:test';
import { createFakeClock } from '../bus/fake-clock-for-test.ts';
import { encodeAmf } from '../flv/amf0.ts';
import type { FlvMessage } from '../flv/flv-bus.ts';
import type { FlvSink } from '../flv/flv-sink.ts';
import { MediaMessages } from './media-messages.ts';
import { messageTypeId, ProtocolError } from './protocol.ts';
import { ReadBatching } from './read-batching.ts';

function createBench() {
  const seen: FlvMessage[] = [];
  const events: string[] = [];
  const sink: FlvSink = {
    message: (message) => seen.push(message),
    flush: () => events.push('flush'),
    close: (reason) => events.push(`close ${reason}`),
  };
  const marks: number[] = [];
  const batching = new ReadBatching((bytes) => marks.push(bytes), createFakeClock());
  const messages = new MediaMessages({ sink, batching, onDropped: (reason) => events.push(reason) });
  return { messages, seen, events, marks };
}

/** One part of an aggregate: FLV tag header, body, back pointer. */
function part(type: number, timestamp: number, ...body: number[]): Buffer {
  const bytes = Buffer.alloc(11 + body.length + 4);
  bytes[0] = type;
  bytes.writeUIntBE(body.length, 1, 3);
  bytes.writeUIntBE(timestamp & 0xffffff, 4, 3);
  bytes[7] = timestamp >>> 24;
  Buffer.from(body).copy(bytes, 11);
  return bytes;
}

test('media messages are passed on, others are not', () => {
  const { messages, seen } = createBench();
  messages.message(messageTypeId.video, 5, Uint8Array.of(1));
  messages.message(messageTypeId.audio, 6, Uint8Array.of(2));
  messages.message(19, 7, Uint8Array.of(3));
  expect(seen.map(({ type, timestamp }) => [type, timestamp])).toEqual([
    [9, 5],
    [8, 6],
  ]);
});

test('an aggregate is split, with times relative to its own', () => {
  const { messages, seen } = createBench();
  const body = Buffer.concat([part(9, 0x1000000, 1), part(8, 0x1000010, 2, 2), part(9, 0x1000021, 3)]);
  messages.message(messageTypeId.aggregate, 500, body);
  expect(seen.map(({ type, timestamp, payload }) => [type, timestamp, payload.length])).toEqual([
    [9, 500, 1],
    [8, 516, 2],
    [9, 533, 1],
  ]);
  expect(seen[0]?.payload.buffer.byteLength).toBe(1);
});

test('a truncated aggregate ends the connection', () => {
  const { messages } = createBench();
  const body = part(9, 0, 1, 2, 3, 4, 5, 6, 7, 8).subarray(0, 14);
  expect(() => messages.message(messageTypeId.aggregate, 0, body)).toThrow(ProtocolError);
});

test('AMF3 data is AMF0 after one byte', () => {
  const { messages, seen } = createBench();
  const body = encodeAmf('onMetaData', { width: 1 });
  messages.message(messageTypeId.dataAmf3, 0, Buffer.concat([Buffer.of(0), body]));
  expect(seen[0]?.type).toBe(18);
  expect(Buffer.from(seen[0]?.payload ?? [])).toEqual(Buffer.from(body));
});

test.each([
  ['an AMF bomb', Buffer.from('03000161'.repeat(100), 'hex')],
  ['100 KB', new Uint8Array(100_000)],
  ['an array without an end', Buffer.from('08000000010001610100', 'hex')],
  ['a reference', Buffer.from('070001', 'hex')],
  ['a value of AMF3', Buffer.concat([encodeAmf('onXMPData'), Buffer.from('110a0b01', 'hex')])],
  ['a spare byte at its end', Buffer.concat([encodeAmf('onMetaData', { width: 1 }), Buffer.of(0xff)])],
])('a data message of %s is dropped, and the stream continues', (_, payload) => {
  const { messages, seen, events } = createBench();
  messages.message(messageTypeId.data, 0, payload);
  messages.message(messageTypeId.video, 5, Uint8Array.of(1));
  expect(seen.map(({ type }) => type)).toEqual([9]);
  expect(events).toHaveLength(1);
});

test('it closes once and flushes no more after that', () => {
  const { messages, events } = createBench();
  messages.flush(0);
  messages.close('one');
  messages.close('two');
  messages.flush(0);
  expect(events).toEqual(['flush', 'close one']);
});

test('after a picture more bytes are awaited than audio has, until the end', () => {
  const { messages, marks } = createBench();
  messages.message(messageTypeId.video, 0, new Uint8Array(1000));
  messages.flush(0);
  messages.flush(700);
  messages.close('over');
  messages.flush(700);
  expect(marks).toEqual([256, 700, 1]);
});
