/** The endpoint under the address sanitizer, with the engine's side played by the test. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readUdpEvent, type UdpEvent, type UdpOperation } from '../../daemon/media/udp/protocol.ts';
import {
  type Bare,
  endpointBinary,
  frame,
  freeUdpPort,
  sanitizerReport,
  startBare,
  until,
} from '../common/test-endpoint.ts';
import { packetSize, runsOf, StreamCheck, sampleStream } from '../common/test-ts.ts';

setDefaultTimeout(20_000);

const datagramBytes = 7 * packetSize;
const folder = mkdtempSync(join(tmpdir(), 'udp-sample-'));
let binary = '';
let sample: Uint8Array;
let bare: Bare<UdpEvent>;
let sockets: Socket[] = [];

beforeAll(() => {
  binary = endpointBinary('udp', 'asan');
  sample = readFileSync(sampleStream(folder));
}, 120_000);
beforeEach(async () => {
  bare = await startBare(binary, readUdpEvent);
});
afterEach(async () => {
  for (const socket of sockets) socket.close();
  sockets = [];
  bare.child.kill('SIGTERM');
  await bare.child.exited;
  bare.close();
  expect(await bare.stderr()).not.toMatch(sanitizerReport);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const say = (operation: UdpOperation) => bare.control(JSON.stringify(operation));

async function event<Name extends UdpEvent['ev']>(name: Name): Promise<Extract<UdpEvent, { ev: Name }>> {
  const find = () => bare.events.findIndex(({ ev }) => ev === name);
  await until(`event ${name} among ${JSON.stringify(bare.events)}`, () => find() >= 0);
  return bare.events.splice(find(), 1)[0] as Extract<UdpEvent, { ev: Name }>;
}

/** Everything said so far was done. */
async function settled(): Promise<void> {
  say({ op: 'report' });
  await event('stats');
}

interface Receiver {
  readonly port: number;
  readonly sizes: number[];
  readonly check: StreamCheck;
}

async function receiver(): Promise<Receiver> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
  sockets.push(socket);
  const found = { sizes: [] as number[], check: new StreamCheck() };
  socket.on('message', (data) => {
    found.sizes.push(data.length);
    found.check.add(data);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { port: socket.address().port, ...found };
}

async function openOutput(id: number, port: number, feed = 7): Promise<void> {
  say({ op: 'send', id, feed, host: '127.0.0.1', port, ttl: 0, interface: '' });
  await event('output-open');
}

async function openInput(id: number): Promise<number> {
  const port = await freeUdpPort();
  say({ op: 'receive', id, host: '127.0.0.1', port, interface: '' });
  await event('input-open');
  return port;
}

async function sender(): Promise<Socket> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket;
}

async function sendDatagrams(socket: Socket, port: number, bytes: Uint8Array, size = datagramBytes): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve, reject) =>
      socket.send(bytes.subarray(at, at + size), port, '127.0.0.1', (error) => (error ? reject(error) : resolve())),
    );
  }
}

/** `packets` of a made-up video stream; the first is an entry point if asked for. */
function packets(count: number, first = 0): Uint8Array {
  const bytes = new Uint8Array(count * packetSize).fill(0xaa);
  for (let i = 0; i < count; i++) bytes.set([0x47, 0x01, 0x00, 0x10 | ((first + i) & 15)], i * packetSize);
  return bytes;
}

test('datagrams hold seven packets; what is left goes out after a moment', async () => {
  const { port, sizes } = await receiver();
  await openOutput(1, port);
  bare.data(7, 1, packets(16));
  await until('all came', () => sizes.length === 3);
  expect(sizes).toEqual([datagramBytes, datagramBytes, 2 * packetSize]);
});

test('two pieces that follow each other closely share a datagram', async () => {
  const { port, sizes } = await receiver();
  await openOutput(1, port);
  bare.raw(Uint8Array.from([...frame('D', 7, packets(5), 1), ...frame('D', 7, packets(2, 5))]));
  await until('all came', () => sizes.length > 0);
  expect(sizes).toEqual([datagramBytes]);
});

test('a burst bigger than a receive buffer arrives whole at every output', async () => {
  const [one, other] = [await receiver(), await receiver()];
  await openOutput(1, one.port);
  await openOutput(2, other.port);
  for (let part = 0; part < 6; part++) bare.data(7, part === 0 ? 1 : 0, packets(700, part * 700));
  await until('all came', () => one.sizes.length === 600 && other.sizes.length === 600);
  expect([one.check.jumps, other.check.jumps]).toEqual([0, 0]);
  say({ op: 'report' });
  const { list } = await event('stats');
  expect(list).toEqual([
    { output: 1, bytes: 600 * datagramBytes, lost: 0 },
    { output: 2, bytes: 600 * datagramBytes, lost: 0 },
  ]);
});

test('an output begins at the next entry point and does not move the others', async () => {
  const [one, late] = [await receiver(), await receiver()];
  await openOutput(1, one.port);
  bare.data(7, 1, packets(7));
  await until('the first runs', () => one.sizes.length === 1);
  await openOutput(2, late.port);
  bare.raw(Uint8Array.from([...frame('D', 7, packets(14, 7)), ...frame('D', 7, packets(9, 21), 1)]));
  await until('both have all', () => one.check.packets === 30 && late.check.packets === 9);
  expect(one.check.jumps).toBe(0);
  expect(late.sizes).toEqual([datagramBytes, 2 * packetSize]);
});

test('a stream without entry points begins after a while all the same', async () => {
  const { port, check } = await receiver();
  await openOutput(1, port);
  const opened = performance.now();
  await until('it begins', () => {
    bare.data(7, 0, packets(7));
    return check.packets > 0;
  });
  expect(performance.now() - opened).toBeGreaterThan(1900);
});

test('nobody at the destination costs no datagram', async () => {
  await openOutput(1, await freeUdpPort());
  for (let i = 0; i < 30; i++) bare.data(7, i === 0 ? 1 : 0, packets(7));
  await until('all are counted', () => {
    say({ op: 'report' });
    return bare.events.some((found) => found.ev === 'stats' && found.list.some((item) => item.bytes === 30 * 1316));
  });
  const last = bare.events.findLast((found) => found.ev === 'stats');
  expect(last).toMatchObject({ list: [{ output: 1, lost: 0 }] });
});

test('a group reaches those who joined it', async () => {
  const [group, port] = ['239.255.42.17', await freeUdpPort()];
  say({ op: 'receive', id: 1, host: group, port, interface: '127.0.0.1' });
  await event('input-open');
  say({ op: 'send', id: 1, feed: 7, host: group, port, ttl: 1, interface: 'lo' });
  await event('output-open');
  bare.data(7, 1, packets(14));
  expect((await event('sender')).peer).toStartWith('127.0.0.1:');
  await until('the engine has it', () => bare.received(1).length === 14 * packetSize);
});

test('a linked input reaches the outputs as it came, and the engine too', async () => {
  const { port: to, check, sizes } = await receiver();
  const port = await openInput(3);
  await openOutput(1, to);
  say({ op: 'link', input: 3, feed: 7 });
  await settled();
  const socket = await sender();
  await sendDatagrams(socket, port, sample);
  await until('the engine has all', () => bare.received(3).length === sample.length);
  expect(Buffer.compare(bare.received(3), Buffer.from(sample))).toBe(0);
  const entry = [...runsOf(sample)].findIndex(({ isEntry }) => isEntry);
  const before = [...runsOf(sample)].slice(0, entry).reduce((sum, { data }) => sum + data.length, 0);
  await until('the output has all', () => check.packets * packetSize === sample.length - before);
  expect(check).toMatchObject({ jumps: 0, unaligned: 0 });
  // But for the first, which begins at the entry point, and the last of the file.
  expect(sizes.slice(1, -1).every((size) => size === datagramBytes)).toBe(true);
  say({ op: 'unlink', input: 3 });
  await settled();
  await sendDatagrams(socket, port, sample);
  await until('the engine has it twice', () => bare.received(3).length === 2 * sample.length);
  expect(check.packets * packetSize).toBe(sample.length - before);
});

test('packets that do not fit their datagrams are put together', async () => {
  const port = await openInput(3);
  await sendDatagrams(await sender(), port, sample, 1000);
  const whole = sample.length - (sample.length % packetSize);
  await until('all came', () => bare.received(3).length === whole);
  expect(Buffer.compare(bare.received(3), Buffer.from(sample.subarray(0, whole)))).toBe(0);
});

test('one sender at a time is heard', async () => {
  const port = await openInput(3);
  const [first, second] = [await sender(), await sender()];
  await sendDatagrams(first, port, packets(7));
  expect((await event('sender')).peer).toBe(`127.0.0.1:${first.address().port}`);
  await sendDatagrams(second, port, packets(7));
  await sendDatagrams(first, port, packets(7, 7));
  await until('the first is heard on', () => bare.received(3).length === 14 * packetSize);
  expect(bare.events.filter(({ ev }) => ev === 'sender')).toEqual([]);
  const silentFrom = performance.now();
  await until('the second is heard', () => {
    void sendDatagrams(second, port, packets(7));
    return bare.events.some(({ ev }) => ev === 'sender');
  });
  expect(performance.now() - silentFrom).toBeGreaterThan(1800);
});

test('what is no transport stream is told once and never passed on', async () => {
  const port = await openInput(3);
  const socket = await sender();
  await sendDatagrams(socket, port, new Uint8Array(200_000).fill(0x20));
  await event('no-sync');
  expect(bare.received(3).length).toBe(0);
  await sendDatagrams(socket, port, packets(70));
  await until('a stream after it passes', () => bare.received(3).length > 60 * packetSize);
  expect(bare.events.filter(({ ev }) => ev === 'no-sync')).toEqual([]);
});

test('what cannot be opened is told with its reason', async () => {
  const taken = await sender();
  say({ op: 'receive', id: 1, host: '127.0.0.1', port: taken.address().port, interface: '' });
  expect(await event('input-failed')).toMatchObject({ id: 1, reason: 'busy' });
  say({ op: 'receive', id: 2, host: '192.0.2.1', port: 4000, interface: '' });
  expect(await event('input-failed')).toMatchObject({ id: 2, reason: 'no address' });
  say({ op: 'receive', id: 3, host: '239.1.1.1', port: 4000, interface: 'no-such-interface' });
  expect(await event('input-failed')).toMatchObject({ id: 3, reason: 'bad field', error: 'interface' });
  say({ op: 'send', id: 4, feed: 1, host: 'a.name', port: 4000, ttl: 0, interface: '' });
  expect(await event('output-failed')).toMatchObject({ id: 4, reason: 'bad field', error: 'host' });
  say({ op: 'send', id: 5, feed: 1, host: '127.0.0.1', port: 4000, ttl: 0, interface: '192.0.2.1' });
  expect(await event('output-failed')).toMatchObject({ id: 5, reason: 'no address' });
});

test('an id in use is replaced, and a closed one is free again', async () => {
  const port = await openInput(3);
  say({ op: 'receive', id: 3, host: '127.0.0.1', port, interface: '' });
  await event('input-open');
  say({ op: 'stop-receive', id: 3 });
  say({ op: 'receive', id: 4, host: '127.0.0.1', port, interface: '' });
  await event('input-open');
  const [one, other] = [await receiver(), await receiver()];
  await openOutput(1, one.port);
  await openOutput(1, other.port);
  bare.data(7, 1, packets(7));
  await until('the newer gets it', () => other.sizes.length === 1);
  expect(one.sizes).toEqual([]);
  say({ op: 'stop-send', id: 1 });
  say({ op: 'stop-send', id: 1 });
  bare.data(7, 1, packets(7));
  say({ op: 'report' });
  expect((await event('stats')).list).toMatchObject([{ input: 4, overruns: 0 }]);
});

const senseless = [
  '',
  'null',
  '{"op":"explode"}',
  '{"op":"link","input":-1,"feed":1}',
  '{"op":"batch","input":1,"ms":5000}',
  '{"op":"drop-feed"}',
  '{"op":"stop-send","id":"1"}',
  `${'['.repeat(100_000)}`,
];

test('control and data frames without sense are answered with an error each', async () => {
  for (const text of senseless) {
    bare.control(text);
    await event('error');
  }
  bare.data(1, 0, new Uint8Array(100));
  expect(await event('error')).toMatchObject({ op: 'data' });
  expect(bare.events.filter(({ ev }) => ev !== 'hello')).toEqual([]);
});

test('it tells its version, and ends with 0 when the engine goes', async () => {
  expect(bare.events[0]).toEqual({ ev: 'hello', version: 1 });
  expect(Bun.spawnSync([binary, '--version']).stdout.toString()).toBe('udp-endpoint 1\n');
  expect(Bun.spawnSync([binary]).exitCode).toBe(1);
  await openInput(1);
  await openOutput(1, await freeUdpPort());
  bare.socket.end();
  expect(await bare.child.exited).toBe(0);
});

test('a frame that is none ends it with 2 and a reason', async () => {
  bare.raw(new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n'));
  expect(await bare.child.exited).toBe(2);
  expect(await bare.stderr()).toContain('no frame');
});
