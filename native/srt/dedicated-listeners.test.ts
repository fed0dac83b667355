/** Dedicated listeners: each has a port and a rule of its own. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { feedFlags, type OpenListenerOperation } from '../../daemon/engine/srt/protocol.ts';
import { leasePort } from '../../tests/support/ports.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { runsOf, sampleStream } from '../common/test-ts.ts';
import { playKey, Rig } from './test-rig.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'srt-sample-'));
let sample = '';
let rig: Rig;
let port = 0;

beforeAll(() => {
  endpointBinary('srt', 'asan');
  sample = sampleStream();
}, 120_000);
beforeEach(async () => {
  rig = await Rig.start('asan');
  port = leasePort();
});
afterEach(() => rig.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function sendListener(change: Partial<OpenListenerOperation>): void {
  rig.endpoint.send({
    op: 'open-listener',
    id: 3,
    feed: 7,
    direction: 'receive',
    bind: '127.0.0.1',
    port,
    latency: 60,
    passphrase: '',
    pbkeylen: 0,
    oheadbw: 25,
    streamid: '',
    max: 1,
    ...change,
  });
}

async function openListener(change: Partial<OpenListenerOperation> = {}): Promise<void> {
  sendListener(change);
  expect(await rig.event('listener')).toEqual({ ev: 'listener', id: change.id ?? 3, state: 'listening' });
}

const urlOf = (options = '') => `srt://127.0.0.1:${port}?mode=caller${options}`;

async function openUdp(udp: number): Promise<void> {
  const socket = await Bun.udpSocket({ hostname: '127.0.0.1', port: udp });
  socket.close();
}

/** Below the timeout of the library. */
async function untilFree(udp: number): Promise<void> {
  const isFree = () =>
    openUdp(udp).then(
      () => true,
      () => false,
    );
  await until(isFree, 2000, 'the port is free');
}

function sendSample(): void {
  for (const { data, isEntry } of runsOf(readFileSync(sample))) {
    rig.endpoint.sendData(7, isEntry ? feedFlags.entryPoint : 0, data);
  }
}

test('one sender is accepted, a second refused while the first is connected, and the next accepted after it', async () => {
  await openListener();
  const first = rig.publish(sample, urlOf());
  const { conn } = await rig.event('publish', ({ listener, feed }) => listener === 3 && feed === 7);
  const second = rig.publish(sample, urlOf());
  expect(await rig.event('rejected')).toMatchObject({ listener: 3, reason: 'conflict', code: 1409 });
  expect(await second.exited).not.toBe(0);
  await until(() => rig.checkOf(conn).packets > 200);
  expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
  await rig.event('stats', ({ list }) => list.some((item) => item.conn === conn && item.dir === 'in'));
  first.kill('SIGINT');
  expect(await rig.event('closed')).toMatchObject({ conn, reason: 'peer closed' });
  rig.publish(sample, urlOf());
  await rig.event('publish');
});

test('as many clients as allowed get the feed, one more is refused', async () => {
  await openListener({ direction: 'send', max: 2 });
  const players = [rig.play(urlOf()), rig.play(urlOf())];
  const first = await rig.event('client', ({ listener }) => listener === 3);
  await rig.event('client', ({ listener }) => listener === 3);
  const third = rig.play(urlOf());
  expect(await rig.event('rejected')).toMatchObject({ listener: 3, reason: 'too many connections', code: 1402 });
  await until(() => third.stderr().includes('Application-defined rejection reason'));
  third.kill();
  sendSample();
  for (const { check } of players) {
    await until(() => check.packets > 100);
    expect(check).toMatchObject({ jumps: 0, unaligned: 0 });
  }
  rig.endpoint.send({ op: 'kick', conn: first.conn });
  await rig.event('closed', ({ conn }) => conn === first.conn);
  rig.play(urlOf());
  await rig.event('client');
});

test('a caller with another stream id than the required one, or none, is refused', async () => {
  await openListener({ direction: 'send', max: 9, streamid: 'studio/one,é#!' });
  for (const id of ['', 'studio/one', 'studio/one,é#!x', playKey]) {
    const player = rig.play(urlOf(`&streamid=${encodeURIComponent(id)}`));
    expect(await rig.event('rejected')).toMatchObject({ listener: 3, reason: 'wrong stream id', code: 1401 });
    player.kill();
  }
  expect(rig.events.filter(({ ev }) => ev === 'client')).toEqual([]);
  rig.publish(sample, `srt://127.0.0.1:${port}?streamid=studio/one,é#!`);
  await rig.event('client');
  expect(rig.log.filter((line) => line.includes('studio'))).toEqual([]);
});

for (const length of [16, 24, 32]) {
  test(`AES-${length * 8}: only callers with the passphrase are accepted, whatever the common listener requires`, async () => {
    const passphrase = `correct horse ${length}`;
    await openListener({ passphrase, pbkeylen: length });
    for (const wrong of ['', '&passphrase=something else']) {
      const sender = rig.publish(sample, urlOf(wrong));
      expect(await rig.event('rejected')).toMatchObject({ listener: 3, reason: 'bad passphrase' });
      expect(await sender.exited).not.toBe(0);
    }
    rig.publish(sample, urlOf(`&passphrase=${passphrase}&pbkeylen=${length}`));
    const { conn } = await rig.event('publish', ({ encrypted }) => encrypted);
    await until(() => rig.checkOf(conn).packets > 100);
    expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
    rig.play(rig.url(playKey));
    expect(await rig.event('client')).toMatchObject({ encrypted: false });
  });
}

test('a port used by a program, another dedicated listener or the common listener is reported as busy', async () => {
  const busy = { state: 'failed', reason: 'busy' } as const;
  const other = await Bun.udpSocket({ hostname: '127.0.0.1' });
  sendListener({ port: other.port });
  expect(await rig.event('listener')).toMatchObject(busy);
  other.close();
  sendListener({ port: rig.port });
  expect(await rig.event('listener')).toMatchObject(busy);
  await openListener();
  sendListener({ id: 4 });
  expect(await rig.event('listener')).toMatchObject({ ...busy, id: 4 });
  sendListener({ id: 4, bind: '0.0.0.0' });
  expect(await rig.event('listener')).toMatchObject({ ...busy, id: 4 });
  rig.endpoint.send({ op: 'listen', bind: '127.0.0.1', port, latency: 60, passphrase: '', pbkeylen: 0 });
  expect(await rig.event('listen-failed')).toMatchObject({ port, reason: 'busy' });
  sendListener({ id: 4, bind: 'localhost' });
  expect(await rig.event('listener')).toEqual({
    ev: 'listener',
    id: 4,
    state: 'failed',
    error: 'bad bind address',
    reason: 'internal',
  });
  rig.publish(sample, urlOf());
  await rig.event('publish', ({ listener }) => listener === 3);
});

test('closing a dedicated listener ends only its own connections, and its port is free at once', async () => {
  await openListener({ direction: 'send', max: 4 });
  rig.play(rig.url(playKey));
  const common = await rig.event('client');
  for (let time = 0; time < 10; time++) {
    const player = rig.play(urlOf());
    const { conn } = await rig.event('client');
    rig.endpoint.send({ op: 'close-listener', id: 3 });
    expect(await rig.event('closed')).toMatchObject({ conn, reason: 'listener closed' });
    player.kill();
    await openListener({ direction: 'send', max: 4, passphrase: '', latency: 100 + time });
  }
  await rig.event('stats', ({ list }) => list.some(({ conn }) => conn === common.conn));
  expect(rig.events.filter(({ ev }) => ev === 'closed')).toEqual([]);
});

test('a port that is no longer used is free at once, for any program and any address', async () => {
  await openListener();
  await expect(openUdp(port)).rejects.toThrow();
  rig.publish(sample, urlOf());
  await rig.event('publish');
  rig.endpoint.send({ op: 'close-listener', id: 3 });
  await rig.event('closed');
  await untilFree(port);
  await openListener({ id: 4, bind: '0.0.0.0' });
  rig.endpoint.send({ op: 'close-listener', id: 4 });
  await untilFree(port);
  await openListener();
  rig.publish(sample, urlOf());
  const { conn } = await rig.event('publish');
  await until(() => rig.checkOf(conn).packets > 100);
});

test('the common listener keeps its old port for existing connections, and then frees it', async () => {
  const before = rig.port;
  rig.play(rig.url(playKey));
  const { conn } = await rig.event('client');
  await rig.listen({ port });
  await rig.event('stats', ({ list }) => list.some((item) => item.conn === conn));
  await expect(openUdp(before)).rejects.toThrow();
  rig.endpoint.send({ op: 'kick', conn });
  await rig.event('closed');
  await untilFree(before);
  await rig.listen({ port: before });
  await untilFree(port);
  rig.play(rig.url(playKey));
  await rig.event('client');
});

test('a dedicated listener opened again under its number uses the new rule', async () => {
  await openListener();
  rig.publish(sample, urlOf());
  const { conn } = await rig.event('publish');
  await openListener({ streamid: 'only me' });
  expect(await rig.event('closed')).toMatchObject({ conn, reason: 'replaced' });
  const anybody = rig.publish(sample, urlOf());
  expect(await rig.event('rejected')).toMatchObject({ reason: 'wrong stream id' });
  expect(await anybody.exited).not.toBe(0);
  rig.publish(sample, urlOf('&streamid=only me'));
  await rig.event('publish');
});
