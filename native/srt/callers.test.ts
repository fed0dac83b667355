/** Outgoing calls of the endpoint: to a listener that receives, to one that sends, and to those that do not answer. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallOperation, feedFlags } from '../../daemon/engine/srt/protocol.ts';
import { leasePort } from '../../tests/support/ports.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { runsOf, sampleStream } from '../common/test-ts.ts';
import { playKey, pushKey, Rig } from './test-rig.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'srt-sample-'));
let sample = '';
let rig: Rig;

beforeAll(() => {
  endpointBinary('srt', 'asan');
  sample = sampleStream();
}, 120_000);
beforeAll(async () => {
  rig = await Rig.start('asan');
});
afterEach(async () => {
  await rig.close();
  rig = await Rig.start('asan');
});
afterAll(async () => {
  await rig.close();
  rmSync(folder, { recursive: true, force: true });
});

function call(change: Partial<CallOperation>): void {
  rig.endpoint.send({
    op: 'call',
    id: 12,
    feed: 7,
    hosts: ['127.0.0.1'],
    port: rig.port,
    direction: 'send',
    latency: 60,
    streamid: '',
    passphrase: '',
    pbkeylen: 0,
    oheadbw: 0,
    ...change,
  });
}

const callEvent = (state: string) => rig.event('call', (event) => event.state === state);

function sendSample(): void {
  for (const { data, isEntry } of runsOf(readFileSync(sample))) {
    rig.endpoint.sendData(7, isEntry ? feedFlags.entryPoint : 0, data);
  }
}

test('a call sends the feed to a listener, encrypted on request', async () => {
  const port = leasePort();
  const options = '?mode=listener&passphrase=correct horse battery&pbkeylen=24';
  const listener = rig.play(`srt://127.0.0.1:${port}${options}`);
  call({ port, passphrase: 'correct horse battery', pbkeylen: 24, oheadbw: 25 });
  await callEvent('connecting');
  expect(await callEvent('connected')).toMatchObject({ id: 12, peer: `127.0.0.1:${port}`, encrypted: true });
  sendSample();
  await until(() => listener.check.packets > 100);
  expect(listener.check).toMatchObject({ jumps: 0, unaligned: 0 });
  expect(listener.check.firstPids[0]).toBe(0x100);
  listener.kill('SIGTERM');
  expect(await callEvent('closed')).toMatchObject({ id: 12, reason: 'peer closed' });
});

test('a call receives from a listening ffmpeg, until it is hung up', async () => {
  const port = leasePort();
  rig.publish(sample, `srt://127.0.0.1:${port}?mode=listener`);
  call({ port, direction: 'receive' });
  await callEvent('connected');
  await until(() => rig.checkOf(12).packets > 200);
  expect(rig.checkOf(12)).toMatchObject({ jumps: 0, unaligned: 0 });
  await rig.event('stats', (event) => event.list.some((item) => item.call === 12 && item.dir === 'in'));
  rig.endpoint.send({ op: 'hangup', id: 12 });
  expect(await callEvent('closed')).toMatchObject({ id: 12, reason: 'hung up' });
});

test('a call with a push key publishes into the endpoint of another hub', async () => {
  rig.isEchoing = false;
  call({ streamid: `#!::r=${pushKey},m=publish` });
  await callEvent('connected');
  const { conn } = await rig.event('publish');
  sendSample();
  await until(() => rig.checkOf(conn).packets > 100);
  expect(rig.checkOf(conn)).toMatchObject({ jumps: 0, unaligned: 0 });
});

test('each failure of a call has its own reason', async () => {
  call({ id: 2, streamid: 'PUSH-nobody' });
  expect(await callEvent('failed')).toMatchObject({ id: 2, reason: 'unauthorized', code: 1401 });
  call({ id: 3, streamid: playKey, passphrase: 'something else' });
  expect(await callEvent('failed')).toMatchObject({ id: 3, reason: 'bad passphrase' });
  call({ id: 4, port: leasePort() });
  expect(await callEvent('failed')).toMatchObject({ id: 4, reason: 'timeout' });
  call({ id: 5, streamid: pushKey });
  await callEvent('connected');
  call({ id: 6, streamid: pushKey });
  expect(await callEvent('failed')).toMatchObject({ id: 6, reason: 'conflict', code: 1409 });
});

test('a call continues with the next address of its host when one does not answer', async () => {
  // The first two have no listener, and a machine without IPv6 has no route to the first.
  call({ hosts: ['::1', '127.0.0.2', '127.0.0.1'], streamid: pushKey });
  expect(await callEvent('connected')).toMatchObject({ id: 12, peer: `127.0.0.1:${rig.port}` });
});

test('a call with an id in use replaces the older one', async () => {
  call({ streamid: playKey, direction: 'receive' });
  await callEvent('connected');
  call({ streamid: playKey, direction: 'receive' });
  expect(await callEvent('closed')).toMatchObject({ id: 12, reason: 'replaced' });
  await callEvent('connected');
  expect(await rig.event('closed')).toMatchObject({ conn: 1, reason: 'peer closed' });
});
