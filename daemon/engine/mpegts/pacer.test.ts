import { describe, expect, test } from 'bun:test';
import { spaced, spacings } from '../../../tests/support/spaced-packets.ts';
import { createFakeClock } from '../bus/fake-clock-for-test.ts';
import { pcrOf, pcrWrapMs } from './clock.ts';
import { TsPacer } from './pacer.ts';
import { packetSize } from './packet.ts';

/** A numbered packet, with a clock reference if `pcrMs` is given. */
function packet(number: number, pcrMs?: number, pid = 256): Uint8Array {
  const data = Buffer.alloc(packetSize, 0xff);
  data.set([0x47, pid >> 8, pid & 0xff, pcrMs === undefined ? 0x10 : 0x30]);
  if (pcrMs !== undefined) {
    const ticks = BigInt(Math.round((pcrMs % pcrWrapMs) * 90));
    data.set([7, 0x10], 4);
    data.writeUInt32BE(Number(ticks >> 1n), 6);
    data[10] = Number(ticks & 1n) << 7;
    data[11] = 0;
  }
  data[12] = number;
  return data;
}

function setUp(delayMs: number) {
  const clock = createFakeClock();
  const { pass, now } = clock;
  const out: { number: number; at: number }[] = [];
  const pacer = new TsPacer({
    delayMs,
    clock,
    emit(bytes) {
      for (let at = 0; at < bytes.length; at += packetSize) out.push({ number: bytes[at + 12] ?? -1, at: now() });
    },
  });
  const times = () => out.map(({ at }) => Math.round(at - (out[0]?.at ?? 0)));
  return { pacer, out, pass, times };
}

test('a clock reference survives a round trip', () => {
  for (const ms of [0, 1, 40, 12_345_678.9, pcrWrapMs - 1]) expect(pcrOf(packet(0, ms), 0)).toBeCloseTo(ms, 1);
  expect(pcrOf(packet(0), 0)).toBeUndefined();
});

describe('a pacer', () => {
  test('spreads a burst over its own duration, after the delay', () => {
    const { pacer, out, pass, times } = setUp(200);
    pacer.write(Buffer.concat([packet(0, 5000), packet(1), packet(2, 5040), packet(3), packet(4, 5080)]));
    pass(150);
    expect(out).toHaveLength(0);
    pass(500);
    expect(out.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4]);
    expect(times()).toEqual([0, 0, 40, 40, 80]);
  });

  for (const spacing of spacings) {
    test(`follows the clock of packets ${spacing} bytes apart, and passes every byte`, () => {
      const clock = createFakeClock();
      const pieces: { readonly bytes: Uint8Array; readonly at: number }[] = [];
      const pacer = new TsPacer({ delayMs: 0, clock, emit: (bytes) => pieces.push({ bytes, at: clock.now() }) });
      const bytes = spaced(Buffer.concat(Array.from({ length: 50 }, (_, i) => packet(i, i * 20))), spacing);
      for (let at = 0; at < bytes.length; at += 1000) pacer.write(bytes.subarray(at, at + 1000));
      clock.pass(2000);
      const passed = Buffer.concat(pieces.map((piece) => piece.bytes));
      expect(passed.equals(bytes.subarray(0, passed.length))).toBe(true);
      expect(passed.length).toBeGreaterThanOrEqual(49 * spacing);
      expect(pieces.at(-1)!.at - pieces[0]!.at).toBeWithin(45 * 20, 50 * 20);
    });
  }

  test('finds packets however the bytes are cut, and loses none', () => {
    const { pacer, out, pass } = setUp(0);
    const bytes = Buffer.concat(Array.from({ length: 50 }, (_, i) => packet(i, i * 20)));
    for (let at = 0; at < bytes.length; at += 37) pacer.write(bytes.subarray(at, at + 37));
    pass(2000);
    expect(out.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  test('continues evenly when the clock of the stream jumps or wraps', () => {
    for (const pcrs of [
      [1000, 1040, 900_000, 900_040],
      [900_000, 900_040, 10, 50],
      [pcrWrapMs - 60, pcrWrapMs - 20, 20, 60],
    ]) {
      const { pacer, pass, times } = setUp(0);
      pacer.write(Buffer.concat(pcrs.map((pcr, i) => packet(i, pcr))));
      pass(1000);
      expect(times()).toEqual([0, 40, 80, 120]);
    }
  });

  test('sends late packets at once, and buffers again after a pause', () => {
    const { pacer, pass, times } = setUp(100);
    pacer.write(packet(0, 0));
    pass(180);
    pacer.write(packet(1, 40));
    pass(0);
    expect(times()).toEqual([0, 80]);
    pass(3000);
    pacer.write(packet(2, 80));
    pass(200);
    expect(times()[2]).toBe(3180);
  });

  test('lets a stream without a clock pass', () => {
    const { pacer, out } = setUp(500);
    pacer.write(Buffer.concat([packet(0), packet(1)]));
    expect(out).toHaveLength(2);
  });

  test('follows another clock when the first one is gone', () => {
    const { pacer, out, pass, times } = setUp(0);
    pacer.write(packet(0, 1000, 256));
    pacer.write(Buffer.concat(Array.from({ length: 60 }, (_, i) => packet(1, 70_000 + i * 40, 300))));
    pass(2000);
    expect(out).toHaveLength(61);
    expect(times().at(-1)).toBeGreaterThan(300);
  });

  test('makes its writer wait while its buffer is full, and reports when it is empty', async () => {
    const { pacer, pass } = setUp(0);
    pacer.capacityMs = 1000;
    pacer.write(Buffer.concat(Array.from({ length: 100 }, (_, i) => packet(i, i * 20))));
    let [hasRoom, isDrained] = [false, false];
    const waiting = pacer.room().then(() => {
      hasRoom = true;
    });
    const draining = pacer.drained().then(() => {
      isDrained = true;
    });
    pass(500);
    await Promise.resolve();
    expect({ hasRoom, isDrained }).toEqual({ hasRoom: false, isDrained: false });
    pass(600);
    await waiting;
    expect(isDrained).toBe(false);
    pass(2000);
    await draining;
  });

  test('reduces a buffer that always holds more than the delay', () => {
    const { pacer, pass } = setUp(0);
    // Two seconds at once, then evenly, like a server that sends its buffered data first.
    let pcr = 0;
    const send = () => {
      pacer.write(packet(0, pcr));
      pcr += 40;
    };
    while (pcr < 2000) send();
    const before = pacer.heldMs;
    for (let i = 0; i < 25 * 120; i++) {
      send();
      pass(40);
    }
    expect(before).toBeGreaterThan(1500);
    expect(pacer.heldMs).toBeLessThan(1100);
    for (let i = 0; i < 25 * 120; i++) {
      send();
      pass(40);
    }
    expect(pacer.heldMs).toBeLessThan(500);
  });

  test('is silent once it is closed, and blocks no writer', async () => {
    const { pacer, out, pass } = setUp(1000);
    pacer.write(Buffer.concat([packet(0, 0), packet(1, 40)]));
    const drained = pacer.drained();
    pacer.close();
    pass(5000);
    await drained;
    expect(out).toHaveLength(0);
  });
});
