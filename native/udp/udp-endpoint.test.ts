/** The endpoint built with AddressSanitizer, with the test in the role of the engine. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leasePort } from '../../tests/support/ports.ts';
import { spaced, spacings } from '../../tests/support/spaced-packets.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary, frame } from '../common/test-endpoint.ts';
import { packetSize, runsOf, sampleStream } from '../common/test-ts.ts';
import { datagramBytes, packets, sendDatagrams, UdpRig } from './test-rig.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'udp-sample-'));
let binary = '';
let sample: Uint8Array;
let rig: UdpRig;

beforeAll(() => {
  binary = endpointBinary('udp', 'asan');
  sample = readFileSync(sampleStream());
}, 120_000);
beforeEach(async () => {
  rig = await UdpRig.start();
});
afterEach(() => rig.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('datagrams contain seven packets; the rest is sent after a short time', async () => {
  const { port, sizes } = await rig.receiver();
  await rig.openOutput(1, port);
  rig.bare.data(7, 1, packets(16));
  await until(() => sizes.length === 3);
  expect(sizes).toEqual([datagramBytes, datagramBytes, 2 * packetSize]);
});

test('two pieces in quick succession share a datagram', async () => {
  const { port, sizes } = await rig.receiver();
  await rig.openOutput(1, port);
  rig.bare.raw(Uint8Array.from([...frame('D', 7, packets(5), 1), ...frame('D', 7, packets(2, 5))]));
  await until(() => sizes.length > 0);
  expect(sizes).toEqual([datagramBytes]);
});

test('a burst larger than a receive buffer arrives complete at every output', async () => {
  const [one, other] = [await rig.receiver(), await rig.receiver()];
  await rig.openOutput(1, one.port);
  await rig.openOutput(2, other.port);
  for (let part = 0; part < 6; part++) rig.bare.data(7, part === 0 ? 1 : 0, packets(700, part * 700));
  await until(() => one.sizes.length === 600 && other.sizes.length === 600);
  expect([one.check.jumps, other.check.jumps]).toEqual([0, 0]);
  rig.say({ op: 'report' });
  const { list } = await rig.event('stats');
  expect(list).toEqual([
    { output: 1, bytes: 600 * datagramBytes, lost: 0 },
    { output: 2, bytes: 600 * datagramBytes, lost: 0 },
  ]);
});

test('an output starts at the next random access point and does not affect the others', async () => {
  const [one, late] = [await rig.receiver(), await rig.receiver()];
  await rig.openOutput(1, one.port);
  rig.bare.data(7, 1, packets(7));
  await until(() => one.sizes.length === 1);
  await rig.openOutput(2, late.port);
  rig.bare.raw(Uint8Array.from([...frame('D', 7, packets(14, 7)), ...frame('D', 7, packets(9, 21), 1)]));
  await until(() => one.check.packets === 30 && late.check.packets === 9);
  expect(one.check.jumps).toBe(0);
  expect(late.sizes).toEqual([datagramBytes, 2 * packetSize]);
});

test('a stream without random access points starts after a while anyway', async () => {
  const { port, check } = await rig.receiver();
  await rig.openOutput(1, port);
  const opened = performance.now();
  await until(() => {
    rig.bare.data(7, 0, packets(7));
    return check.packets > 0;
  });
  expect(performance.now() - opened).toBeGreaterThan(1900);
});

test('a missing receiver loses no datagrams of the output', async () => {
  await rig.openOutput(1, leasePort());
  for (let i = 0; i < 30; i++) rig.bare.data(7, i === 0 ? 1 : 0, packets(7));
  await until(() => {
    rig.say({ op: 'report' });
    return rig.bare.events.some((found) => found.ev === 'stats' && found.list.some((item) => item.bytes === 30 * 1316));
  });
  const last = rig.bare.events.findLast((found) => found.ev === 'stats');
  expect(last).toMatchObject({ list: [{ output: 1, lost: 0 }] });
});

test('a multicast group reaches its members', async () => {
  const [group, port] = ['239.255.42.17', leasePort()];
  rig.say({ op: 'receive', id: 1, host: group, port, interface: '127.0.0.1', source: '', rtp: false });
  await rig.event('input-open');
  rig.say({ op: 'send', id: 1, feed: 7, host: group, port, ttl: 1, interface: 'lo', rtp: false });
  await rig.event('output-open');
  rig.bare.data(7, 1, packets(14));
  expect((await rig.event('sender')).peer).toStartWith('127.0.0.1:');
  await until(() => rig.bare.received(1).length === 14 * packetSize);
});

test('a linked input reaches the outputs unchanged, and the engine too', async () => {
  const { port: to, check, sizes } = await rig.receiver();
  const port = await rig.openInput(3);
  await rig.openOutput(1, to);
  rig.say({ op: 'link', input: 3, feed: 7 });
  await rig.settled();
  const socket = await rig.sender();
  await sendDatagrams(socket, port, sample);
  await until(() => rig.bare.received(3).length === sample.length);
  expect(Buffer.compare(rig.bare.received(3), Buffer.from(sample))).toBe(0);
  const entry = [...runsOf(sample)].findIndex(({ isEntry }) => isEntry);
  const skipped = [...runsOf(sample)].slice(0, entry).reduce((sum, { data }) => sum + data.length, 0);
  // The tables are sent first.
  const before = skipped - 2 * packetSize;
  await until(() => check.packets * packetSize === sample.length - before);
  expect(check).toMatchObject({ jumps: 0, tableJumps: 0, unaligned: 0, firstPids: [0, 0x1000, 0x100] });
  const whole = sample.subarray(0, 5 * datagramBytes);
  await sendDatagrams(socket, port, whole);
  await until(() => check.packets * packetSize === sample.length - before + whole.length);
  // Data that starts inside a batch may be split again; after that, datagrams pass unchanged.
  expect(sizes.at(-1)).toBe(datagramBytes);
  rig.say({ op: 'unlink', input: 3 });
  await rig.settled();
  await sendDatagrams(socket, port, sample);
  await until(() => rig.bare.received(3).length === 2 * sample.length + whole.length);
  expect(check.packets * packetSize).toBe(sample.length - before + whole.length);
});

test('packets that are split across datagrams are reassembled', async () => {
  const port = await rig.openInput(3);
  await sendDatagrams(await rig.sender(), port, sample, 1000);
  const whole = sample.length - (sample.length % packetSize);
  await until(() => rig.bare.received(3).length === whole);
  expect(Buffer.compare(rig.bare.received(3), Buffer.from(sample.subarray(0, whole)))).toBe(0);
});

test('only one sender at a time is accepted', async () => {
  const port = await rig.openInput(3);
  const [first, second] = [await rig.sender(), await rig.sender()];
  await sendDatagrams(first, port, packets(7));
  expect((await rig.event('sender')).peer).toBe(`127.0.0.1:${first.address().port}`);
  await sendDatagrams(second, port, packets(7));
  await sendDatagrams(first, port, packets(7, 7));
  await until(() => rig.bare.received(3).length === 14 * packetSize);
  expect(rig.bare.events.filter(({ ev }) => ev === 'sender')).toEqual([]);
  const silentFrom = performance.now();
  await until(() => {
    void sendDatagrams(second, port, packets(7));
    return rig.bare.events.some(({ ev }) => ev === 'sender');
  });
  expect(performance.now() - silentFrom).toBeGreaterThan(1800);
});

test.each(['0.0.0.0', '::'])(
  'at %s, only the configured sender is accepted, and what others send is counted',
  async (host) => {
    const port = leasePort();
    rig.say({ op: 'receive', id: 3, host, port, interface: '', source: '127.0.0.2', rtp: false });
    await rig.event('input-open');
    const [stranger, named] = [await rig.sender(), await rig.sender('127.0.0.2')];
    await sendDatagrams(stranger, port, packets(14));
    await until(async () => (await rig.settled()).some((item) => 'refused' in item && item.refused === 2));
    expect(rig.bare.events.filter(({ ev }) => ev === 'sender')).toEqual([]);
    await sendDatagrams(named, port, packets(7));
    expect((await rig.event('sender')).peer).toBe(`127.0.0.2:${named.address().port}`);
    await sendDatagrams(stranger, port, packets(7));
    await sendDatagrams(named, port, packets(7, 7));
    await until(() => rig.bare.received(3).length === 14 * packetSize);
    expect(await rig.settled()).toMatchObject([{ input: 3, datagrams: 2, refused: 3 }]);
  },
);

/** A datagram of seven packets, the first with a clock, in milliseconds. */
function clocked(pcrMs: number, pid = 0x100): Uint8Array {
  const bytes = packets(7);
  const ticks = BigInt(Math.round(pcrMs * 90)) & ((1n << 33n) - 1n);
  const field = [25n, 17n, 9n, 1n].map((shift) => Number((ticks >> shift) & 0xffn));
  bytes.set([0x47, pid >> 8, pid & 0xff, 0x30, 7, 0x10, ...field, Number(ticks & 1n) << 7, 0], 0);
  return bytes;
}

async function jitterAfter(clocks: readonly Uint8Array[]): Promise<number> {
  const port = await rig.openInput(3);
  const socket = await rig.sender();
  for (const bytes of clocks) await sendDatagrams(socket, port, bytes);
  await until(() => rig.bare.received(3).length === clocks.length * datagramBytes);
  const [figures] = await rig.settled();
  return figures && 'jitter' in figures ? figures.jitter : Number.NaN;
}

test('a stream that arrives faster than its clock has jitter', async () => {
  const jitter = await jitterAfter(Array.from({ length: 100 }, (_, i) => clocked(i * 400)));
  expect(jitter).toBeWithin(200, 600);
});

test('a jump of the clock, its wrap and the clock of another program do not count as jitter', async () => {
  const wrap = 2 ** 33 / 90;
  const near = [wrap - 2, wrap - 1, wrap, wrap + 1];
  const others = Array.from({ length: 20 }, (_, i) => clocked(i * 900, 0x101));
  const jitter = await jitterAfter([...near.map((ms) => clocked(ms)), ...others, clocked(60_000), clocked(60_001)]);
  expect(jitter).toBeLessThan(100);
});

for (const spacing of spacings) {
  test(`packets ${spacing} bytes apart pass as packets of 188, however the datagrams are cut`, async () => {
    const port = await rig.openInput(3);
    const socket = await rig.sender();
    const stream = Buffer.from(packets(700));
    const bytes = spaced(stream, spacing);
    let at = 0;
    for (const size of [7 * spacing, 1000, 1472, spacing, 10, 300]) {
      await sendDatagrams(socket, port, bytes.subarray(at, at + size));
      at += size;
    }
    await sendDatagrams(socket, port, bytes.subarray(at));
    await until(() => rig.bare.received(3).length >= stream.length);
    expect(rig.bare.received(3).equals(stream)).toBe(true);
    expect(rig.bare.events.filter(({ ev }) => ev === 'no-sync')).toEqual([]);
  });
}

test('a stream that is not a transport stream is reported once and never passed on', async () => {
  const port = await rig.openInput(3);
  const socket = await rig.sender();
  await sendDatagrams(socket, port, new Uint8Array(200_000).fill(0x20));
  await rig.event('no-sync');
  expect(rig.bare.received(3).length).toBe(0);
  await sendDatagrams(socket, port, packets(70));
  await until(() => rig.bare.received(3).length > 60 * packetSize);
  expect(rig.bare.events.filter(({ ev }) => ev === 'no-sync')).toEqual([]);
});

test('a socket that cannot be opened is reported with its reason', async () => {
  const taken = await rig.sender();
  rig.say({
    op: 'receive',
    id: 1,
    host: '127.0.0.1',
    port: taken.address().port,
    interface: '',
    source: '',
    rtp: false,
  });
  expect(await rig.event('input-failed')).toMatchObject({ id: 1, reason: 'busy' });
  rig.say({ op: 'receive', id: 2, host: '192.0.2.1', port: 4000, interface: '', source: '', rtp: false });
  expect(await rig.event('input-failed')).toMatchObject({ id: 2, reason: 'no address' });
  rig.say({
    op: 'receive',
    id: 3,
    host: '239.1.1.1',
    port: 4000,
    interface: 'no-such-interface',
    source: '',
    rtp: false,
  });
  expect(await rig.event('input-failed')).toMatchObject({ id: 3, reason: 'no address' });
  rig.say({ op: 'send', id: 4, feed: 1, host: 'a.name', port: 4000, ttl: 0, interface: '', rtp: false });
  expect(await rig.event('output-failed')).toMatchObject({ id: 4, reason: 'bad field', error: 'host' });
  rig.say({ op: 'send', id: 5, feed: 1, host: '127.0.0.1', port: 4000, ttl: 0, interface: '192.0.2.1', rtp: false });
  expect(await rig.event('output-failed')).toMatchObject({ id: 5, reason: 'no address' });
});

test('an id in use is replaced, and a closed one is free again', async () => {
  const port = await rig.openInput(3);
  rig.say({ op: 'receive', id: 3, host: '127.0.0.1', port, interface: '', source: '', rtp: false });
  await rig.event('input-open');
  rig.say({ op: 'stop-receive', id: 3 });
  rig.say({ op: 'receive', id: 4, host: '127.0.0.1', port, interface: '', source: '', rtp: false });
  await rig.event('input-open');
  const [one, other] = [await rig.receiver(), await rig.receiver()];
  await rig.openOutput(1, one.port);
  await rig.openOutput(1, other.port);
  rig.bare.data(7, 1, packets(7));
  await until(() => other.sizes.length === 1);
  expect(one.sizes).toEqual([]);
  rig.say({ op: 'stop-send', id: 1 });
  rig.say({ op: 'stop-send', id: 1 });
  rig.bare.data(7, 1, packets(7));
  rig.say({ op: 'report' });
  expect((await rig.event('stats')).list).toMatchObject([{ input: 4, overruns: 0 }]);
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

test('each invalid control or data frame is answered with an error', async () => {
  for (const text of senseless) {
    rig.bare.control(text);
    await rig.event('error');
  }
  rig.bare.data(1, 0, new Uint8Array(100));
  expect(await rig.event('error')).toMatchObject({ op: 'data' });
  expect(rig.bare.events.filter(({ ev }) => ev !== 'hello')).toEqual([]);
});

test('it reports its version, and exits with 0 when the engine disconnects', async () => {
  expect(rig.bare.events[0]).toEqual({ ev: 'hello', version: 4 });
  expect(Bun.spawnSync([binary, '--version']).stdout.toString()).toBe('udp-endpoint 4\n');
  expect(Bun.spawnSync([binary]).exitCode).toBe(1);
  await rig.openInput(1);
  await rig.openOutput(1, leasePort());
  rig.bare.socket.end();
  expect(await rig.bare.child.exited).toBe(0);
});

test('an invalid frame makes it exit with 2 and a reason', async () => {
  rig.bare.raw(new TextEncoder().encode('GET / HTTP/1.1\r\n\r\n'));
  expect(await rig.bare.child.exited).toBe(2);
  expect(await rig.bare.stderr()).toContain('no frame');
});
