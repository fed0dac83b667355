/** What the engine gets of a stream that it reads now and then: figures, and whole groups of pictures. */
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ChunkReader } from '../../daemon/engine/rtmp/chunk-reader.ts';
import { encodeMessages, type OutgoingMessage, uint32Message } from '../../daemon/engine/rtmp/chunk-writer.ts';
import { createRandom } from '../../tests/fuzz/random.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { createChunkMaker } from './test-chunks.ts';
import { audio, type Pair, type RtmpRig, startRig, video } from './test-rig.ts';

setDefaultTimeout(30_000);

let rig: RtmpRig;
beforeAll(() => void endpointBinary('rtmp', 'asan'), 120_000);
afterEach(() => rig.close());

const wire = (...messages: readonly OutgoingMessage[]) => Buffer.from(encodeMessages(messages, 1, 4096));
const key = (timestamp: number, size = 1000) => video(timestamp, size, 0x17);
const totalsOf = (...messages: readonly OutgoingMessage[]) => ({
  bytes: messages.reduce((sum, { payload }) => sum + payload.length, 0),
  video: messages.filter(({ type }) => type === 9).length,
  audio: messages.filter(({ type }) => type === 8).length,
});
const untilReceived = async (received: number) =>
  until(async () => (await rig.stats()).publishers.some((one) => one.received === received));

test('while it does not read, the engine gets figures; then the newest group and all that follows', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  rig.say({ op: 'read', id: 1, on: false });
  const before = [video(40), audio(41)];
  const groups = [
    [key(80), audio(81), video(120)],
    [key(160), video(200)],
    [key(240), audio(241), video(280, 9000)],
  ];
  const [first = [], second = [], third = []] = groups;
  publisher.write(wire(...before, ...first));
  expect(await rig.event('skipping')).toEqual({ ev: 'skipping', id: 1 });
  publisher.write(wire(...second, ...third));
  const all = [...before, ...groups.flat()];
  await untilReceived(wire(...all).length);
  expect((await rig.stats()).publishers).toEqual([{ id: 1, received: wire(...all).length, ...totalsOf(...all) }]);
  expect(rig.data(1).equals(wire(...before))).toBe(true);
  rig.say({ op: 'read', id: 1, on: true });
  const skipped = [...before, ...first, ...second];
  expect(await rig.event('skipped')).toMatchObject({
    ...{ id: 1, message: skipped.length, received: wire(...skipped).length, ...totalsOf(...skipped) },
    ...{ chunk: 4096, video_time: 200, audio_time: 81 },
  });
  publisher.write(wire(key(320), audio(321)));
  const passed = wire(...before, ...third, key(320), audio(321));
  await until(async () => (await rig.settled()) && rig.data(1).length === passed.length);
  expect(rig.data(1).equals(passed)).toBe(true);
  expect(rig.events).toEqual([]);
});

/** Publishers that the engine does not read, whatever they send next. */
async function unread(ids: readonly number[]): Promise<Pair[]> {
  const publishers: Pair[] = [];
  for (const id of ids) publishers.push(await rig.publisher(id));
  for (const id of ids) rig.say({ op: 'read', id, on: false });
  await rig.settled();
  return publishers;
}

test('what the engine reads is the stream, in whatever chunks it comes and whenever it is read', async () => {
  rig = await startRig();
  for (let seed = 1; seed <= 20; seed++) {
    const random = createRandom(seed);
    const chunk = random.pick([1, 2, 3, 128, 4096, 65_536]);
    const start = random.pick([0, 16_777_000, 0xfffff000]);
    let time = start;
    const messages = Array.from({ length: 120 }, () => {
      time = (time + random.below(30)) >>> 0;
      const size = random.pick([5, 127, 128, 129, 4097, 12_000]);
      return random.below(2) === 0 ? video(time, size, random.pick([0x17, 0x27, 0x27])) : audio(time, size);
    });
    const { bytes, complete } = createChunkMaker(random, chunk)(messages);
    const at = { timestamp: start, offset: 0 };
    const change = { chunk, video: { format: 7, ...at }, audio: { format: 10, ...at } };
    const publisher = await rig.publisher(seed, change);
    for (let from = 0; from < bytes.length; ) {
      const part = 1 + random.below(random.pick([200, 5000, 40_000]));
      publisher.write(bytes.subarray(from, from + part));
      from += part;
      if (random.below(3) === 0) rig.say({ op: 'read', id: seed, on: random.below(2) === 0 });
      if (random.below(6) === 0) await rig.settled();
    }
    await untilReceived(bytes.length);
    rig.say({ op: 'return', id: seed });
    await rig.event('returned');
    expect(await readAsEngine(seed, chunk, complete)).toBe(complete.length);
    rig.forget();
  }
});

/** Reads what came as the engine does, and compares each message. Returns the number of the next one. */
async function readAsEngine(id: number, chunk: number, expected: readonly OutgoingMessage[]): Promise<number> {
  let next = 0;
  const reader = new ChunkReader((type, _stream, timestamp, payload) => {
    if (type === 1) return;
    const { payload: bytes, ...message } = expected[next] ?? video(0);
    expect({ message: next, type, timestamp }).toEqual({ message: next, ...message });
    expect(Buffer.compare(payload, bytes)).toBe(0);
    next++;
  }, 8 << 20);
  reader.feed(Buffer.from(encodeMessages([{ type: 1, timestamp: 0, payload: uint32(chunk) }], 0, 128)));
  for (const one of rig.arrived) {
    if (!('ev' in one) && one.id === id) reader.feed(one.bytes);
    if (!('ev' in one) || one.ev !== 'skipped' || one.id !== id) continue;
    expect(one.message).toBeGreaterThanOrEqual(next);
    expect(one).toMatchObject(totalsOf(...expected.slice(0, one.message)));
    reader.continueFrom(one);
    next = one.message;
  }
  return next;
}

const uint32 = (value: number) => uint32Message(1, value).slice(-4);

test('a player that is returned gets what the engine never had', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const slow = await rig.player(2, 1, 0);
  await rig.event('taken');
  rig.say({ op: 'read', id: 1, on: false });
  slow.peer.pause();
  const all: OutgoingMessage[] = [];
  // Each begins a group, so the engine could only continue with the newest.
  while (!rig.events.some(({ ev }) => ev === 'returned')) {
    const next = key(all.length * 40, 100_000);
    all.push(next);
    publisher.write(wire(next));
    await rig.settled();
  }
  const returned = await rig.event('returned');
  const skipped = await rig.event('skipped');
  expect(returned).toMatchObject({ id: 2, reason: 'slow', message: skipped.message });
  slow.peer.resume();
  await until(() => slow.received().length === returned.bytes);
  const continued = Buffer.concat([slow.received(), rig.data(2)]);
  expect(continued.equals(Buffer.from(encodeMessages(all.slice(0, returned.message), 1)))).toBe(true);
});

test('many slow players are returned together, and none of them lacks anything', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const ids = [2, 3, 4, 5, 6, 7, 8, 9];
  const slow: Pair[] = [];
  for (const id of ids) slow.push(await rig.player(id, 1, 0));
  for (const _ of ids) await rig.event('taken');
  rig.say({ op: 'read', id: 1, on: false });
  for (const { peer } of slow) peer.pause();
  const all: OutgoingMessage[] = [];
  // Each begins a group, so the endpoint passes to the engine what the players lack: together, more than may wait.
  const write = (count: number) => {
    const next = Array.from({ length: count }, (_, i) => key((all.length + i) * 40, 100_000));
    all.push(...next);
    publisher.write(wire(...next));
  };
  const isBehind = ({ lag_ms: lag = 0 }) => lag > 0;
  while (!(await rig.settled()).every(isBehind)) write(1);
  write(60);
  await until(() => rig.events.filter(({ ev }) => ev === 'returned').length === ids.length);
  const ends = rig.events.filter((one) => one.ev === 'returned');
  expect(ends.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids);
  for (const { id, bytes = 0, message, reason } of ends) {
    expect(reason).toBe('slow');
    const player = slow[ids.indexOf(id)];
    player?.peer.resume();
    await until(() => player?.received().length === bytes);
    const continued = Buffer.concat([player?.received() ?? Buffer.alloc(0), rig.data(id)]);
    expect(continued.equals(Buffer.from(encodeMessages(all.slice(0, message), 1)))).toBe(true);
  }
});

test('groups that together take too much memory are passed to the engine, the largest first', async () => {
  rig = await startRig();
  const [resting] = await unread([1]);
  resting?.write(wire(key(40), video(80)));
  await rig.event('skipping');
  const group = wire(key(40), ...Array.from({ length: 36 }, (_, i) => video(80 + i * 40, 100_000)));
  const ids = Array.from({ length: 36 }, (_, i) => 11 + i);
  for (const publisher of await unread(ids)) publisher.write(group);
  const isWhole = ({ id, received }: { id: number; received: number }) => id === 1 || received === group.length;
  await until(async () => (await rig.stats()).publishers.every(isWhole));
  const passed = rig.arrived.flatMap((one) => ('ev' in one && one.ev === 'skipped' ? [one.id] : []));
  // 128 MiB hold 32 of them.
  expect(passed.length).toBeGreaterThanOrEqual(4);
  expect(passed).not.toContain(1);
  await until(() => passed.every((id) => rig.data(id).length === group.length));
  expect(passed.every((id) => rig.data(id).equals(group))).toBe(true);
  // The others are whole when the engine begins to read them.
  for (const id of ids) rig.say({ op: 'read', id, on: true });
  await until(async () => (await rig.settled()) && ids.every((id) => rig.data(id).length === group.length));
  expect(ids.every((id) => rig.data(id).equals(group))).toBe(true);
});

test('a long group does not keep its memory', async () => {
  rig = await startRig('plain');
  const resident = () => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${rig.child.pid}/status`, 'utf8'))?.[1]);
  const ids = Array.from({ length: 24 }, (_, i) => 1 + i);
  const long = wire(key(40), ...Array.from({ length: 36 }, (_, i) => video(80 + i * 40, 100_000)));
  const short = wire(key(1560), key(1600), key(1640));
  const publishers = await unread(ids);
  for (const publisher of publishers) publisher.write(long);
  const has = (count: number) => async () => (await rig.stats()).publishers.every((one) => one.received === count);
  await until(has(long.length));
  const before = resident();
  for (const publisher of publishers) publisher.write(short);
  await until(has(long.length + short.length));
  expect(before - resident()).toBeGreaterThan(60 << 10);
});

test('a keyframe with another parameter set is passed at once', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  rig.say({ op: 'read', id: 1, on: false });
  const withSet = (timestamp: number, set: number) => {
    const unit = [0, 0, 0, 2, 9, 0xf0, 0, 0, 0, 3, 0x67, set, 1];
    const message = key(timestamp);
    message.payload.set(unit, 5);
    return message;
  };
  publisher.write(wire(withSet(40, 1)));
  await rig.event('skipped');
  for (const timestamp of [80, 120]) {
    publisher.write(wire(withSet(timestamp, 1)));
    await untilReceived(wire(withSet(0, 1)).length * (timestamp / 40));
  }
  expect(rig.events.filter(({ ev }) => ev === 'skipped')).toEqual([]);
  const passed = rig.data(1).length;
  publisher.write(wire(withSet(160, 2)));
  expect(await rig.event('skipped')).toMatchObject({ id: 1, message: 3 });
  await until(() => rig.data(1).length > passed);
  expect(
    rig
      .data(1)
      .subarray(-wire(withSet(160, 2)).length)
      .equals(wire(withSet(160, 2))),
  ).toBe(true);
});

test('a group that is too long is passed on, and all publishers return with theirs, however much that is', async () => {
  rig = await startRig();
  const long = await rig.publisher(1);
  rig.say({ op: 'read', id: 1, on: false });
  const frames = Array.from({ length: 50 }, (_, i) => video(80 + i * 40, 100_000));
  long.write(wire(key(40), ...frames));
  await rig.event('skipping');
  await rig.event('skipped');
  const whole = wire(key(40), ...frames);
  await until(async () => (await rig.settled()) && rig.data(1).length === whole.length);
  expect(rig.data(1).equals(whole)).toBe(true);
  rig.say({ op: 'return', id: 1 });
  await rig.event('returned');
  // Together more than may wait for the engine.
  const group = [key(40), ...frames.slice(0, 30)];
  const ids = [11, 12, 13, 14, 15];
  for (const id of ids) {
    const publisher = await rig.publisher(id);
    rig.say({ op: 'read', id, on: false });
    publisher.write(wire(...group));
  }
  for (const id of ids) {
    await until(async () => (await rig.stats()).publishers.some((one) => one.id === id && one.video === group.length));
  }
  rig.engine.pause();
  for (const id of ids) rig.say({ op: 'return', id });
  await Bun.sleep(200);
  rig.engine.resume();
  for (const _ of ids) expect(await rig.event('returned')).toMatchObject({ reason: 'asked' });
  for (const id of ids) expect(rig.data(id).equals(wire(...group))).toBe(true);
});
