/** Transport streams in RTP: headers, order, loss; FFmpeg and GStreamer as peers. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import type { Socket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputFigures, OutputFigures } from '../../daemon/engine/udp/protocol.ts';
import { leasePort } from '../../tests/support/ports.ts';
import { spaced } from '../../tests/support/spaced-packets.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { packetSize, sampleStream } from '../common/test-ts.ts';
import { datagramBytes, packets, sendDatagram, UdpRig } from './test-rig.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'rtp-sample-'));
let sample = '';
let rig: UdpRig;

beforeAll(() => {
  endpointBinary('udp', 'asan');
  sample = sampleStream();
}, 120_000);
beforeEach(async () => {
  rig = await UdpRig.start();
});
afterEach(() => rig.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function rtp(sequence: number, payload: Uint8Array, change: { timestamp?: number; source?: number } = {}): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  header[1] = 33;
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE(change.timestamp ?? 0, 4);
  header.writeUInt32BE(change.source ?? 99, 8);
  return Buffer.concat([header, payload]);
}

const lateOf = (item: InputFigures | OutputFigures) => ('late' in item ? item.late : undefined);

/** Seven packets whose counters continue those of the previous datagram. */
const piece = (index: number) => packets(7, index * 7);
const inOrder = (count: number) => Buffer.from(packets(7 * count));

async function sendInOrder(port: number, sequences: readonly number[], from?: Socket): Promise<void> {
  const socket = from ?? (await rig.sender());
  for (const sequence of sequences) await sendDatagram(socket, port, rtp(sequence + 65_530, piece(sequence)));
}

test('packets have the header that a receiver expects', async () => {
  const [one, other] = [await rig.receiver(), await rig.receiver()];
  await rig.openOutput(1, one.port, { rtp: true });
  await rig.openOutput(2, other.port, { rtp: true });
  rig.bare.data(7, 1, packets(16));
  await until(() => one.sizes.length === 3 && other.sizes.length === 3);
  expect(one.sizes).toEqual([datagramBytes + 12, datagramBytes + 12, 2 * packetSize + 12]);
  const [first, second, third] = one.datagrams as [Buffer, Buffer, Buffer];
  expect([first[0], first[1]]).toEqual([0x80, 33]);
  expect(Buffer.concat(one.datagrams.map((datagram) => datagram.subarray(12)))).toEqual(Buffer.from(packets(16)));
  const sequences = one.datagrams.map((datagram) => datagram.readUInt16BE(2));
  expect(sequences.slice(1)).toEqual(sequences.slice(0, 2).map((sequence) => (sequence + 1) & 0xffff));
  expect(second.readUInt32BE(8)).toBe(first.readUInt32BE(8));
  // The last one waited for more packets: some milliseconds at 90 kHz.
  const waited = (third.readUInt32BE(4) - first.readUInt32BE(4)) >>> 0;
  expect(waited).toBeGreaterThan(3 * 90);
  expect(waited).toBeLessThan(1000 * 90);
  expect(other.datagrams).toEqual(one.datagrams);
  expect(await rig.settled()).toMatchObject([{ bytes: 16 * packetSize, lost: 0 }, { bytes: 16 * packetSize }]);
});

test('packets with a spacing of 204 bytes pass as packets of 188', async () => {
  const port = await rig.openInput(3, true);
  const socket = await rig.sender();
  for (let i = 0; i < 50; i++) await sendDatagram(socket, port, rtp(i, spaced(piece(i), 204)));
  await until(() => rig.bare.received(3).length >= inOrder(50).length);
  expect(rig.bare.received(3).equals(inOrder(50))).toBe(true);
});

test('UDP and RTP outputs of one channel send the same stream', async () => {
  const [plain, packed] = [await rig.receiver(), await rig.receiver()];
  await rig.openOutput(1, plain.port);
  await rig.openOutput(2, packed.port, { rtp: true });
  for (let part = 0; part < 3; part++) rig.bare.data(7, part === 0 ? 1 : 0, packets(700, part * 700));
  await until(() => plain.sizes.length === 300 && packed.sizes.length === 300);
  expect(Buffer.concat(packed.datagrams.map((datagram) => datagram.subarray(12)))).toEqual(
    Buffer.concat(plain.datagrams),
  );
});

test('packets that arrive out of order are sorted, across the wrap of the numbers', async () => {
  const port = await rig.openInput(3, true);
  await sendInOrder(port, [0, 1, 3, 2, 4, 8, 7, 6, 5, 9, 10]);
  await until(() => rig.bare.received(3).length === 11 * datagramBytes);
  expect(rig.bare.received(3)).toEqual(inOrder(11));
  expect(await rig.settled()).toMatchObject([{ lost: 0, late: 0, reordered: 2 }]);
});

test('lost packets are waited for, then counted, and the stream continues', async () => {
  const port = await rig.openInput(3, true);
  const socket = await rig.sender();
  await sendInOrder(port, [0, 1, 2, 4, 5, 7], socket);
  await until(() => rig.bare.received(3).length === 6 * datagramBytes);
  expect(await rig.settled()).toMatchObject([{ lost: 2, late: 0 }]);
  await sendInOrder(port, [6], socket);
  await until(() => {
    rig.say({ op: 'report' });
    return rig.bare.events.some((event) => event.ev === 'stats' && event.list.some((item) => lateOf(item) === 1));
  });
  expect(rig.bare.received(3).length).toBe(6 * datagramBytes);
});

test('a jump of the numbers and a new source restart the sequence', async () => {
  const port = await rig.openInput(3, true);
  const socket = await rig.sender();
  await sendDatagram(socket, port, rtp(10, piece(0)));
  // The first packet after a jump could be a stray one, so it is dropped.
  await sendDatagram(socket, port, rtp(40_000, piece(9)));
  await sendDatagram(socket, port, rtp(40_001, piece(1)));
  await sendDatagram(socket, port, rtp(5, piece(2), { source: 7 }));
  await sendDatagram(socket, port, rtp(600, piece(3), { source: 7 }));
  await until(() => rig.bare.received(3).length === 4 * datagramBytes);
  expect(rig.bare.received(3)).toEqual(inOrder(4));
  expect(await rig.settled()).toMatchObject([{ lost: 594, late: 1 }]);
});

test('a sender that restarts some hundred numbers back is accepted at once, stray packets are not', async () => {
  const port = await rig.openInput(3, true);
  const socket = await rig.sender();
  for (const [sequence, at] of [
    [1000, 0],
    [400, 8],
    [1001, 1],
    [700, 9],
    [701, 2],
    [702, 3],
  ] as const) {
    await sendDatagram(socket, port, rtp(sequence, piece(at)));
  }
  await until(() => rig.bare.received(3).length === 4 * datagramBytes);
  expect(rig.bare.received(3)).toEqual(inOrder(4));
});

test('extensions, contributing sources and padding are removed', async () => {
  const port = await rig.openInput(3, true);
  const header = rtp(1, new Uint8Array());
  header[0] = 0x80 | 0x20 | 0x10 | 2;
  const rest = Buffer.concat([Buffer.alloc(8, 1), Buffer.from([0xbe, 0xde, 0, 1, 9, 9, 9, 9])]);
  await sendDatagram(
    await rig.sender(),
    port,
    Buffer.concat([header, rest, piece(0), piece(1), piece(2), Buffer.from([0, 0, 0, 4])]),
  );
  await until(() => rig.bare.received(3).length > 0);
  expect(rig.bare.received(3)).toEqual(inOrder(3));
});

test.each([
  ['not RTP', Buffer.from(packets(7))],
  ['a header cut short', Buffer.from([0x80, 33, 0])],
  ['an extension beyond the end', Buffer.from([0x90, 33, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xbe, 0xde, 0xff, 0xff])],
  ['more padding than packet', Buffer.from([0xa0, 33, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff])],
  ['more sources than packet', Buffer.from([0x8f, 33, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])],
])('%s is dropped', async (_name, datagram) => {
  const port = await rig.openInput(3, true);
  const socket = await rig.sender();
  await sendDatagram(socket, port, datagram);
  for (let i = 0; i < 3; i++) await sendDatagram(socket, port, rtp(i, piece(i)));
  await until(() => rig.bare.received(3).length === 3 * datagramBytes);
  expect(rig.bare.received(3)).toEqual(inOrder(3));
});

test('FFmpeg as sender is received', async () => {
  const port = await rig.openInput(3, true);
  const command = ['-nostdin', '-v', 'error', '-re', '-i', sample, '-c', 'copy', '-f', 'rtp_mpegts'];
  const sender = Bun.spawn(['ffmpeg', ...command, `rtp://127.0.0.1:${port}`], { stdin: 'ignore' });
  expect(await sender.exited).toBe(0);
  const all = Bun.file(sample).size;
  await until(() => rig.bare.received(3).length > all / 2);
  const [input] = await rig.settled();
  expect(input).toMatchObject({ lost: 0, late: 0, reordered: 0 });
});

test('FFmpeg plays the output', async () => {
  const port = leasePort();
  const file = join(folder, 'received.ts');
  const described = join(folder, 'stream.sdp');
  await Bun.write(
    described,
    `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${port} RTP/AVP 33\n`,
  );
  const input = ['-nostdin', '-v', 'error', '-y', '-protocol_whitelist', 'file,udp,rtp', '-i', described];
  const player = Bun.spawn(['ffmpeg', ...input, '-t', '1', '-c', 'copy', file], { stdin: 'ignore', stderr: 'pipe' });
  await rig.openOutput(1, port, { rtp: true });
  const bytes = readFileSync(sample);
  // About 1 Mb/s, repeated until the player has enough.
  let at = 0;
  const timer = setInterval(() => {
    rig.bare.data(7, at === 0 ? 1 : 0, bytes.subarray(at, at + 14 * packetSize));
    at = at + 14 * packetSize >= bytes.length ? 0 : at + 14 * packetSize;
  }, 10);
  expect(await player.exited).toBe(0);
  clearInterval(timer);
  const show = ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', file];
  const found = new Set(
    Bun.spawnSync(['ffprobe', ...show])
      .stdout.toString()
      .split(/\s+/)
      .filter(Boolean),
  );
  expect([...found].sort()).toEqual(['aac', 'h264']);
});
