/** Publishers whose packets reach the receivers inside the endpoint, while the engine gets a copy in batches. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSectionReader, packetsOf, withChecksum } from '../../daemon/engine/mpegts/psi.ts';
import { leasePort } from '../../tests/support/ports.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { packetSize, pidOf, type StreamCheck, sampleStream } from '../common/test-ts.ts';
import { type Peer, playKey, pushKey, Rig } from './test-rig.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'srt-sample-'));
const videoPid = 0x100;
let sample = '';
let rig: Rig;

beforeAll(() => {
  endpointBinary('srt', 'asan');
  endpointBinary('srt', 'plain');
  sample = sampleStream();
}, 120_000);
afterEach(() => rig.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startSilent(build: 'asan' | 'plain' = 'asan'): Promise<void> {
  rig = await Rig.start(build);
  rig.isEchoing = false;
}

/** Accepts a publisher and links it to feed 7; returns its connection. */
async function link(): Promise<number> {
  const { conn } = await rig.event('publish');
  rig.endpoint.send({ op: 'link', conn, feed: 7 });
  return conn;
}

/** Publishes bytes in pieces, so that they arrive as from an encoder, for as long as they are needed. */
async function feedPieces(publisher: Peer, bytes: Uint8Array, isNeeded: () => boolean): Promise<void> {
  const piece = 7 * packetSize * 4;
  for (let at = 0; isNeeded(); at = (at + piece) % bytes.length) {
    publisher.write(bytes.subarray(at, at + piece));
    await Bun.sleep(15);
  }
}

const isPlaying = (player: Peer, packets = 500) => until(() => player.check.packets > packets);

test('the data of a linked publisher reaches players without the engine, from a random access point on', async () => {
  await startSilent();
  rig.publish(sample, rig.url(pushKey));
  const conn = await link();
  const early = rig.play(rig.url(playKey));
  await isPlaying(early);
  // It joins in the middle and starts with the buffered data.
  const late = rig.play(rig.url(playKey));
  await isPlaying(late);
  for (const player of [early, late]) {
    expect(player.check).toMatchObject({ jumps: 0, tableJumps: 0, unaligned: 0 });
    expect(player.check.firstPids).toEqual([0, 0x1000, videoPid]);
  }
  await until(() => rig.checkOf(conn).packets > 500);
  expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
});

test('a feed without players keeps its newest random access point for the first player', async () => {
  await startSilent();
  const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  const conn = await link();
  const bytes = readFileSync(sample);
  await feedPieces(publisher, bytes, () => rig.checkOf(conn).packets < 800);
  // Nothing more arrives, so the player gets the buffered data.
  const player = rig.play(rig.url(playKey));
  await until(() => player.check.packets > 3);
  expect(player.check.firstPids).toEqual([0, 0x1000, videoPid]);
});

/** Publishes these bytes to a linked feed until a player has some of them; returns what the player received. */
async function playLinked(bytes: Uint8Array): Promise<StreamCheck> {
  await startSilent();
  const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  await link();
  const player = rig.play(rig.url(playKey));
  await feedPieces(publisher, bytes, () => player.check.packets < 100);
  return player.check;
}

test.each(['libx264', 'mpeg2video', 'mpeg4'])('keyframes of %s are found if the sender marks none', async (codec) => {
  const bytes = readFileSync(sampleStream(codec));
  for (let at = 0; at < bytes.length; at += packetSize) {
    const hasFlags = ((bytes[at + 3] ?? 0) & 0x20) !== 0 && (bytes[at + 4] ?? 0) > 0;
    if (hasFlags) bytes[at + 5] = (bytes[at + 5] ?? 0) & ~0x40;
  }
  const { firstPids } = await playLinked(bytes);
  expect(firstPids).toEqual([0, 0x1000, videoPid]);
});

test('a program without a PMT before the existing one does not delay players', async () => {
  const bytes = readFileSync(sample);
  const entries = [0, 99, 0xe0, 0x50, 0, 1, 0xf0, 0];
  const pat = withChecksum(Uint8Array.from([0, 0xb0, 9 + entries.length, 0, 1, 0xc1, 0, 0, ...entries]));
  for (let at = 0; at < bytes.length; at += packetSize) {
    if (pidOf(bytes, at) === 0) bytes.set(packetsOf(pat, 0, (bytes[at + 3] ?? 0) & 15), at);
  }
  const { firstPids } = await playLinked(bytes);
  expect(firstPids).toEqual([0, 0x1000, videoPid]);
});

test('a stream without known random access points starts for a player after a delay', async () => {
  const bytes = readFileSync(sample);
  for (let at = 0; at < bytes.length; at += packetSize) {
    if (pidOf(bytes, at) < 0x100 || pidOf(bytes, at) === 0x1000) bytes.set([0x47, 0x1f, 0xff], at);
  }
  expect((await playLinked(bytes)).unaligned).toBe(0);
});

test('the engine gets its copy as rarely as it asks for, and complete', async () => {
  await startSilent();
  // In equal pieces, which FFmpeg does not send.
  const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  const conn = await link();
  let isNeeded = true;
  const sending = feedPieces(publisher, readFileSync(sample), () => isNeeded);
  await until(() => rig.checkOf(conn).packets > 200);
  const countFrames = async (packets: number) => {
    const [frames, seen] = [rig.frames, rig.checkOf(conn).packets];
    await until(() => rig.checkOf(conn).packets > seen + packets);
    return (rig.checkOf(conn).packets - seen) / (rig.frames - frames);
  };
  const often = await countFrames(600);
  rig.endpoint.send({ op: 'batch', conn, ms: 200, prompt: false });
  await countFrames(200);
  const rarely = await countFrames(1500);
  // Video and audio frames start far more often.
  rig.endpoint.send({ op: 'batch', conn, ms: 200, prompt: true });
  await countFrames(200);
  const promptly = await countFrames(1500);
  isNeeded = false;
  await sending;
  expect(rarely).toBeGreaterThan(2 * often);
  expect(rarely).toBeGreaterThan(2 * promptly);
  expect(rig.checkOf(conn).unaligned).toBe(0);
});

test('the next publisher restarts the feed: a player that connects in between gets no old pictures', async () => {
  await startSilent();
  const first = rig.publish(sample, rig.url(pushKey));
  const conn = await link();
  const player = rig.play(rig.url(playKey));
  await isPlaying(player);
  first.kill('SIGINT');
  await rig.event('closed', (event) => event.conn === conn);
  await rig.event('client');
  const between = rig.play(rig.url(playKey));
  const { conn: betweenAs } = await rig.event('client');
  await rig.event('stats', ({ list }) => list.some((item) => item.conn === betweenAs && item.bytes === 0));
  const seen = player.check.packets;
  rig.publish(sample, rig.url(pushKey));
  await link();
  await until(() => player.check.packets > seen + 300 && between.check.packets > 300);
  expect(between.check).toMatchObject({ jumps: 0, unaligned: 0 });
  expect(between.check.firstPids).toEqual([0, 0x1000, videoPid]);
  expect(player.check.unaligned).toBe(0);
});

test('an unlinked feed is sent by the engine, a linked one is not', async () => {
  await startSilent();
  rig.publish(sample, rig.url(pushKey));
  const conn = await link();
  const player = rig.play(rig.url(playKey));
  await isPlaying(player);
  rig.endpoint.sendData(7, 1, new Uint8Array(packetSize).fill(0x47));
  expect(await rig.event('error')).toMatchObject({ op: 'data', text: 'the feed is linked' });
  rig.isEchoing = true;
  rig.endpoint.send({ op: 'unlink', conn });
  await isPlaying(player, player.check.packets + 1000);
  expect(player.check.unaligned).toBe(0);
  expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
});

test('a call that receives is linked like a publisher', async () => {
  await startSilent();
  const port = leasePort();
  rig.publish(sample, `srt://127.0.0.1:${port}?mode=listener`);
  const call = { op: 'call', id: 3, feed: 0, hosts: ['127.0.0.1'], port, direction: 'receive' } as const;
  const rest = { latency: 60, streamid: '', passphrase: '', pbkeylen: 0, oheadbw: 0 };
  let isUp = false;
  for (let attempt = 0; attempt < 5 && !isUp; attempt++) {
    rig.endpoint.send({ ...call, ...rest });
    isUp = (await rig.event('call', ({ state }) => state !== 'connecting')).state === 'connected';
  }
  rig.endpoint.send({ op: 'link', call: 3, feed: 7 });
  const player = rig.play(rig.url(playKey));
  await isPlaying(player);
  expect(player.check.firstPids).toEqual([0, 0x1000, videoPid]);
  rig.endpoint.send({ op: 'hangup', id: 3 });
  await rig.event('call', ({ state }) => state === 'closed');
});

test('players of a linked feed continue while the engine does not read, and it learns what it lost', async () => {
  await startSilent('plain');
  const fast = ['-readrate', '30', '-stream_loop', '-1', '-i', sample, '-c', 'copy', '-f', 'mpegts'];
  rig.peer(['ffmpeg', '-nostdin', '-v', 'error', ...fast, rig.url(pushKey)]);
  const conn = await link();
  // To a file, because this process is blocked for a while.
  const player = `exec srt-live-transmit -a:no -loglevel:error '${rig.url(playKey)}' file://con > ${folder}/played.ts`;
  rig.peer(['sh', '-c', player]);
  const { conn: playing } = await rig.event('client');
  await until(() => rig.checkOf(conn).packets > 5000);
  Bun.sleepSync(4000);
  const { list } = await rig.event('stats', (event) => event.list.some((item) => (item.dropped_bytes ?? 0) > 0));
  const [incoming, outgoing] = [conn, playing].map((id) => list.find((item) => item.conn === id));
  expect(outgoing?.skips).toBe(0);
  expect(outgoing?.bytes).toBeGreaterThan((incoming?.bytes ?? 0) - (2 << 20));
  await until(() => rig.lost === 1);
});

/** Overwrites the start of a section with these bytes; its length and checksum depend on the existing ones. */
function writeSection(bytes: Uint8Array, at: number, begin: readonly number[]): void {
  const packet = bytes.subarray(at, at + packetSize);
  const length = 16 + ((packet[20] ?? 0) % 160);
  const section = packet.slice(5, 5 + length);
  section.set(begin);
  section[2] = length + 1;
  packet[3] = 0x10 | ((packet[3] ?? 0) & 15);
  packet[4] = 0;
  packet.set((packet[21] ?? 0) < 64 ? section : withChecksum(section), 5);
}

/** The same stream with a PMT that takes two packets. */
function withLongPmt(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let count = 0;
  for (let at = 0; at < bytes.length; at += packetSize) {
    const packet = bytes.subarray(at, at + packetSize);
    if (pidOf(packet, 0) !== 0x1000) {
      parts.push(packet);
      continue;
    }
    const [pmt] = createSectionReader().read(packet, 0);
    if (!pmt) throw new Error('no PMT');
    const rest = pmt.subarray(12, -4);
    const descriptor = [0x80, 190, ...new Uint8Array(190)];
    const body = Uint8Array.from([...pmt.subarray(0, 10), 0xf0, descriptor.length, ...descriptor, ...rest]);
    body[2] = body.length + 1;
    parts.push(packetsOf(withChecksum(body), 0x1000, count));
    count += 2;
  }
  return Buffer.concat(parts);
}

test('tables that take several packets are found and sent first', async () => {
  await startSilent();
  const bytes = withLongPmt(readFileSync(sample));
  const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  const conn = await link();
  let pieces = 0;
  await feedPieces(publisher, bytes, () => pieces++ < 20);
  await until(() => rig.checkOf(conn).packets > 300);
  const player = rig.play(rig.url(playKey));
  await isPlaying(player, 3);
  expect(player.check).toMatchObject({ jumps: 0, tableJumps: 0, unaligned: 0, firstPids: [0, 0x1000, 0x1000] });
});

test('a stream with invalid tables is passed on and does no harm', async () => {
  await startSilent();
  const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  const conn = await link();
  const bytes = crypto.getRandomValues(new Uint8Array(300 * packetSize));
  const pids = [0, 0x1000, videoPid, 0x1fff];
  for (let at = 0; at < bytes.length; at += packetSize) {
    const pid = pids[(bytes[at + 1] ?? 0) & 3] ?? 0;
    const hasField = (bytes[at + 3] ?? 0) & 0x20;
    bytes.set([0x47, 0x40 | (pid >> 8), pid & 0xff], at);
    const start = hasField ? at + 5 + (bytes[at + 4] ?? 0) : at + 4;
    // A table with a valid checksum and invalid lengths, one without a checksum, or a PES packet.
    if (pid === 0) writeSection(bytes, at, [0, 0xb0, 0, 0, 0, 0xc1, 0, 0, 0, 1, 0xf0, 0]);
    else if (pid === 0x1000) writeSection(bytes, at, [2, 0xb0, 0, 0, 1, 0xc1, 0, 0, 0xe1, 0]);
    else if (start + 4 <= at + packetSize) bytes.set([0, 0, 1, 0xe0], start);
  }
  expect(pidOf(bytes, 0)).toBeOneOf(pids);
  rig.play(rig.url(playKey));
  await rig.event('client');
  await feedPieces(publisher, bytes, () => rig.checkOf(conn).packets < 3000);
  expect(rig.checkOf(conn).unaligned).toBe(0);
  expect(rig.starts).toBe(1);
});

test('only connections that receive media can be linked', async () => {
  await startSilent();
  rig.play(rig.url(playKey));
  const { conn } = await rig.event('client');
  rig.endpoint.send({ op: 'link', conn, feed: 7 });
  expect(await rig.event('error')).toMatchObject({ op: 'link', field: 'conn' });
});
