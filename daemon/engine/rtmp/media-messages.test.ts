import { expect, test } from 'bun:test';
import { createFakeClock } from '../bus/fake-clock-for-test.ts';
import { encodeAmf } from '../flv/amf0.ts';
import { createFlvBus, type FlvMessage } from '../flv/flv-bus.ts';
import { createFlvSink, type FlvSink } from '../flv/flv-sink.ts';
import { Writer } from '../net/socket-writer.ts';
import { BusFeed } from './bus-feed.ts';
import { MediaMessages } from './media-messages.ts';
import { messageTypeId, ProtocolError } from './protocol.ts';
import { playWire } from './wire.ts';

function createBench() {
  const seen: FlvMessage[] = [];
  const events: string[] = [];
  const sink: FlvSink = {
    message: (message) => seen.push(message),
    flush: () => events.push('flush'),
    close: (reason) => events.push(`close ${reason}`),
  };
  const clock = createFakeClock();
  const messages = new MediaMessages(sink, (reason) => events.push(reason), clock);
  /** One read from the socket. */
  const read = (...types: number[]) => {
    for (const type of types)
      messages.message(type, 0, type === messageTypeId.data ? encodeAmf('cue') : Uint8Array.of(1));
    messages.flush();
  };
  return { messages, seen, events, clock, read };
}

const { audio, video } = messageTypeId;

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

test('the first audio after a picture waits for the next message, for at most 25 ms', () => {
  const { events, clock, read } = createBench();
  read(video);
  expect(events).toHaveLength(1);
  read(audio);
  // A read that completes no message.
  read();
  clock.pass(24);
  expect(events).toHaveLength(1);
  read(video);
  expect(events).toHaveLength(2);
  read(audio);
  read(audio);
  expect(events).toHaveLength(3);
  read(video);
  read(audio);
  clock.pass(25);
  expect(events).toHaveLength(5);
  clock.pass(1000);
  expect(events).toHaveLength(5);
});

test('audio without pictures does not wait, nor do pictures and data', () => {
  const { events, read } = createBench();
  read(audio);
  read(audio);
  read(video, audio);
  read(video);
  read(messageTypeId.data);
  read(audio);
  expect(events).toHaveLength(6);
});

test('a player gets audio and the next picture in one write', () => {
  const bus = createFlvBus();
  const messages = new MediaMessages(createFlvSink(bus), undefined, createFakeClock());
  const writes = [0, 0, 0];
  for (const [i] of writes.entries()) {
    const write = (_data: Uint8Array, _offset: number, length: number) => {
      writes[i]! += 1;
      return length;
    };
    new BusFeed(bus, new Writer({ write }), playWire);
  }
  const sound = Uint8Array.of(0xaf, 1, 3);
  const picture = (first: number) => Uint8Array.of(first, 1, 0, 0, 0, 1);
  messages.message(video, 0, picture(0x17));
  messages.flush();
  for (let time = 40; time <= 400; time += 40) {
    messages.message(audio, time - 20, sound);
    messages.flush();
    messages.message(video, time, picture(0x27));
    messages.flush();
  }
  expect(writes).toEqual([11, 11, 11]);
});

test('it closes once and flushes no more after that', () => {
  const { messages, events, clock, read } = createBench();
  read(video);
  read(audio);
  messages.close('one');
  messages.close('two');
  read(video);
  clock.pass(1000);
  expect(events).toEqual(['flush', 'close one']);
});
