/** Refused callers, and the reasons that they receive. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { sampleStream } from '../common/test-ts.ts';
import { playKey, pushKey, Rig } from './test-rig.ts';
import { conclusion, RawPeer, streamId } from './test-srt.ts';

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'srt-sample-'));
let sample = '';
let rig: Rig;

beforeAll(() => {
  endpointBinary('srt', 'asan');
  sample = sampleStream();
}, 120_000);
afterEach(() => rig.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wrong = [
  { name: 'an unknown key', id: 'PULL-nobody', reason: 'unknown key', code: 1401 },
  { name: 'a part of a key', id: playKey.slice(0, -1), reason: 'unknown key', code: 1401 },
  { name: 'no stream id', id: '', reason: 'bad stream id', code: 1400 },
  { name: 'the play key to publish', id: `#!::r=${playKey},m=publish`, reason: 'forbidden', code: 1403 },
  { name: 'the push key to play', id: `#!::r=${pushKey},m=request`, reason: 'forbidden', code: 1403 },
  { name: 'both directions', id: `#!::r=${pushKey},m=bidirectional`, reason: 'bad stream id', code: 1405 },
  { name: 'no key in the list', id: '#!::m=publish', reason: 'bad stream id', code: 1400 },
  { name: 'a list that is none', id: '#!::whatever', reason: 'bad stream id', code: 1400 },
] as const;

test('each invalid stream id is refused before the connection exists, with its own code', async () => {
  rig = await Rig.start('asan');
  for (const { name, id, reason, code } of wrong) {
    const player = rig.play(rig.url(id));
    // Reports are limited to one per second, host and reason, so the previous refusal may still be delayed.
    const refused = await rig.event('rejected', (event) => event.code === code);
    expect({ name, reason: refused.reason, code: refused.code }).toEqual({ name, reason, code });
    await until(() => player.stderr().includes('Application-defined rejection reason'));
    expect(player.check.packets).toBe(0);
    // It may exit by itself, which does not matter here.
    player.kill();
  }
  expect(rig.events.filter((event) => event.ev === 'client' || event.ev === 'publish')).toEqual([]);
});

test.each([
  ['a path', `live/${playKey}`],
  ['a leading slash', `/${playKey}`],
  ['a query', `${playKey}?token=1&user=a:b`],
  ['a direction', `read:${playKey}`],
  ['a direction, a path and a login', `read:live/${playKey}:user:password`],
  ['a path in the list', `#!::h=hub.example,r=live/${playKey},m=request`],
  ['a direction in the list', `#!::r=read:${playKey}`],
])('a key with %s, as other servers use it, is accepted', async (_, id) => {
  rig = await Rig.start('asan');
  const peer = await RawPeer.open(rig.port);
  expect(await peer.connect(conclusion(streamId(id)), 3000)).toBeTrue();
  peer.close();
});

test('a direction that does not match the key is refused', async () => {
  rig = await Rig.start('asan');
  const peer = await RawPeer.open(rig.port);
  expect(await peer.connect(conclusion(streamId(`publish:live/${playKey}`)), 3000)).toBeFalse();
  peer.close();
  expect(await rig.event('rejected')).toMatchObject({ reason: 'forbidden', code: 1403 });
});

test('ffmpeg with a wrong key ends with an error', async () => {
  rig = await Rig.start('asan');
  const publisher = rig.publish(sample, rig.url('PUSH-nobody'));
  await rig.event('rejected', (event) => event.reason === 'unknown key');
  expect(await publisher.exited).not.toBe(0);
});

test('a second publisher is refused while the first is connected, and accepted after it has left', async () => {
  rig = await Rig.start('asan');
  const first = rig.publish(sample, rig.url(pushKey));
  const { conn } = await rig.event('publish');
  const second = rig.publish(sample, rig.url(pushKey));
  expect(await rig.event('rejected')).toMatchObject({ reason: 'conflict', code: 1409 });
  expect(await second.exited).not.toBe(0);
  const before = rig.checkOf(conn).packets;
  await until(() => rig.checkOf(conn).packets > before + 100);
  first.kill('SIGINT');
  await rig.event('closed');
  rig.publish(sample, rig.url(pushKey));
  expect((await rig.event('publish')).conn).not.toBe(conn);
});

test('a publisher is refused while the channel is published over another protocol, a player is not', async () => {
  rig = await Rig.start('asan');
  rig.keys({ busy: true });
  const publisher = rig.publish(sample, rig.url(pushKey));
  expect(await rig.event('rejected')).toMatchObject({ reason: 'conflict' });
  expect(await publisher.exited).not.toBe(0);
  rig.play(rig.url(playKey));
  await rig.event('client');
});

test('connections end when their key changes or their permission is revoked, others stay', async () => {
  rig = await Rig.start('asan');
  rig.publish(sample, rig.url(pushKey));
  const publishing = await rig.event('publish');
  rig.play(rig.url(playKey));
  const playing = await rig.event('client');
  rig.keys({ play: 'PULL-other' });
  expect(await rig.event('closed')).toMatchObject({ conn: playing.conn, reason: 'key removed' });
  rig.play(rig.url(playKey));
  await rig.event('rejected', (event) => event.reason === 'unknown key');
  rig.keys({ play: 'PULL-other', publish: false });
  expect(await rig.event('closed')).toMatchObject({ conn: publishing.conn, reason: 'key removed' });
  rig.publish(sample, rig.url(pushKey));
  await rig.event('rejected', (event) => event.reason === 'forbidden');
});

test('kicked connections and those of a closed listener are reported to the engine', async () => {
  rig = await Rig.start('asan');
  rig.play(rig.url(playKey));
  const { conn } = await rig.event('client');
  rig.endpoint.send({ op: 'kick', conn });
  expect(await rig.event('closed')).toMatchObject({ conn, reason: 'kicked' });
  rig.play(rig.url(playKey));
  await rig.event('client');
  rig.endpoint.send({ op: 'unlisten' });
  expect(await rig.event('closed')).toMatchObject({ reason: 'listener closed' });
});

test('with a passphrase, only callers that know it are accepted', async () => {
  rig = await Rig.start('asan', { passphrase: 'correct horse battery', pbkeylen: 16 });
  rig.publish(sample, rig.url(pushKey, '&passphrase=correct horse battery&pbkeylen=16'));
  expect(await rig.event('publish')).toMatchObject({ encrypted: true });
  const player = rig.play(rig.url(playKey, '&passphrase=correct horse battery'));
  expect(await rig.event('client')).toMatchObject({ encrypted: true });
  await until(() => player.check.packets > 200);
  expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
  const wrongWord = rig.play(rig.url(playKey, '&passphrase=something else'));
  expect(await rig.event('rejected')).toMatchObject({ reason: 'bad passphrase' });
  await until(() => wrongWord.stderr().includes('Incorrect passphrase'));
  wrongWord.kill();
  const without = rig.play(rig.url(playKey));
  expect(await rig.event('rejected')).toMatchObject({ reason: 'bad passphrase' });
  await until(() => without.stderr().includes('Password required or unexpected'));
  expect(rig.events.filter((event) => event.ev === 'client')).toEqual([]);
});

test('an encrypted caller is refused if no passphrase is set, and does not occupy the publisher place', async () => {
  rig = await Rig.start('asan');
  const publisher = rig.publish(sample, rig.url(pushKey, '&passphrase=something else'));
  expect(await rig.event('rejected')).toMatchObject({ reason: 'bad passphrase' });
  expect(await publisher.exited).not.toBe(0);
  rig.publish(sample, rig.url(pushKey));
  await rig.event('publish');
});

for (const length of [24, 32]) {
  test(`AES-${length * 8} carries a stream to a player`, async () => {
    rig = await Rig.start('asan', { passphrase: 'correct horse battery', pbkeylen: length });
    rig.publish(sample, rig.url(pushKey, `&passphrase=correct horse battery&pbkeylen=${length}`));
    expect(await rig.event('publish')).toMatchObject({ encrypted: true });
    const player = rig.play(rig.url(playKey, '&passphrase=correct horse battery'));
    await until(() => player.check.packets > 100);
    expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
  });
}

/** Whether a caller with this key is accepted. */
async function knock(key: string): Promise<boolean> {
  const peer = await RawPeer.open(rig.port);
  const isIn = await peer.connect(conclusion(streamId(key)), 3000);
  peer.close();
  return isIn;
}

test('a host with many wrong keys gets one check per second; a key that was right before is accepted at once', async () => {
  rig = await Rig.start('asan');
  expect(await knock(playKey)).toBe(true);
  const began = performance.now();
  for (let n = 0; n < 100; n++) expect(await knock(`PULL-guess${n}`)).toBe(false);
  expect(await knock(playKey)).toBe(true);
  // The push key was never right from here, so it waits for its turn like a wrong one.
  await until(() => knock(pushKey), 5000, 'the right key is looked at');
  await rig.event('rejected', ({ reason }) => reason === 'too many wrong keys');
  const countOf = (name: string) =>
    rig.events.reduce((sum, event) => sum + (event.ev === 'rejected' && event.reason === name ? event.count : 0), 0);
  const max = 20 + (performance.now() - began) / 1000 + 1;
  await until(() => countOf('unknown key') >= 20, 5000, 'the refusals are reported');
  expect(countOf('unknown key')).toBeLessThanOrEqual(max);
});
