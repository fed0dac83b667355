/** Random use of two cores against a model: what each stream should deliver, and the limits that always hold. */
import { describe, expect, test } from 'bun:test';
import { seededRandom } from '../../tests/support/seeded-random.ts';
import { createPair, deliver, hubReceives, type Side, toPort } from './core-rig-for-test.ts';
import { maxMessageBytes } from './frames.ts';
import { type LinkStream, priorities } from './link-stream.ts';
import type { ReceiveLimits } from './receive-window.ts';

const runs = 60;
const steps = 1500;

/** One direction of one stream: byte n is n × 31 mod 256. */
interface Direction {
  readonly from: LinkStream;
  readonly to: LinkStream;
  written: number;
  read: number;
  /** Shared by both directions: set when one side resets the stream, which may lose data. */
  readonly stream: { isReset: boolean };
}

const pattern = Uint8Array.from({ length: 256 * 1024 }, (_, at) => (at * 31) & 0xff);
const largestMessage = { bytes: 0 };

function createModel(seed: number) {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const limits = (): ReceiveLimits => {
    const streams = 1 + below(40);
    const initialBytes = 1 + below(70_000);
    return { streams, initialBytes, totalBytes: streams * initialBytes + below(1 << 20) };
  };
  const own = { hub: limits(), device: limits() };
  const pair = createPair(own);
  const directions: Direction[] = [];
  const pending: [Side, Side][] = [
    [pair.hub, pair.device],
    [pair.device, pair.hub],
  ];
  let now = 0;

  function open(): void {
    const from = below(2) === 0 ? pair.hub : pair.device;
    const to = from === pair.hub ? pair.device : pair.hub;
    const seen = to.opened.length;
    const stream = from.core.open(toPort(80, priorities[below(4)]));
    if (typeof stream === 'string') return;
    pair.settle();
    const other = to.opened.at(-1)?.stream;
    // The other side may be full: it counts streams until its user has read them.
    if (to.opened.length === seen || other === undefined) return;
    const shared = { written: 0, read: 0, stream: { isReset: false } };
    directions.push({ from: stream, to: other, ...shared }, { from: other, to: stream, ...shared });
  }

  function write(direction: Direction): void {
    const length = below(3) === 0 ? below(100) : below(90_000);
    const start = direction.written & 0xff;
    direction.written += direction.from.write(pattern.subarray(start, start + length));
  }

  function read(direction: Direction): void {
    const chunk = direction.to.read();
    if (chunk === undefined) return;
    const start = direction.read & 0xff;
    if (Buffer.compare(chunk, pattern.subarray(start, start + chunk.length)) !== 0) throw new Error('changed bytes');
    direction.read += chunk.length;
    if (direction.read > direction.written) throw new Error('more bytes than were written');
  }

  function reset({ from, stream }: Direction): void {
    stream.isReset = true;
    from.reset('cancelled');
  }

  function checkLimits(): void {
    for (const [side, limit] of [
      [pair.hub, own.hub],
      [pair.device, own.device],
    ] as const) {
      if (side.ended !== undefined) throw new Error(`${side.ended.code}: ${side.ended.message}`);
      if (side.core.stats().committedBytes > limit.totalBytes) throw new Error('more memory than the limit');
      if (side.core.stats().streams > 2 * 40) throw new Error('more streams than the limits');
    }
  }

  function step(): void {
    const direction = directions[below(directions.length)];
    const kind = below(100);
    if (direction === undefined || kind < 4) open();
    else if (kind < 40) write(direction);
    else if (kind < 70) read(direction);
    else if (kind < 72) direction.from.end();
    else if (kind < 73) reset(direction);
    else if (kind < 75) {
      now += below(300);
      for (const { core } of [pair.hub, pair.device]) core.tick(now);
    } else {
      const [from, to] = pending[below(2)] as [Side, Side];
      deliver(from, to, now);
    }
    checkLimits();
  }

  /** Reads everything and ends every stream. */
  function drain(): void {
    for (const { from } of directions) from.end();
    for (let before = -1, sum = 0; before !== sum; ) {
      before = sum;
      pair.settle();
      for (const direction of directions) while (direction.to.unread > 0) read(direction);
      pair.settle();
      checkLimits();
      sum = directions.reduce((total, each) => total + each.read, 0);
    }
  }

  return { step, drain, directions, pair, below };
}

describe('random use', () => {
  test(`delivers every byte in order within all limits, in ${runs} schedules`, () => {
    for (let seed = 1; seed <= runs; seed++) {
      const { step, drain, directions, pair } = createModel(seed);
      try {
        for (let at = 0; at < steps; at++) step();
        drain();
        for (const { from, to, written, read, stream } of directions) {
          if (!stream.isReset) expect(read).toBe(written);
          expect([from.isClosed, to.isClosed]).toEqual([true, true]);
        }
        expect([pair.hub.core.stats().streams, pair.device.core.stats().streams]).toEqual([0, 0]);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });

  test('that is cut at any moment leaves no stream open', () => {
    for (let seed = 1; seed <= runs; seed++) {
      const { step, directions, pair, below } = createModel(seed);
      const length = below(steps / 3);
      for (let at = 0; at < length; at++) step();
      for (const { core } of [pair.hub, pair.device]) core.end('lost', 'cut');
      for (const { from, to } of directions) expect([from.isClosed, to.isClosed]).toEqual([true, true]);
      expect(pair.hub.core.stats()).toMatchObject({ streams: 0, unsentFrames: 0 });
    }
  });

  test('never makes a message larger than the limit', () => {
    const { hub, device, open } = createPair({ hub: { ...hubReceives, streams: 250 } });
    for (let at = 0; at < 240; at++) open(toPort(80, priorities[at % 4]))[0].write(pattern.subarray(0, 70_000));
    for (let message = hub.core.next(); message !== undefined; message = hub.core.next()) {
      largestMessage.bytes = Math.max(largestMessage.bytes, message.length);
      device.core.receive(new Uint8Array(message), 0);
    }
    expect(largestMessage.bytes).toBeLessThanOrEqual(maxMessageBytes);
    expect(device.ended).toBeUndefined();
  });
});
