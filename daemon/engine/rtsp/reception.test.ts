import { expect, test } from 'bun:test';
import { Reception } from './reception.ts';

const clockRate = 90_000;
const lateMs = 200;

interface Packet {
  readonly sequence: number;
  readonly stamp?: number;
  readonly source?: number;
}
function rtp({ sequence, stamp = 0, source = 7 }: Packet): Uint8Array {
  const bytes = Buffer.alloc(20);
  bytes[0] = 0x80;
  bytes.writeUInt16BE(sequence & 0xffff, 2);
  bytes.writeUInt32BE(stamp >>> 0, 4);
  bytes.writeUInt32BE(source, 8);
  return bytes;
}

function setUp(first = 100) {
  const reception = new Reception([clockRate], lateMs);
  let now = 1000;
  const send = (...offsets: number[]) => {
    for (const offset of offsets) reception.packet(0, rtp({ sequence: first + offset }), now);
  };
  return {
    ...{ reception, send },
    wait: (ms: number) => {
      now += ms;
    },
    report: () => reception.report(now),
  };
}

test('packets in order are neither lost nor late, also across the wrap of the numbers', () => {
  const { send, report } = setUp(0xfffe);
  send(0, 1, 2, 3, 4);
  expect(report()).toEqual({ received: 5, lost: 0, reordered: 0, late: 0, jitterMs: 0 });
});

test('a missing packet counts as lost once it is too late, also across the wrap of the numbers', () => {
  const { send, report, wait } = setUp(0xfffd);
  send(0, 4);
  expect(report()).toMatchObject({ received: 2, lost: 0 });
  wait(lateMs);
  expect(report()).toMatchObject({ lost: 3 });
  send(5, 6);
  expect(report()).toMatchObject({ received: 4, lost: 3, reordered: 0 });
});

test('a packet that arrives in time is out of order, a duplicate or later one is late', () => {
  const { send, report, wait } = setUp();
  send(0, 2, 1, 2);
  expect(report()).toMatchObject({ received: 4, lost: 0, reordered: 1, late: 1 });
  send(5);
  wait(lateMs);
  send(3);
  expect(report()).toMatchObject({ received: 6, lost: 2, reordered: 1, late: 2 });
});

test('a sender that starts over lost nothing; one stray number does not count as one', () => {
  const { reception, send, report } = setUp();
  send(0, 1, 30_000, 2);
  expect(report()).toMatchObject({ received: 4, lost: 0, late: 0 });
  send(30_500, 30_501, 30_502);
  reception.packet(0, rtp({ sequence: 5, source: 8 }), 1000);
  reception.packet(0, rtp({ sequence: 6, source: 8 }), 1000);
  expect(report()).toMatchObject({ received: 9, lost: 0, reordered: 0, late: 0 });
});

test('the wait for missing packets is bounded', () => {
  const { send, report } = setUp();
  send(0);
  for (let at = 3000; at <= 12_000; at += 3000) send(at);
  // A run of missing packets is given up as a whole.
  expect(report().lost).toBe(3 * 2999);
});

test('with random loss and order, every packet is received, lost or late', () => {
  let state = 5;
  const random = (end: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  for (let round = 0; round < 30; round++) {
    const { send, report, wait } = setUp(random(65_536));
    const count = 5000;
    const sent = Array.from({ length: count }, (_, i) => i).filter((i) => i === 0 || i === count - 1 || random(50) > 0);
    // Moved a few places, except the first and the last one.
    const keyed = sent.map((i) => ({ i, key: i === 0 || i === count - 1 ? i : i + random(8) - 4 }));
    const order = keyed.toSorted((a, b) => a.key - b.key).map(({ i }) => i);
    const [first, rest] = [order.indexOf(0), order.filter((i) => i !== 0)];
    expect(first).toBeGreaterThanOrEqual(0);
    send(0);
    for (const offset of rest) send(offset);
    wait(lateMs);
    expect({ round, ...report() }).toMatchObject({ round, received: sent.length, lost: count - sent.length, late: 0 });
  }
});

test('jitter is that of pictures as they are shown: bursts and B pictures are none', () => {
  const reception = new Reception([clockRate, 0], lateMs);
  let sequence = 0;
  /** Three packets of each picture, 40 ms apart; two B pictures after each picture that they reference. */
  const send = (picture: number, shiftMs: number) => {
    const shown = picture === 0 ? 0 : picture % 3 === 1 ? picture + 2 : picture - 1;
    for (let i = 0; i < 3; i++) {
      reception.packet(0, rtp({ sequence: sequence++, stamp: shown * 3600 - 5000 }), 1000 + picture * 40 + i + shiftMs);
    }
  };
  for (let picture = 0; picture < 200; picture++) send(picture, 0);
  expect(reception.report(0).jitterMs).toBeLessThan(1);
  for (let picture = 200; picture < 400; picture++) send(picture, picture % 2 === 0 ? 12 : 0);
  expect(reception.report(0).jitterMs).toBeGreaterThan(8);
  reception.packet(1, rtp({ sequence: 1, stamp: 1 }), 0);
  reception.packet(1, rtp({ sequence: 2, stamp: 900_000 }), 0);
  expect(reception.report(0).received).toBe(1202);
});

test('what is too short for RTP, or of no track, is not counted', () => {
  const reception = new Reception([clockRate], lateMs);
  reception.packet(0, new Uint8Array(11), 0);
  reception.packet(1, rtp({ sequence: 1 }), 0);
  expect(reception.report(0).received).toBe(0);
});
