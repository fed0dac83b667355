/** The RTMP endpoint under the address sanitizer: streams, slow and lost peers, and what it must not accept. */
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { encodeMessages, uint32Message } from '../../daemon/engine/rtmp/chunk-writer.ts';
import { commandMessage } from '../../daemon/engine/rtmp/commands.ts';
import { createRandom } from '../../tests/fuzz/random.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary, frame } from '../common/test-endpoint.ts';
import { createChunkMaker } from './test-chunks.ts';
import { audio, type Pair, type RtmpRig, readMessages, startRig, steady, video } from './test-rig.ts';

setDefaultTimeout(30_000);

let rig: RtmpRig;
beforeAll(() => void endpointBinary('rtmp', 'asan'), 120_000);
afterEach(() => rig.close());

const wire = (...messages: Parameters<typeof encodeMessages>[0]) => encodeMessages(messages, 1, 4096);
const received = ({ received: bytes }: Pair, length: number) => until(() => bytes().length >= length);

test('players get each frame with the time of the channel, and the engine gets every byte', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1, { video: { format: 7, timestamp: 0, offset: 5000 } });
  const players = [await rig.player(2, 1, 0), await rig.player(3, 1, 0)];
  await rig.event('taken');
  await rig.event('taken');
  const sent = wire(video(40, 200_000, 0x17), audio(41), video(80), video(120, 5));
  publisher.write(sent);
  const expected = Buffer.from(
    encodeMessages([video(40, 200_000, 0x17), audio(41), video(80), video(120, 5)].map(later), 1),
  );
  for (const player of players) await received(player, expected.length);
  for (const player of players) expect(player.received().equals(expected)).toBe(true);
  expect(await rig.settled()).toEqual([2, 3].map((id) => ({ id, bytes: expected.length })));
  expect(rig.data(1).equals(Buffer.from(sent))).toBe(true);
  // One that joins in the middle.
  const late = await rig.player(4, 1, 3);
  await rig.event('taken');
  const last = Buffer.from(encodeMessages([later(video(120, 5))], 1));
  await received(late, last.length);
  expect(late.received().equals(last)).toBe(true);
});

const later = (message: ReturnType<typeof video>) =>
  message.type === 9 ? { ...message, timestamp: message.timestamp + 5000, payload: message.payload } : message;

test('keyframes reach the engine at once, other frames when it asks or there are many', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const key = wire(video(40, 1000, 0x17));
  publisher.write(key);
  await until(() => rig.data(1).length === key.length);
  const frames = Array.from({ length: 10 }, (_, i) => video(80 + i * 40, 10_000));
  const player = await rig.player(2, 1, 1);
  publisher.write(wire(...frames));
  await received(player, encodeMessages(frames, 1).length);
  expect(rig.data(1).length).toBe(key.length);
  await rig.settled();
  expect(rig.data(1).length).toBe(key.length + wire(...frames).length);
  publisher.write(wire(...Array.from({ length: 100 }, (_, i) => video(500 + i * 40, 10_000))));
  await until(() => rig.data(1).length > key.length + 700_000);
});

test('headers and metadata that players have may be repeated; others are the engine’s', async () => {
  rig = await startRig();
  const header = { ...video(40), payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) };
  const metadata = Buffer.from('\x02\x00\x0aonMetaData\x05', 'latin1');
  const published = Buffer.concat([Buffer.from('\x02\x00\x0d@setDataFrame', 'latin1'), metadata]);
  const known = [
    { type: 9, body: Buffer.from(header.payload).toString('hex') },
    { type: 18, body: metadata.toString('hex') },
  ];
  const publisher = await rig.publisher(1, { headers: known });
  const player = await rig.player(2, 1, 0);
  await rig.event('taken');
  const data = { type: 18, timestamp: 0 };
  const whole = [video(40, 900, 0x17), video(80)];
  publisher.write(
    wire({ ...data, payload: published }, header, video(40, 900, 0x17), { ...data, payload: metadata }, video(80)),
  );
  const expected = Buffer.from(encodeMessages(whole, 1));
  await received(player, expected.length);
  rig.say({ op: 'return', id: 2 });
  expect(await rig.event('returned')).toMatchObject({ id: 2, message: 5, bytes: expected.length });
  expect(player.received().equals(expected)).toBe(true);
  publisher.write(wire({ ...header, payload: Uint8Array.of(0x17, 0, 0, 0, 0, 2) }));
  expect(await rig.event('returned')).toMatchObject({ id: 1, reason: 'unusual' });
});

test('whatever headers and chunk sizes a publisher uses, players get its frames', async () => {
  rig = await startRig();
  for (let seed = 1; seed <= 40; seed++) {
    const random = createRandom(seed);
    const chunk = random.pick([1, 2, 3, 5, 128, 4096, 65_536, 1 << 20]);
    const start = random.pick([0, 16_777_000, 0xfffff000]);
    let time = start;
    const messages = Array.from({ length: 60 }, () => {
      time = (time + random.below(30)) >>> 0;
      const size = random.pick([5, 6, 127, 128, 129, 4097, 12_000]);
      return random.below(2) === 0 ? video(time, size, random.pick([0x17, 0x27])) : audio(time, size);
    });
    const { bytes, complete } = createChunkMaker(random, chunk)(messages);
    const ids = { publisher: seed * 2, player: seed * 2 + 1 };
    const at = { timestamp: start, offset: 0 };
    const publisher = await rig.publisher(ids.publisher, {
      ...{ chunk, video: { format: 7, ...at }, audio: { format: 10, ...at } },
    });
    const player = await rig.player(ids.player, ids.publisher, 0);
    for (let from = 0; from < bytes.length; ) {
      const part = 1 + random.below(random.pick([3, 200, 20_000]));
      publisher.write(bytes.subarray(from, from + part));
      from += part;
      if (random.below(8) === 0) await Bun.sleep(1);
    }
    const expected = Buffer.from(encodeMessages(complete, 1));
    await received(player, expected.length);
    if (!player.received().equals(expected)) throw new Error(`seed ${seed}`);
    // The engine reads the same.
    await rig.settled();
    expect(rig.data(ids.publisher).equals(bytes)).toBe(true);
    expect(readMessages(bytes, chunk).map(({ payload }) => payload.length)).toEqual(
      complete.map(({ payload }) => payload.length),
    );
    expect(rig.events.filter(({ ev }) => ev === 'returned')).toEqual([]);
    rig.say({ op: 'drop', id: ids.publisher });
    expect(await rig.event('returned')).toMatchObject({ id: ids.player, reason: 'publisher ended' });
    expect(await rig.event('returned')).toEqual({ ev: 'returned', id: ids.publisher, reason: 'dropped' });
    await rig.event('taken');
  }
});

/** A chunk that announces a message. */
const announced = (length: number, body: Uint8Array = new Uint8Array(0)) =>
  Buffer.concat([Buffer.of(6, 0, 0, 50, length >> 16, (length >> 8) & 0xff, length & 0xff, 9, 1, 0, 0, 0), body]);

const unusual: [name: string, bytes: Uint8Array][] = [
  ['a sequence header', wire({ ...video(41), payload: Uint8Array.of(0x17, 0, 0, 0, 0, 1) })],
  ['another video codec', wire(video(41, 100, 0x1c))],
  ['an enhanced header', wire({ ...video(41), payload: Buffer.from('\x91hvc1........', 'latin1') })],
  ['a command frame', wire(video(41, 100, 0x57))],
  ['an empty message', wire({ ...video(41), payload: new Uint8Array(0) })],
  ['another audio codec', wire({ ...audio(41), payload: Uint8Array.of(0x2f, 1, 2) })],
  ['a time that goes back', wire(video(39))],
  ['a pause', wire(video(600))],
  ['metadata', wire({ type: 18, timestamp: 0, payload: Buffer.from('x') })],
  ['an aggregate', wire({ type: 22, timestamp: 0, payload: Buffer.alloc(30) })],
  ['a command', commandMessage(1, 'deleteStream', 4, null, 1)],
  ['a new chunk size', uint32Message(1, 1)],
  ['a chunk size of 0', uint32Message(1, 0)],
  ['an abort', uint32Message(2, 6)],
  ['an acknowledgement', uint32Message(3, 7)],
  ['a message that is too long', announced(16_777_215)],
  ['a message inside another', Buffer.concat([announced(5000, new Uint8Array(4096)), announced(5000)])],
  ['a chunk stream without a header', Buffer.of(0xc9)],
  ['a delta without a header', Buffer.of(0x89, 0, 0, 1)],
  ['an unexpected extended timestamp', Buffer.concat([extendedKeyframe(), Buffer.of(0xc6, 1, 2, 3, 4)])],
];

/** Its last chunk has one byte, so that what follows can only be an extended timestamp. */
function extendedKeyframe(): Buffer {
  const chunk = Buffer.alloc(4097, 1);
  const head = [6, 0xff, 0xff, 0xff, 0, 0x10, 1, 9, 1, 0, 0, 0, 0x01, 0, 0, 0];
  return Buffer.concat([Buffer.from(head), chunk.subarray(0, 4096)]);
}

test.each(unusual)('%s is the engine’s: it gets the bytes and all connections back', async (_name, bytes) => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const player = await rig.player(2, 1, 0);
  await rig.event('taken');
  const before = rig.openFiles();
  const sent = Buffer.concat([wire(video(40), audio(40)), bytes, wire(video(80))]);
  publisher.write(sent);
  expect(await rig.event('returned')).toMatchObject({ id: 2, message: 2, reason: 'publisher ended' });
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'unusual' });
  await received(player, encodeMessages([video(40), audio(40)], 1).length);
  const forwarded = rig.data(1);
  expect(forwarded.equals(sent.subarray(0, forwarded.length))).toBe(true);
  expect(forwarded.length).toBeGreaterThanOrEqual(wire(video(40), audio(40)).length + Math.min(bytes.length, 1));
  await rig.settled();
  expect(rig.openFiles()).toBe(before - 2);
});

test('a long message that never comes costs no memory, and the stream of others continues', async () => {
  rig = await startRig('plain');
  const resident = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${rig.child.pid}/status`, 'utf8'))?.[1]);
  const good = await rig.publisher(1);
  const player = await rig.player(2, 1, 0);
  await rig.event('taken');
  const before = resident();
  for (let id = 10; id < 60; id++) (await rig.publisher(id)).write(announced(8 << 20, new Uint8Array(100)));
  good.write(wire(video(40)));
  await received(player, encodeMessages([video(40)], 1).length);
  await rig.settled();
  expect(rig.events).toEqual([]);
  expect(resident() - before).toBeLessThan(16 << 10);
  // Unfinished messages on several chunk streams are limited, too.
  const greedy = await rig.publisher(99);
  for (let stream = 10; stream < 13; stream++) {
    const head = Buffer.of(stream, 0, 0, 50, 0x70, 0, 0, 9, 1, 0, 0, 0);
    const chunks = Array.from({ length: 1300 }, () => Buffer.concat([Buffer.of(0xc0 | stream), Buffer.alloc(4096)]));
    greedy.write(Buffer.concat([head, Buffer.alloc(4096), ...chunks]));
  }
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 99, reason: 'unusual' });
});

test('a player that does not read is returned, and another one is not affected', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const [slow, good] = [await rig.player(2, 1, 0), await rig.player(3, 1, 0)];
  await rig.event('taken');
  await rig.event('taken');
  slow.peer.pause();
  const all: ReturnType<typeof video>[] = [];
  while (!rig.events.some(({ ev }) => ev === 'returned')) {
    const messages = Array.from({ length: 4 }, () => video(40 * (all.length + 1), 100_000));
    all.push(...messages.map((message, i) => ({ ...message, timestamp: message.timestamp + 10 * i })));
    publisher.write(wire(...all.slice(-4)));
    const expected = all.length * 100_000;
    await until(() => good.received().length >= expected);
    rig.say({ op: 'report' });
  }
  const returned = await rig.event('returned');
  expect(returned).toMatchObject({ id: 2, reason: 'slow' });
  const whole = Buffer.from(encodeMessages(all, 1));
  await received(good, whole.length);
  expect(good.received().equals(whole)).toBe(true);
  // What the endpoint wrote, and the rest of the message that it began, which the engine would write.
  slow.peer.resume();
  await received(slow, returned.bytes ?? 0);
  const continued = Buffer.concat([slow.received(), rig.data(2)]);
  expect(slow.received().length).toBe(returned.bytes ?? 0);
  expect(continued.equals(Buffer.from(encodeMessages(all.slice(0, returned.message), 1)))).toBe(true);
});

test('a player that lacks more messages than the log has numbers for is returned without a gap', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const slow = await rig.player(2, 1, 0);
  await rig.event('taken');
  slow.peer.pause();
  const all: ReturnType<typeof video>[] = [];
  // Until its socket is full.
  for (let isBehind = false; !isBehind; isBehind = (await rig.settled()).some(({ lag_ms: lag = 0 }) => lag > 0)) {
    const next = video(all.length * 40, 100_000);
    all.push(next);
    publisher.write(wire(next));
  }
  // Of this size, several thousand are read in one turn before players are looked at.
  const last = all.length * 40;
  const small = Array.from({ length: 4 * 4096 }, (_, at) => video(last + Math.floor(at / 100), 60));
  all.push(...small);
  publisher.write(wire(...small));
  const returned = await rig.event('returned');
  expect(returned).toMatchObject({ id: 2, reason: 'slow' });
  slow.peer.resume();
  await received(slow, returned.bytes ?? 0);
  const continued = Buffer.concat([slow.received(), rig.data(2)]);
  expect(continued.equals(Buffer.from(encodeMessages(all.slice(0, returned.message), 1)))).toBe(true);
});

test('the engine takes connections back, or drops them', async () => {
  rig = await startRig();
  const before = rig.openFiles();
  const publisher = await rig.publisher(1);
  const [kept, dropped] = [await rig.player(2, 1, 0), await rig.player(3, 1, 0)];
  await rig.event('taken');
  await rig.event('taken');
  publisher.write(wire(video(40)));
  const length = encodeMessages([video(40)], 1).length;
  await received(kept, length);
  await received(dropped, length);
  rig.say({ op: 'drop', id: 3 });
  rig.say({ op: 'return', id: 2 });
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 2, message: 1, bytes: length, reason: 'asked' });
  rig.say({ op: 'return', id: 1 });
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'asked' });
  expect(rig.data(1).equals(Buffer.from(wire(video(40))))).toBe(true);
  // The engine has its ends still, and reads on.
  const rest = Promise.withResolvers<Buffer>();
  publisher.ours.reload({ socket: { data: (_socket, bytes) => rest.resolve(Buffer.from(bytes)) } });
  publisher.ours.resume();
  publisher.write(wire(video(80)));
  expect((await rest.promise).equals(Buffer.from(wire(video(80))))).toBe(true);
  await rig.settled();
  expect(rig.openFiles()).toBe(before);
});

test('a publisher that waits to be returned keeps its bytes when the engine closes it', async () => {
  rig = await startRig();
  const ids = [11, 12, 13, 14, 15];
  const group = wire(video(40, 1000, 0x17), ...Array.from({ length: 30 }, (_, i) => video(80 + i * 40, 100_000)));
  const publishers: Pair[] = [];
  for (const id of ids) {
    publishers.push(await rig.publisher(id));
    rig.say({ op: 'read', id, on: false });
  }
  await rig.settled();
  for (const publisher of publishers) publisher.write(group);
  await until(async () => (await rig.stats()).publishers.every(({ received: got }) => got === group.length));
  // In one go, so that nothing has been sent in between: together they hold more than may wait for the engine.
  const both = ids.flatMap((id) => [
    { op: 'return', id },
    { op: 'drop', id },
  ]);
  rig.raw(Buffer.concat(both.map((operation) => frame('J', 0, Buffer.from(JSON.stringify(operation))))));
  for (const _ of ids) expect(await rig.event('returned')).toMatchObject({ reason: 'asked' });
  for (const id of ids) expect(rig.data(id).equals(group)).toBe(true);
});

test('players get what a publisher sent before the engine closed it', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const [slow, good] = [await rig.player(2, 1, 0), await rig.player(3, 1, 0)];
  await rig.event('taken');
  await rig.event('taken');
  rig.say({ op: 'read', id: 1, on: false });
  slow.peer.pause();
  const all: ReturnType<typeof video>[] = [];
  for (let isBehind = false; !isBehind; isBehind = (await rig.settled()).some(({ lag_ms: lag = 0 }) => lag > 0)) {
    const next = video(all.length * 40, 100_000, 0x17);
    all.push(next);
    publisher.write(wire(next));
    await received(good, encodeMessages(all, 1).length);
  }
  // Too little for the endpoint to be woken at once.
  const last = video(all.length * 40, 100);
  publisher.write(wire(last));
  rig.say({ op: 'drop', id: 1 });
  const whole = Buffer.from(encodeMessages([...all, last], 1));
  await rig.event('returned');
  await rig.event('returned');
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'dropped' });
  await received(good, whole.length);
  slow.peer.resume();
  await received(slow, whole.length - rig.data(2).length);
  expect(Buffer.concat([slow.received(), rig.data(2)]).equals(whole)).toBe(true);
  expect(good.received().equals(whole)).toBe(true);
});

test.each(['end', 'terminate'] as const)(
  'a publisher that leaves (%s) is returned with its last bytes',
  async (how) => {
    rig = await startRig();
    const publisher = await rig.publisher(1);
    publisher.write(wire(video(40)));
    await until(async () => (await rig.settled()) && rig.data(1).length > 0);
    publisher.peer[how]();
    expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'ended' });
  },
);

test('a player that leaves is returned', async () => {
  rig = await startRig();
  const publisher = await rig.publisher(1);
  const player = await rig.player(2, 1, 0);
  await rig.event('taken');
  player.peer.terminate();
  expect(await rig.event('returned')).toMatchObject({ id: 2, reason: 'broken' });
  publisher.write(wire(video(40)));
  await until(async () => (await rig.settled()).length === 0);
});

test('what cannot be taken is refused, and no descriptor stays open', async () => {
  rig = await startRig();
  const pair = await rig.pair();
  const before = rig.openFiles();
  rig.give({ op: 'player', id: 2, publisher: 1, message: 0 }, pair);
  expect(await rig.event('refused')).toEqual({ ev: 'refused', id: 2 });
  rig.give({ ...steady(1), chunk: 0 }, pair);
  expect(await rig.event('error')).toMatchObject({ op: 'publisher', field: 'chunk' });
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'refused' });
  rig.give({ ...steady(1), streams: [{ id: 1 }] }, pair);
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'refused' });
  rig.give({ ...steady(1), streams: Array.from({ length: 65 }, (_, id) => stream(id)) }, pair);
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'refused' });
  for (const body of ['', 'abc', 'xy', 'AB', 'ab'.repeat(4097), 7]) {
    rig.give(
      {
        ...steady(1),
        headers: [
          { type: 9, body: '00' },
          { type: 9, body },
        ],
      },
      pair,
    );
    expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'refused' });
  }
  rig.give({ ...steady(1), headers: Array.from({ length: 4 }, () => ({ type: 9, body: '00' })) }, pair);
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'refused' });
  rig.give({ ...steady(1), audio: 7 }, pair);
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'refused' });
  rig.control(JSON.stringify(steady(1)));
  expect(await rig.event('returned')).toEqual({ ev: 'returned', id: 1, reason: 'refused' });
  // Descriptors with operations that take none.
  for (let i = 0; i < 10; i++) rig.give({ op: 'report' }, pair);
  await rig.settled();
  rig.events.length = 0;
  rig.give(steady(1), pair);
  rig.give({ op: 'player', id: 3, publisher: 1, message: 1 }, pair);
  expect(await rig.event('refused')).toEqual({ ev: 'refused', id: 3 });
  rig.say({ op: 'drop', id: 1 });
  await rig.settled();
  expect(rig.openFiles()).toBeLessThanOrEqual(before + 4);
});

const stream = (id: number) => ({ id, timestamp: 0, delta: 0, extended: false, length: 0, type: 0 });

const senseless = [
  '',
  '{',
  '[]',
  '{"op":"explode"}',
  '{"op":"publisher"}',
  '{"op":"player"}',
  '{"op":"player","id":-1,"publisher":1,"message":0}',
  '{"op":"player","id":1,"publisher":1,"message":-1}',
  '{"op":"player","id":1,"publisher":1,"message":1e300}',
  '{"op":"return"}',
  '{"op":"return","id":"1"}',
  '{"op":"drop","id":1.5}',
];

test('an invalid control frame is answered with an error, and an invalid frame ends the process', async () => {
  rig = await startRig();
  for (const text of senseless) {
    rig.control(text);
    await rig.event('error');
  }
  await rig.settled();
  rig.events.length = 0;
  rig.raw(frame('D', 1, new Uint8Array(5)));
  expect(await rig.event('error')).toMatchObject({ op: 'data' });
  rig.raw(new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n'));
  expect(await rig.child.exited).toBe(2);
  expect(await rig.stderr()).toContain('no frame');
  rig = await startRig();
});

test('it exits with 0 when the engine disconnects, with connections open', async () => {
  rig = await startRig();
  await rig.publisher(1);
  await rig.player(2, 1, 0);
  await rig.event('taken');
  rig.engine.end();
  expect(await rig.child.exited).toBe(0);
});

test('an engine that does not read stops publishers instead of losing their bytes, and then the process', async () => {
  rig = await startRig('plain');
  const publisher = await rig.publisher(1);
  rig.engine.pause();
  let written = 0;
  for (let time = 40; written < 24 << 20; time += 40) {
    const bytes = wire(video(time, 100_000, 0x17));
    publisher.write(bytes);
    written += bytes.length;
  }
  expect(await rig.child.exited).toBe(3);
  expect(await rig.stderr()).toContain('the engine has stopped reading');
}, 40_000);

test('it uses no CPU time while nothing arrives', async () => {
  rig = await startRig('plain');
  await rig.publisher(1);
  await rig.player(2, 1, 0);
  await rig.event('taken');
  const file = `/proc/${rig.child.pid}/status`;
  const switches = () => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]);
  const before = switches();
  await Bun.sleep(500);
  expect(switches() - before).toBeLessThanOrEqual(2);
});
