/** Publishers and players: real FFmpeg and srt-live-transmit against the endpoint built with AddressSanitizer. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spaced, spacings } from '../../tests/support/spaced-packets.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { sampleStream } from '../common/test-ts.ts';
import { playKey, pushKey, Rig } from './test-rig.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'srt-sample-'));
/** srt-live-transmit reads its input in blocks, keeps the last one until more arrives, and sends 1456 bytes at a time. */
const heldBack = 8192;
/** Bytes that are written at once where every packet must arrive. */
const burst = 16_384;
let sample = '';
let rig: Rig;

beforeAll(() => {
  endpointBinary('srt', 'asan');
  endpointBinary('srt', 'plain');
  sample = sampleStream();
}, 120_000);
afterEach(() => rig.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the endpoint confirms a numbered key table, unless it refuses the table', async () => {
  rig = await Rig.start('asan');
  const { endpoint } = rig;
  const row = { feed: 8, push: 'later', play: '', publish: true, play_ok: true, busy: false, replace: false };
  endpoint.send({ op: 'keys', number: 5, list: [row] });
  endpoint.send({ op: 'keys', number: 6, list: [{ ...row, feed: -1 }] });
  expect(await rig.event('keys')).toEqual({ ev: 'keys', number: 5 });
  expect(await rig.event('error')).toMatchObject({ op: 'keys' });
  rig.publish(sample, rig.url('later'));
  expect(await rig.event('publish')).toMatchObject({ feed: 8 });
});

test('a publisher reaches several players, each from a random access point on and without a gap', async () => {
  rig = await Rig.start('asan');
  const publisher = rig.publish(sample, rig.url(pushKey));
  const { conn, feed, encrypted, latency } = await rig.event('publish');
  expect({ feed, encrypted }).toEqual({ feed: 7, encrypted: false });
  expect(latency).toBeGreaterThanOrEqual(60);
  const plain = rig.play(rig.url(playKey));
  const accessControl = rig.play(rig.url(`#!::r=${playKey},m=request`));
  const third = rig.play(rig.url(`#!::u=${playKey},h=somewhere,t=stream`));
  for (const player of [plain, accessControl, third]) {
    await until(() => player.check.packets > 500);
    expect(player.check.jumps).toBe(0);
    expect(player.check.unaligned).toBe(0);
    // Tables, then a picture that can be decoded.
    expect(player.check.firstPids).toEqual([0, 0x1000, 0x100]);
  }
  expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
  publisher.kill('SIGINT');
  expect(await rig.event('closed', (event) => event.conn === conn)).toMatchObject({ reason: 'peer closed' });
});

test('ffprobe finds video and audio with the play key', async () => {
  rig = await Rig.start('asan');
  rig.publish(sample, rig.url(`#!::r=${pushKey},m=publish`));
  await rig.event('publish');
  const show = ['-show_entries', 'stream=codec_name,width', '-of', 'csv=p=0'];
  const probe = Bun.spawn(['ffprobe', '-v', 'error', '-analyzeduration', '500000', ...show, rig.url(playKey)], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const lines = (await new Response(probe.stdout).text()).split('\n');
  expect(lines).toContain('h264,320');
  expect(lines).toContain('aac');
  expect(await probe.exited).toBe(0);
});

test('srt-live-transmit publishes, and statistics show the data received and sent', async () => {
  rig = await Rig.start('asan');
  const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  const { conn } = await rig.event('publish');
  const player = rig.play(rig.url(playKey));
  const { conn: playing } = await rig.event('client');
  const bytes = readFileSync(sample);
  // In pieces, so that it lasts longer than one report interval.
  const piece = 7 * 188 * 4;
  for (let at = 0; at < bytes.length; at += piece) {
    publisher.write(bytes.subarray(at, at + piece));
    await Bun.sleep(25);
  }
  await until(() => rig.checkOf(conn).packets * 188 >= bytes.length - heldBack);
  const isBoth = (list: readonly { conn?: number; bytes: number }[]) =>
    list.some((item) => item.conn === conn && item.bytes > 0) &&
    list.some((item) => item.conn === playing && item.bytes > 0);
  const { list } = await rig.event('stats', (event) => isBoth(event.list));
  const incoming = list.find((item) => item.conn === conn);
  expect(incoming).toMatchObject({ dir: 'in', loss: 0, drop: 0, dropped_bytes: 0 });
  expect(incoming?.kbps).toBeGreaterThan(100);
  expect(incoming?.packets).toBeGreaterThanOrEqual(Math.floor((incoming?.bytes ?? 0) / 1456));
  expect(incoming?.packets).toBeGreaterThan(0);
  expect(incoming?.latency).toBeGreaterThanOrEqual(60);
  const outgoing = list.find((item) => item.conn === playing);
  expect(outgoing).toMatchObject({ dir: 'out', skips: 0 });
  expect(outgoing?.packets).toBeGreaterThan(0);
  expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
  expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
});

test('bytes that are not packets end the publisher, and none of them is passed on', async () => {
  rig = await Rig.start('asan');
  const noise = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  const { conn } = await rig.event('publish');
  // Without sync bytes: random ones at the distance of packets would now and then look like a stream.
  const bytes = crypto.getRandomValues(new Uint8Array(60_000)).map((byte) => (byte === 0x47 ? 0 : byte));
  noise.write(bytes);
  noise.write(bytes);
  expect(await rig.event('closed', (event) => event.conn === conn)).toMatchObject({ reason: 'no sync' });
  expect(rig.checkOf(conn).packets).toBe(0);
});

test('a publisher with junk before and between its packets is resynchronized', async () => {
  rig = await Rig.start('asan');
  const bytes = readFileSync(sample).subarray(0, 188 * 400);
  const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
  const { conn } = await rig.event('publish');
  const junk = new Uint8Array(500).fill(1);
  publisher.write(Buffer.concat([junk, bytes.subarray(0, 188 * 200), junk, bytes.subarray(188 * 200)]));
  await until(() => rig.checkOf(conn).packets >= 400 - heldBack / 188);
  expect(rig.checkOf(conn).unaligned).toBe(0);
  // The junk replaced nothing: the output is the stream, except for packets around the cuts.
  expect(rig.checkOf(conn).jumps).toBeLessThanOrEqual(2);
});

for (const spacing of spacings) {
  test(`packets ${spacing} bytes apart reach a player as packets of 188`, async () => {
    rig = await Rig.start('asan');
    const bytes = spaced(readFileSync(sample), spacing);
    const publisher = rig.peer(['srt-live-transmit', '-a:no', 'file://con', rig.url(pushKey)], { stdin: 'pipe' });
    const { conn } = await rig.event('publish');
    const player = rig.play(rig.url(playKey));
    await rig.event('client');
    // Far less at once than the receive buffer of the socket: a packet that comes too late is never repeated.
    for (let at = 0; at < bytes.length; at += burst) {
      publisher.write(bytes.subarray(at, at + burst));
      await until(() => rig.checkOf(conn).packets >= Math.floor((at - heldBack) / spacing));
    }
    await until(() => player.check.packets > 500);
    expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
    expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
  });
}

test('when killed, the endpoint restarts quickly, and a returning publisher continues', async () => {
  rig = await Rig.start('asan');
  rig.publish(sample, rig.url(pushKey));
  const { conn } = await rig.event('publish');
  await until(() => rig.checkOf(conn).packets > 100);
  const killedAt = performance.now();
  process.kill(rig.pid, 'SIGKILL');
  await until(() => rig.log.includes('down: ended by SIGKILL'));
  expect(rig.endpoint.send({ op: 'unlisten' })).toBe(false);
  await until(() => rig.starts === 2);
  await rig.listen();
  rig.publish(sample, rig.url(pushKey));
  await rig.event('publish');
  expect(performance.now() - killedAt).toBeLessThan(3000);
});
