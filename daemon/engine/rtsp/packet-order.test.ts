import { expect, test } from 'bun:test';
import { PacketOrder } from './packet-order.ts';

function rtp(sequence: number, source = 7): Uint8Array {
  const bytes = Buffer.alloc(13, 1);
  bytes[0] = 0x80;
  bytes.writeUInt16BE(sequence & 0xffff, 2);
  bytes.writeUInt32BE(source, 8);
  return bytes;
}

function setUp(lateMs: number) {
  const passed: string[] = [];
  const order = new PacketOrder({
    lateMs,
    onPacket: ({ sequence }, isAfterLoss) => passed.push(`${isAfterLoss ? '!' : ''}${sequence}`),
  });
  return {
    passed,
    take(now: number, ...sequences: number[]) {
      for (const sequence of sequences) order.take(rtp(sequence), now);
    },
    of: (now: number, sequence: number, source: number) => order.take(rtp(sequence, source), now),
  };
}

test('packets pass in the order of their numbers, also across the wrap, and each at most once', () => {
  const { passed, take } = setUp(100);
  take(0, 65_534, 0, 1, 65_535, 65_535, 3, 3, 2, 1);
  expect(passed).toEqual(['65534', '65535', '0', '1', '2', '3']);
});

test('a missing packet is awaited for as long as it may be late', () => {
  const { passed, take } = setUp(100);
  take(0, 10, 12, 13);
  take(99, 16);
  expect(passed).toEqual(['10']);
  take(100, 17);
  expect(passed).toEqual(['10', '!12', '13']);
  take(110, 11, 15);
  take(199, 18);
  expect(passed).toEqual(['10', '!12', '13', '!15', '16', '17', '18']);
});

test('on an ordered transport, a missing packet counts as lost at once', () => {
  const { passed, take } = setUp(0);
  take(0, 10, 12, 13, 11, 14);
  expect(passed).toEqual(['10', '!12', '13', '14']);
});

test('another sender, or a jump of the numbers, starts over; one stray number does not', () => {
  const { passed, take, of } = setUp(100);
  take(0, 10, 30_000, 11);
  of(0, 500, 8);
  of(0, 501, 8);
  of(0, 40_000, 8);
  of(0, 40_001, 8);
  of(0, 40_002, 8);
  expect(passed).toEqual(['10', '11', '!500', '501', '!40001', '40002']);
});

test('packets that are not RTP are dropped', () => {
  const order = new PacketOrder({ lateMs: 0, onPacket: () => expect.unreachable() });
  for (const bytes of [
    [],
    [0x80],
    Array(12).fill(0),
    [0x8f, ...Array(12).fill(0)],
    [0xa0, ...Array(10).fill(0), 1, 255],
  ]) {
    order.take(Uint8Array.from(bytes), 0);
  }
});
