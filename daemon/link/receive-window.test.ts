import { describe, expect, test } from 'bun:test';
import { createPair, readAll, toPort } from './core-rig-for-test.ts';
import { createReceiveWindow, largestWindow, type ReceivingStream } from './receive-window.ts';

const limits = { totalBytes: 32 << 20, streams: 256, initialBytes: 64 << 10 };
const stepMs = 5;

interface Line {
  readonly bytesPerMs: number;
  readonly rttMs: number;
}

/** Bulk streams whose readers read at once, over a line with this rate and round trip. Returns the bytes per ms. */
function transfer({ bytesPerMs, rttMs }: Line, streams: number, lastMs = 5000) {
  const window = createReceiveWindow(limits, 0);
  const all = Array.from({ length: streams }, (): ReceivingStream & { queue: [number, number][]; credit: number } => ({
    outstanding: limits.initialBytes,
    unread: 0,
    extra: 0,
    arrived: 0,
    queue: [],
    credit: limits.initialBytes,
  }));
  for (const stream of all) stream.credit += window.grant(stream, rttMs);
  let delivered = 0;
  for (let now = 0; now < lastMs; now += stepMs) {
    let room = bytesPerMs * stepMs;
    for (const stream of all) {
      while (stream.queue[0] !== undefined && stream.queue[0][0] <= now)
        stream.credit += stream.queue.shift()?.[1] ?? 0;
      const bytes = Math.min(stream.credit, (bytesPerMs * stepMs) / streams, room);
      if (bytes <= 0) continue;
      room -= bytes;
      stream.credit -= bytes;
      stream.outstanding -= bytes;
      window.arrived(stream, bytes, now);
      const credit = window.grant(stream, rttMs);
      if (credit > 0) stream.queue.push([now + rttMs, credit]);
      if (now > lastMs / 2) delivered += bytes;
    }
  }
  const windows = all.map(({ outstanding, unread }) => outstanding + unread);
  return { bytesPerMs: delivered / (lastMs / 2), windowSum: windows.reduce((sum, each) => sum + each, 0), window };
}

describe('the window', () => {
  test('grows until a long, fast line is used', () => {
    const line = { bytesPerMs: 100_000, rttMs: 50 };
    expect(transfer(line, 1).bytesPerMs).toBeGreaterThan(0.9 * line.bytesPerMs);
  });

  test('stays small on a slow line, so that others wait for little', () => {
    const line = { bytesPerMs: 2500, rttMs: 50 };
    const { bytesPerMs, windowSum } = transfer(line, 1);
    expect(bytesPerMs).toBeGreaterThan(0.9 * line.bytesPerMs);
    expect(windowSum).toBeLessThan(3 * line.bytesPerMs * line.rttMs);
  });

  test('is divided among the streams that use the line', () => {
    const line = { bytesPerMs: 20_000, rttMs: 50 };
    const { bytesPerMs, windowSum } = transfer(line, 8);
    expect(bytesPerMs).toBeGreaterThan(0.85 * line.bytesPerMs);
    expect(windowSum).toBeLessThan(3 * line.bytesPerMs * line.rttMs);
  });

  const make = (): ReceivingStream => ({ outstanding: 0, unread: 0, extra: 0, arrived: 0 });

  test('of a large stream is hardly affected by small ones', () => {
    const window = createReceiveWindow(limits, 0);
    const [large, small] = [make(), Array.from({ length: 20 }, make)];
    for (let now = 0; now < 1000; now += 10) {
      for (const stream of small) window.arrived(stream, 1000, now);
      window.arrived(large, 1_000_000, now);
      large.outstanding = 0;
      window.grant(large, 50);
    }
    expect(large.outstanding).toBeGreaterThan(10_000_000);
  });

  test('of a new stream starts with 256 KiB, whatever small requests or pauses there were before', () => {
    const window = createReceiveWindow(limits, 0);
    const small = make();
    small.outstanding = limits.initialBytes;
    window.grant(small, 50);
    for (let now = 5000; now < 60_000; now += 150) {
      window.arrived(small, 1000, now);
      small.outstanding -= 1000;
      window.grant(small, 50);
    }
    const large = make();
    window.grant(large, 50);
    expect(large.outstanding).toBe(256 << 10);
    window.arrived(large, 1000, 100_000);
    large.outstanding = 0;
    window.grant(large, 50);
    expect(large.outstanding).toBe(256 << 10);
  });

  test('never exceeds the largest, nor all together the total', () => {
    const { windowSum, window } = transfer({ bytesPerMs: 1_000_000, rttMs: 300 }, 1);
    expect(windowSum).toBeLessThanOrEqual(largestWindow);
    expect(window.committedBytes).toBeLessThanOrEqual(limits.totalBytes);
  });

  test('of every stream is used even if the two sides have different ones', () => {
    const pair = createPair({
      hub: { totalBytes: 1 << 20, streams: 2, initialBytes: 1 << 18 },
      device: { totalBytes: 5000, streams: 2, initialBytes: 1000 },
    });
    const [ours, theirs] = pair.open(toPort(80, 'bulk'));
    const chunk = new Uint8Array(100_000);
    for (const [from, to] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      let [written, read] = [0, 0];
      for (let round = 0; round < 2000 && read < 2_000_000; round++) {
        written += from.write(chunk);
        pair.settle();
        read += readAll(to).length;
      }
      expect(read).toBeGreaterThanOrEqual(2_000_000);
      expect(read).toBeLessThanOrEqual(written);
    }
  });

  test('cannot have initial windows that exceed the total', () => {
    expect(() => createReceiveWindow({ totalBytes: 100, streams: 10, initialBytes: 11 }, 0)).toThrow('exceed');
  });
});

describe('the alternatives that this design avoids', () => {
  const chunk = new Uint8Array(64 << 10);

  test('without credit, one stalled reader takes any amount of memory', () => {
    const unlimited = { totalBytes: 2 ** 40, streams: 4, initialBytes: 2 ** 32 };
    const grown = [undefined, unlimited].map((hub) => {
      const { open, settle } = createPair(hub === undefined ? {} : { hub });
      const [stalled, source] = open();
      for (let at = 0; at < 640; at++, settle()) source.write(chunk);
      return stalled.unread;
    });
    expect(grown[0]).toBeLessThanOrEqual(256 << 10);
    expect(grown[1]).toBe(640 * chunk.length);
  });

  test('pausing the whole link for one stalled reader stops all others', () => {
    const read = [false, true].map((isPausing) => {
      const { hub, device, open } = createPair();
      const [stalled, source] = open();
      const [other, otherSource] = open();
      let total = 0;
      for (let at = 0; at < 100; at++) {
        source.write(chunk);
        otherSource.write(chunk.subarray(0, 1000));
        const isPaused = isPausing && stalled.unread >= 64 << 10;
        for (let message = device.core.next(); message !== undefined; message = device.core.next()) {
          if (!isPaused) hub.core.receive(new Uint8Array(message), at);
        }
        for (let message = hub.core.next(); message !== undefined; message = hub.core.next()) {
          device.core.receive(new Uint8Array(message), at);
        }
        total += readAll(other).length;
      }
      return total;
    });
    expect(read[0]).toBe(100_000);
    expect(read[1]).toBeLessThan(5000);
  });
});
