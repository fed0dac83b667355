import { describe, expect, test } from 'bun:test';
import { createPair, createSide, deliver, readAll, silentUser, toPort } from './core-rig-for-test.ts';
import { frameOf, frameTypes, maxDataBytes, readFrames, u32Payload } from './frames.ts';
import { Heartbeat, pauseOf, tickAfter } from './heartbeat.ts';

const bytes = (length: number, first = 0) => Uint8Array.from({ length }, (_, at) => (first + at * 7) % 251);

describe('a stream', () => {
  test('carries bytes both ways and is gone after both sides have ended', () => {
    const { hub, device, open, settle } = createPair();
    const [ours, theirs] = open();
    ours.write(bytes(5000));
    theirs.write(bytes(3000, 9));
    ours.end();
    theirs.end();
    settle();
    expect(readAll(theirs)).toEqual(Buffer.from(bytes(5000)));
    expect(readAll(ours)).toEqual(Buffer.from(bytes(3000, 9)));
    expect([ours.isAtEnd, theirs.isAtEnd]).toEqual([true, true]);
    expect([hub.core.stats().streams, device.core.stats().streams]).toEqual([0, 0]);
  });

  test('may carry data in the message that opens it', () => {
    const { hub, device } = createPair();
    const stream = hub.core.open(toPort(8080));
    if (typeof stream === 'string') throw new Error(stream);
    stream.write(bytes(100));
    expect(deliver(hub, device, 0)).toBeTrue();
    expect(hub.core.next()).toBeUndefined();
    const [first] = device.opened;
    expect(first?.request).toEqual(toPort(8080));
    expect(first && readAll(first.stream)).toEqual(Buffer.from(bytes(100)));
  });

  test('stops its sender when it is not read, while others continue', () => {
    const { open, settle } = createPair();
    const [stalled, source] = open();
    const [other, otherSource] = open();
    let written = 0;
    for (let taken = 1; taken > 0; settle()) {
      taken = source.write(bytes(64 << 10));
      written += taken;
    }
    expect(stalled.unread).toBe(256 << 10);
    expect(written).toBe(512 << 10);
    otherSource.write(bytes(1000));
    settle();
    expect(readAll(other).length).toBe(1000);
    let isWritable = false;
    source.attach({ ...silentUser, writable: () => (isWritable = true) });
    let read = 0;
    for (let chunk = stalled.read(); chunk !== undefined; chunk = stalled.read()) {
      read += chunk.length;
      settle();
    }
    expect(read).toBe(written);
    expect(isWritable).toBeTrue();
  });

  test('that was reset ends on both sides with the code, and drops what was queued', () => {
    const { hub, device, open, settle } = createPair();
    const [ours, theirs] = open();
    theirs.write(bytes(9000));
    settle();
    const codes: (string | undefined)[] = [];
    for (const stream of [ours, theirs]) {
      stream.attach({ ...silentUser, closed: (code) => void codes.push(code) });
    }
    ours.reset('timedOut');
    expect(ours.read()).toBeUndefined();
    expect(theirs.write(bytes(10))).toBe(10);
    settle();
    expect(codes).toEqual(['timedOut', 'timedOut']);
    expect(theirs.write(bytes(10))).toBe(0);
    expect([hub.core.stats().streams, device.core.stats().streams]).toEqual([0, 0]);
    expect([hub.ended, device.ended]).toEqual([undefined, undefined]);
  });

  test('that was reset before its first frame was sent stays unknown to the peer', () => {
    const { hub, device, settle, open } = createPair();
    const stream = hub.core.open(toPort(80));
    if (typeof stream === 'string') throw new Error(stream);
    stream.write(bytes(10));
    stream.reset('cancelled');
    settle();
    expect(device.opened).toEqual([]);
    const [ours, theirs] = open();
    theirs.write(bytes(10));
    settle();
    expect(readAll(ours).length).toBe(10);
  });

  test('costs no more memory for a window of single bytes than for one chunk', () => {
    const { open, settle } = createPair();
    const [ours, theirs] = open();
    for (let at = 0; at < 20_000; at++) {
      theirs.write(Uint8Array.of(at % 251));
      settle();
    }
    const chunks: Uint8Array[] = [];
    for (let chunk = ours.read(); chunk !== undefined; chunk = ours.read()) chunks.push(chunk);
    expect(chunks.length).toBeLessThan(5);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 251)));
  });

  test('keeps the order of small and large payloads', () => {
    const { open, settle } = createPair();
    const [ours, theirs] = open();
    const sent: Uint8Array[] = [];
    for (const [at, length] of [10, 20, 5000, 30, 40, 2049, 1, 60_000, 7].entries()) {
      sent.push(bytes(length, at));
      theirs.write(bytes(length, at));
      settle();
    }
    expect(readAll(ours)).toEqual(Buffer.concat(sent));
  });
});

describe('a link', () => {
  test('refuses more streams than its limit', () => {
    const { hub, open } = createPair();
    for (let at = 0; at < 256; at++) open();
    expect(hub.core.open(toPort(80))).toBe('busy');
  });

  test('never lets its peer send more in total than its limit, whatever number of streams is stalled', () => {
    const { hub, device, open, settle } = createPair();
    const pairs = Array.from({ length: 256 }, () => open(toPort(80, 'bulk')));
    const chunk = bytes(64 << 10);
    for (const [ours, theirs] of pairs) {
      for (let taken = 1; taken > 0; settle()) taken = theirs.write(chunk);
      expect(ours.unread).toBeGreaterThanOrEqual(64 << 10);
    }
    const unread = pairs.reduce((sum, [ours]) => sum + ours.unread, 0);
    expect(unread).toBeLessThanOrEqual(32 << 20);
    expect(hub.core.stats().committedBytes).toBeLessThanOrEqual(32 << 20);
    expect(device.core.stats().committedBytes).toBeLessThanOrEqual(4 << 20);
  });

  test('sends frames of higher priority first, and now and then one of a lower priority', () => {
    const { hub, open } = createPair();
    const streams = (['preview', 'bulk', 'interactive', 'control'] as const).map((each) => open(toPort(80, each)));
    for (const [ours] of streams) {
      ours.credit = 1 << 20;
      for (let at = 0; at < 256; at++) ours.write(bytes(1024));
    }
    const order: number[] = [];
    const sizes = new Map<number, number>();
    for (let message = hub.core.next(); message !== undefined; message = hub.core.next()) {
      readFrames(message, (type, id, { length }) => {
        if (type !== frameTypes.data) return;
        order.push(id);
        sizes.set(id, Math.max(sizes.get(id) ?? 0, length));
      });
    }
    const [preview, bulk, interactive, control] = streams.map(([{ id }]) => id);
    expect(order[0]).toBe(control);
    const lastOf = (id: number | undefined) => order.lastIndexOf(id ?? 0);
    expect(lastOf(control)).toBeLessThan(lastOf(interactive));
    expect(lastOf(interactive)).toBeLessThan(lastOf(bulk));
    expect(lastOf(bulk)).toBeLessThan(lastOf(preview));
    expect(Math.max(...sizes.values())).toBeLessThanOrEqual(maxDataBytes);
  });

  test('serves a lower priority with small frames while a higher one never pauses', () => {
    const { hub, device, open, now } = createPair();
    const [busy] = open(toPort(80, 'interactive'));
    const [slow, sink] = open(toPort(80, 'preview'));
    slow.credit = 1 << 20;
    slow.write(bytes(256 << 10));
    let largest = 0;
    for (let round = 0; round < 64 && sink.unread === 0; round++) {
      busy.credit = 1 << 20;
      busy.write(bytes(64 << 10));
      const message = hub.core.next()?.slice() ?? new Uint8Array();
      readFrames(message, (type, id, { length }) => {
        if (type === frameTypes.data && id === slow.id) largest = Math.max(largest, length);
      });
      if (largest > 0) break;
    }
    expect(largest).toBeGreaterThan(0);
    expect(largest).toBeLessThanOrEqual(16 << 10);
    expect(device.core.phase).toBe('open');
    expect(now).toBe(0);
  });

  test('fills each message, but with all headers of WebSocket and TCP it is one packet of 64 KiB', () => {
    const { hub, open } = createPair();
    const streams = [open(), open(), open()].map(([ours]) => ours);
    for (const stream of streams) {
      stream.credit = 1 << 20;
      stream.write(bytes(200 << 10));
      stream.end();
    }
    const sizes: number[] = [];
    for (let message = hub.core.next(); message !== undefined; message = hub.core.next()) sizes.push(message.length);
    sizes.pop();
    expect(sizes.length).toBeGreaterThan(8);
    expect(Math.max(...sizes)).toBeLessThanOrEqual((64 << 10) - 14 - 72);
    expect(Math.min(...sizes)).toBeGreaterThan(56 << 10);
  });

  test('takes streams of one priority in turn', () => {
    const { hub, open } = createPair();
    const streams = [open(), open(), open()].map(([ours]) => ours);
    for (const stream of streams) {
      stream.credit = 1 << 20;
      stream.write(bytes(128 << 10));
    }
    const order: number[] = [];
    for (let message = hub.core.next(); message !== undefined; message = hub.core.next()) {
      readFrames(message, (type, id) => {
        if (type === frameTypes.data) order.push(id);
      });
    }
    const ids = streams.map(({ id }) => id);
    expect(order.slice(0, 3)).toEqual(ids);
    expect(order.slice(3, 6)).toEqual(ids);
  });

  test('that ends resets every stream at once', () => {
    const { hub, open } = createPair();
    const codes: (string | undefined)[] = [];
    for (let at = 0; at < 20; at++) {
      open()[0].attach({ ...silentUser, closed: (code) => void codes.push(code) });
    }
    hub.core.end('lost', 'the connection broke');
    expect(codes).toEqual(Array(20).fill('offline'));
    expect(hub.ended?.code).toBe('lost');
    expect(hub.core.open(toPort(80))).toBe('offline');
    expect(hub.core.next()).toBeUndefined();
  });

  test('that is about to end opens no streams, and those that exist continue', () => {
    const { hub, device, open, settle } = createPair();
    const [ours, theirs] = open();
    hub.core.leave({ reason: 'stopping', spreadMs: 5000 });
    settle();
    expect(device.goAways).toEqual([{ reason: 'stopping', spreadMs: 5000 }]);
    expect([hub.core.open(toPort(80)), device.core.open(toPort(80))]).toEqual(['busy', 'busy']);
    theirs.write(bytes(10));
    settle();
    expect(readAll(ours).length).toBe(10);
  });

  test('carries no streams while the device waits to be accepted', () => {
    const hub = createSide('listener', 0);
    hub.core.enter('waiting', { window: 1000, frame: 1000, streams: 1 });
    expect(hub.core.open(toPort(80))).toBe('offline');
  });

  test('ends when all stream ids are used up', () => {
    const hub = createSide('listener', 0, { lastId: 4 });
    hub.core.enter('open', { window: 1000, frame: 1000, streams: 10 });
    expect([1, 2].map(() => typeof hub.core.open(toPort(80)))).toEqual(['object', 'object']);
    expect(hub.core.open(toPort(80))).toBe('offline');
    expect(hub.ended?.code).toBe('exhausted');
  });
});

describe('the heartbeat', () => {
  test('keeps an idle link alive', () => {
    const { hub, device, pass } = createPair();
    pass(600_000);
    expect([hub.ended, device.ended]).toEqual([undefined, undefined]);
    expect(hub.core.stats().rttMs).toBe(0);
  });

  test('ends a link on which nothing arrives after 40 s', () => {
    const pair = createPair();
    pair.pass(39_500, false);
    expect(pair.hub.ended).toBeUndefined();
    pair.pass(500, false);
    expect(pair.hub.ended?.code).toBe('silent');
    expect(pair.device.ended?.code).toBe('silent');
  });

  test('ends it after 5 s if a user waits, and not if anything arrives', () => {
    const pair = createPair();
    pair.pass(1000);
    pair.hub.core.probe(pair.now);
    pair.pass(2000);
    pair.pass(10_000, false);
    expect(pair.hub.ended).toBeUndefined();
    pair.hub.core.probe(pair.now);
    // Sent before the link broke: it does not answer the probe.
    pair.hub.core.receive(frameOf(frameTypes.ping, 0, u32Payload(1)), pair.now);
    pair.pass(5000, false);
    expect(pair.hub.ended?.code).toBe('silent');
  });

  test('forgives the time in which its own process was stopped', () => {
    const { hub, now } = createPair();
    hub.core.tick(now + 500);
    hub.core.tick(now + 300_000, pauseOf(299_000));
    hub.core.tick(now + 300_500, pauseOf(10));
    expect(hub.ended).toBeUndefined();
    hub.core.tick(now + 345_000);
    expect(hub.ended?.code).toBe('silent');
  });

  test('needs no ticks while nothing is due', () => {
    const { hub, now } = createPair();
    const next = () => hub.core.idleUntil;
    expect(next()).toBe(now + 15_000);
    hub.core.tick(next());
    expect(next()).toBe(now + 30_000);
    hub.core.receive(frameOf(frameTypes.ping, 0, u32Payload(1)), now + 20_000);
    expect(next()).toBe(now + 35_000);
    hub.core.probe(now + 21_000);
    expect(next()).toBe(0);
  });

  test('ends a handshake that takes longer than 10 s', () => {
    const hub = createSide('listener', 0);
    for (let now = 500; now < 10_000; now += 500) hub.core.tick(now);
    expect(hub.ended).toBeUndefined();
    hub.core.tick(10_000);
    expect(hub.ended?.code).toBe('silent');
  });

  const shipped = { pingMs: 15_000, deadMs: 40_000, probeMs: 5000 };

  test('first pings after a part of that time, so that links which began together are pinged apart', () => {
    const heartbeat = new Heartbeat(shipped, 0, () => 0.2);
    expect(heartbeat.idleUntil).toBe(3000);
    expect(heartbeat.tick(2999, 0)).toBeUndefined();
    expect(heartbeat.tick(3000, 0)).toBe(1);
    heartbeat.heard(3010);
    const next = 3010 + 15_000 - 0.8 * 500;
    expect(heartbeat.idleUntil).toBe(next);
    expect(heartbeat.tick(next - 1, 0)).toBeUndefined();
    expect(heartbeat.tick(next, 0)).toBe(2);
  });

  test('spreads the pings of links that a pause has aligned', () => {
    const fleet = Array.from({ length: 200 }, (_, at) => new Heartbeat(shipped, 0, () => at / 200));
    for (const heartbeat of fleet) {
      heartbeat.tick(15_000, 0);
      heartbeat.heard(15_000);
    }
    const due = fleet.map(({ idleUntil }) => idleUntil);
    expect([Math.min(...due), Math.max(...due)]).toEqual([29_500, 29_997.5]);
    expect(new Set(due).size).toBe(200);
  });

  test('of a device comes before the ping of its hub, which looks twice per second', () => {
    const device = new Heartbeat(shipped, 0, () => 0.5);
    const hub = new Heartbeat(shipped, 0);
    const sent = { device: 0, hub: 0 };
    let wakeAt = 0;
    let wakes = 0;
    for (let now = 0; now < 300_000; now += 0.5) {
      let isHeard = false;
      if (now >= wakeAt) {
        isHeard = device.tick(now, 0) !== undefined;
        wakeAt = now + tickAfter(device.idleUntil, now, 500);
        sent.device += isHeard ? 1 : 0;
        wakes += 1;
      }
      if (now % 500 === 250 && hub.tick(now, 0) !== undefined) {
        sent.hub += 1;
        isHeard = true;
      }
      if (!isHeard) continue;
      // PING and PONG take 0.25 ms each.
      hub.heard(now + 0.25);
      device.heard(now + 0.5);
    }
    expect(sent).toEqual({ device: 20, hub: 0 });
    // After an answer, the timer is early once: it was set before.
    expect(wakes).toBeLessThanOrEqual(2 * sent.device + 1);
  });

  test('pings once per 15 s of silence', () => {
    const { hub } = createPair();
    const pings: number[] = [];
    for (let now = 500; now <= 39_500; now += 500) {
      hub.core.tick(now);
      const message = hub.core.next();
      if (message === undefined) continue;
      readFrames(message, (type) => {
        if (type === frameTypes.ping) pings.push(now);
      });
    }
    expect(pings).toEqual([15_000, 30_000]);
  });
});
