import { expect, test } from 'bun:test';
import { encodeMessages, peerBandwidthMessage, uint32Message, userControlMessage } from './chunk-writer.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('a message gets a full header with its absolute timestamp', () => {
  const wire = encodeMessages([{ type: 9, timestamp: 0x010203, payload: Uint8Array.of(0xaa, 0xbb) }], 7);
  expect(hex(wire)).toBe('06 010203 000002 09 07000000 aabb'.replaceAll(' ', ''));
});

test('a message longer than a chunk is cut with one-byte headers', () => {
  const wire = encodeMessages([{ type: 8, timestamp: 1, payload: new Uint8Array(9).fill(0xee) }], 1, 4);
  expect(hex(wire)).toBe('04 000001 000009 08 01000000 eeeeeeee c4 eeeeeeee c4 ee'.replaceAll(' ', ''));
});

test('a message as long as its chunks has no empty chunk at the end', () => {
  const wire = encodeMessages([{ type: 8, timestamp: 1, payload: new Uint8Array(8).fill(0xee) }], 1, 4);
  expect(hex(wire)).toBe('04 000001 000008 08 01000000 eeeeeeee c4 eeeeeeee'.replaceAll(' ', ''));
});

test('a late timestamp is extended in every chunk', () => {
  const wire = encodeMessages([{ type: 9, timestamp: 0xffffff, payload: new Uint8Array(5).fill(0xee) }], 1, 4);
  expect(hex(wire)).toBe('06 ffffff 000005 09 01000000 00ffffff eeeeeeee c6 00ffffff ee'.replaceAll(' ', ''));
});

test('several messages share one buffer of exactly their size', () => {
  const one = { type: 8, timestamp: 5, payload: Uint8Array.of(1) };
  const wire = encodeMessages([one, one], 1);
  expect(wire.buffer.byteLength).toBe(26);
  expect(hex(wire.subarray(0, 13))).toBe(hex(wire.subarray(13)));
});

test('control messages travel on chunk stream 2 and message stream 0', () => {
  expect(hex(uint32Message(5, 5_000_000))).toBe('020000000000040500000000004c4b40');
  expect(hex(peerBandwidthMessage(5_000_000))).toBe('020000000000050600000000004c4b4002');
  expect(hex(userControlMessage(0, 1))).toBe('020000000000060400000000000000000001');
});
