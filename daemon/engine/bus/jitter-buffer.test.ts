import { describe, expect, test } from 'bun:test';
import { messageType } from '../flv/flv-bus.ts';
import { createFlvJitterBuffer } from '../flv/flv-jitter-buffer.ts';
import { createTsJitterBuffer } from '../mpegts/ts-jitter-buffer.ts';
import { createFakeClock } from './fake-clock-for-test.ts';
import { JitterBuffer } from './jitter-buffer.ts';

const stepMs = 40;

function setUp(delayMs: number) {
  const clock = createFakeClock();
  const out: { number: number; at: number }[] = [];
  let flushes = 0;
  const jitterBuffer = new JitterBuffer<number>({
    delayMs,
    clock,
    emit: (number) => out.push({ number, at: clock.now() }),
    flush: () => flushes++,
  });
  const startedAt = clock.now();
  return {
    ...{ clock, jitterBuffer, out, startedAt },
    flushes: () => flushes,
    /** Writes the nth item of a stream with one item each `stepMs`. */
    come(number: number, bytes = 1) {
      jitterBuffer.write({ item: number, bytes, mediaMs: number * stepMs });
      jitterBuffer.run();
    },
    until: (ms: number) => clock.pass(startedAt + ms - clock.now()),
  };
}

/** Deterministic, from 0 to `end` (exclusive). */
const unevenly = (number: number, end: number) => (Math.imul(number + 1, 2654435761) >>> 8) % end;

describe('items that arrive unevenly', () => {
  test('leave evenly, with the delay added to the fastest arrival', () => {
    const { come, until, out, startedAt } = setUp(200);
    // Over a path that takes 0 to 150 ms.
    const sent = Array.from({ length: 500 }, (_, number) => ({ number, at: number * stepMs + unevenly(number, 150) }));
    for (const { number, at } of sent.toSorted((a, b) => a.at - b.at || a.number - b.number)) {
      until(at);
      come(number);
    }
    until(60_000);
    // After the fastest arrival is known.
    const settled = out.slice(20);
    const fastest = Math.min(...sent.map(({ number, at }) => at - number * stepMs));
    for (const { number, at } of settled) {
      expect(Math.abs(at - startedAt - (number * stepMs + fastest + 200))).toBeLessThanOrEqual(10);
    }
    expect(settled.map(({ number }) => number).toSorted((a, b) => a - b)).toHaveLength(480);
  });

  test('are held for at most the delay, however fast they arrive', () => {
    const { come, jitterBuffer, out, clock } = setUp(100);
    for (let number = 0; number < 100; number++) come(number);
    expect(jitterBuffer.heldMs).toBeLessThanOrEqual(100);
    expect(out.at(-1)?.number).toBeGreaterThanOrEqual(96);
    clock.pass(100);
    expect(out).toHaveLength(100);
  });

  test('pass at once when later than the delay, and the others keep their timing', () => {
    const { come, until, out, startedAt } = setUp(100);
    for (let number = 0; number < 50; number++) {
      // One of them takes 300 ms longer, and the items sent after it wait for it.
      const at = Math.max(number * stepMs, number >= 20 ? 20 * stepMs + 300 : 0);
      until(at);
      come(number);
    }
    until(10_000);
    const delays = out.map(({ number, at }) => at - startedAt - number * stepMs);
    expect(delays[20]).toBe(300);
    for (const number of [0, 19, 30, 49]) expect(delays[number]).toBe(100);
  });
});

test('after a pause the delay applies again', () => {
  const { come, until, out, startedAt } = setUp(100);
  come(0);
  // The stream's clock stood still during the pause.
  until(5000);
  come(1);
  until(5099);
  expect(out).toHaveLength(1);
  until(5101);
  expect(out.at(-1)).toEqual({ number: 1, at: startedAt + 5100 });
});

test('the buffer follows a sender whose clock is slower', () => {
  const { come, until, out, startedAt } = setUp(100);
  const slower = 1.002;
  for (let number = 0; number < 3000; number++) {
    until(number * stepMs * slower);
    come(number);
  }
  until(200_000);
  const held = out.slice(-250).map(({ number, at }) => at - startedAt - number * stepMs * slower);
  // The fastest arrival is at most three windows of 10 s old, and each window shifts it by 20 ms.
  expect(Math.min(...held)).toBeGreaterThanOrEqual(39);
});

test('at most 32 MiB are held', () => {
  const { come, out } = setUp(2000);
  for (let number = 0; number < 40; number++) come(number, 1 << 20);
  expect(out.length).toBeGreaterThanOrEqual(8);
});

test('a closed buffer emits nothing, and readers are woken once for all items that are due', () => {
  const { come, jitterBuffer, out, clock, flushes } = setUp(100);
  come(0);
  come(1);
  clock.pass(140);
  expect({ out: out.length, flushes: flushes() }).toEqual({ out: 2, flushes: 2 });
  come(5);
  jitterBuffer.close();
  come(6);
  clock.pass(1000);
  expect(out).toHaveLength(2);
});

test('a transport stream is paced by its clock; packets before the first clock reference pass at once', () => {
  const clock = createFakeClock();
  const out: { bytes: number; at: number }[] = [];
  const jitterBuffer = createTsJitterBuffer({
    delayMs: 100,
    clock,
    emit: ({ length: bytes }) => out.push({ bytes, at: clock.now() }),
  });
  const startedAt = clock.now();
  const packet = (pcrMs?: number) => {
    const bytes = Buffer.alloc(188, 0xff);
    bytes.set([0x47, 1, 0, pcrMs === undefined ? 0x10 : 0x30]);
    if (pcrMs === undefined) return bytes;
    bytes.set([7, 0x10], 4);
    bytes.writeUInt32BE(pcrMs * 45, 6);
    bytes.set([0, 0], 10);
    return bytes;
  };
  jitterBuffer.write(packet());
  jitterBuffer.write(Buffer.concat([packet(1000), packet(), packet()]));
  clock.pass(70);
  // 30 ms late.
  jitterBuffer.write(Buffer.concat([packet(1040), packet()]));
  expect(jitterBuffer.heldMs).toBe(40);
  clock.pass(1000);
  expect(out).toEqual([
    { bytes: 188, at: startedAt },
    { bytes: 3 * 188, at: startedAt + 100 },
    { bytes: 2 * 188, at: startedAt + 140 },
  ]);
});

describe('an RTMP stream', () => {
  const inter = Uint8Array.of(0x27, 1, 0, 0, 0, 0, 0, 0, 1, 2);
  const header = Uint8Array.of(0x17, 0, 0, 0, 0, 1);

  function run(timestamps: readonly { readonly stamp: number; readonly payload?: Uint8Array; readonly at: number }[]) {
    const clock = createFakeClock();
    const startedAt = clock.now();
    const out: number[] = [];
    const sink = { message: () => out.push(clock.now() - startedAt), flush: () => {}, close: () => {} };
    const jitterBuffer = createFlvJitterBuffer(100, sink, clock);
    for (const { stamp, payload = inter, at } of timestamps) {
      clock.pass(startedAt + at - clock.now());
      jitterBuffer.message({ type: messageType.video, timestamp: stamp, payload });
      jitterBuffer.flush();
    }
    clock.pass(10_000);
    return out;
  }

  test('follows its timestamps, across their wrap and across a jump', () => {
    const begin = 0xffff_ffd8;
    const frames = [
      { stamp: begin, at: 0 },
      { stamp: 0, at: 60 },
      { stamp: 40, at: 80 },
      { stamp: 500_000, at: 120 },
      { stamp: 500_040, at: 190 },
    ];
    expect(run(frames)).toEqual([100, 140, 180, 220, 260]);
  });

  test('ignores a sequence header with a timestamp of its own', () => {
    expect(
      run([
        { stamp: 8000, at: 0 },
        { stamp: 0, payload: header, at: 30 },
        { stamp: 8040, at: 40 },
      ]),
    ).toEqual([100, 100, 140]);
  });
});
