import { afterEach, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plentyOfDescriptors } from '../../../tests/support/descriptors.ts';
import { until } from '../../../tests/support/until.ts';
import { limits } from '../../contract/limits.ts';
import { createLog } from '../../lib/log.ts';
import type { DesiredChannel } from '../../media/protocol/desired.ts';
import type { EnginePart } from '../../media/protocol/reported.ts';
import { Channel, type ChannelPorts } from '../channel/channel.ts';
import type { FeedPort } from '../channel/feed.ts';
import { createPlayerPlaces } from '../channel/player-places.ts';
import { createCallers } from '../net/callers.ts';
import { createKeyGuard } from '../net/key-guard.ts';
import { createHttpAdapter, type HttpAdapter } from './adapter.ts';
import { createMadeUpStream, pictureTicks } from './stream-for-test.ts';

const desired: DesiredChannel = {
  id: 1,
  name: 'Main',
  enabled: true,
  pushKey: 'push',
  playKey: 'play',
  allow: { rtmp: false, srt: false },
  takeover: false,
  inputId: 0,
  input: { protocol: 'push' },
  outputs: [],
};
const noFeed: FeedPort = { sendUnit: () => true, sendTables: () => true, dropFeed: () => undefined };
const never = () => {
  throw new Error('not here');
};

const adapters: HttpAdapter[] = [];
afterEach(() => {
  for (const adapter of adapters.splice(0)) adapter.close();
});

/** An adapter on a free port, with one channel that carries a synthetic stream. */
function setUp() {
  const callers = createCallers();
  const ports: ChannelPorts = {
    log: createLog('error', () => undefined),
    feeds: { srt: noFeed, udp: noFeed },
    playerPlaces: createPlayerPlaces({ boundKey: callers.boundKey, descriptors: plentyOfDescriptors }),
    openInput: never,
    openOutput: never,
    onChange: () => undefined,
  };
  const channel = new Channel(desired, ports);
  const made = createMadeUpStream();
  channel.ts.tables = made.bus.tables;
  const parts: EnginePart[] = [];
  const kinds = { play: 'play', push: 'push' } as const;
  const find = (key: string) => (key === 'play' || key === 'push' ? { channel, kind: kinds[key] } : undefined);
  const socketPath = join(tmpdir(), `signalbox-preview-${process.pid}-${adapters.length}.sock`);
  const adapter = createHttpAdapter({
    ...{ find, onPart: (part: EnginePart) => parts.push(part), callers },
    keyGuard: createKeyGuard({ log: ports.log, now: performance.now.bind(performance) }),
    preview: { socketPath, channel: () => channel },
  });
  adapters.push(adapter);
  adapter.openPreview();
  adapter.listen('127.0.0.1', 0);
  const { port = 0 } = parts[0] ?? {};
  let sent = 0;
  return {
    channel,
    callers,
    adapter,
    parts,
    port,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    /** Requests a preview as the hub does for a signed-in user. */
    preview: (name: string) =>
      fetch('http://engine/live/1/low.m3u8', { unix: socketPath, headers: { 'x-viewer-name': name } }),
    /** Sends pictures at 25 per second, with a keyframe every second. */
    send(count: number) {
      made.pictures(sent * pictureTicks, count, 25);
      sent += count;
      for (let seq = made.bus.ring.next - count; seq < made.bus.ring.next; seq++) {
        const unit = made.bus.ring.at(seq);
        if (unit) channel.ts.ring.push(unit);
      }
      channel.ts.ring.notify();
    },
  };
}

const statusOf = async (url: string, agent = 'test') => (await fetch(url, { headers: { 'user-agent': agent } })).status;

test('a viewer is an address and a program; once disconnected it is refused, and others are not', async () => {
  const { channel, url, send } = setUp();
  send(60);
  const playlist = url('/live/play/low.m3u8');
  expect(await Promise.all(['one', 'one', 'two'].map((agent) => statusOf(playlist, agent)))).toEqual([200, 200, 200]);
  const [first, second] = channel.clients.status();
  expect(channel.clients.status().map(({ protocol, peer }) => [protocol, peer])).toEqual([
    ['hls', '127.0.0.1'],
    ['hls', '127.0.0.1'],
  ]);
  expect(first?.bytes).toBeGreaterThan(second?.bytes ?? 0);
  channel.clients.disconnect(first?.id ?? 0, 'by an operator');
  expect(channel.clients.size).toBe(1);
  expect([await statusOf(playlist, 'one'), await statusOf(playlist, 'two')]).toEqual([403, 200]);
});

test('behind a trusted proxy, the viewer’s address is the one that the proxy reports', async () => {
  const { channel, callers, url, send } = setUp();
  send(60);
  const ask = (address: string) =>
    fetch(url('/live/play/low.m3u8'), { headers: { 'x-forwarded-for': `203.0.113.9, ${address}` } });
  const peers = () => channel.clients.status().map(({ peer }) => peer);
  await ask('198.51.100.1');
  expect(peers()).toEqual(['127.0.0.1']);
  callers.trust(['127.0.0.1']);
  await ask('198.51.100.1');
  await ask('198.51.100.2');
  expect(peers()).toEqual(['127.0.0.1', '198.51.100.1', '198.51.100.2']);
});

test('a console preview does not count as a player, and players leave room for it', async () => {
  const { channel, send, preview } = setUp();
  send(60);
  expect([(await preview('one')).status, channel.clients.size]).toEqual([200, 0]);
  const nobody = { bytes: () => 0, skipped: () => 0, queueMs: () => 0, srt: () => undefined, close: () => undefined };
  for (let at = 0; at < limits.clientsPerChannel; at++)
    channel.addClient({ protocol: 'rtmp', peer: '127.0.0.1:1', ...nobody });
  expect((await preview('two')).status).toBe(200);
  for (let number = 0; number < 62; number++) await preview(`another ${number}`);
  expect([(await preview('one too many')).status, (await preview('one')).status]).toEqual([503, 200]);
});

test('viewers of a channel that was switched off return as soon as it is on', async () => {
  const { channel, url, send } = setUp();
  send(60);
  const playlist = url('/live/play/low.m3u8');
  expect(await statusOf(playlist)).toBe(200);
  channel.apply({ ...desired, enabled: false });
  expect([channel.clients.size, await statusOf(playlist)]).toEqual([0, 403]);
  channel.apply(desired);
  expect([await statusOf(playlist), channel.clients.size]).toEqual([200, 1]);
});

test('an HTTP-TS response ends when its client is disconnected', async () => {
  const { channel, url, send } = setUp();
  send(30);
  const response = await fetch(url('/live/play.ts'));
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value?.[0]).toBe(0x47);
  const [client] = channel.clients.status();
  expect(client).toMatchObject({ protocol: 'http', bytes: expect.any(Number) });
  channel.clients.disconnect(client?.id ?? 0, 'by an operator');
  let last = await reader?.read();
  while (last && !last.done) last = await reader?.read();
  expect(channel.clients.size).toBe(0);
  expect(channel.ts.ring.subscribers).toBe(0);
});

test('an HTTP-TS reader that leaves while no data flows is noticed', async () => {
  const { channel, url } = setUp();
  const abort = new AbortController();
  const asked = fetch(url('/live/play.ts'), { signal: abort.signal }).catch(() => undefined);
  await until(() => channel.clients.size > 0);
  abort.abort();
  await asked;
  await until(() => channel.clients.size === 0);
  expect(channel.ts.ring.subscribers).toBe(0);
});

test('a channel that is full refuses viewers and readers', async () => {
  const { channel, url, send } = setUp();
  send(60);
  const nobody = { bytes: () => 0, skipped: () => 0, queueMs: () => 0, srt: () => undefined, close: () => undefined };
  for (let at = 0; at < limits.clientsPerChannel; at++)
    channel.addClient({ protocol: 'rtmp', peer: '127.0.0.1:1', ...nobody });
  expect(await statusOf(url('/live/play/low.m3u8'))).toBe(503);
  expect(await statusOf(url('/live/play.ts'))).toBe(503);
  expect(channel.ts.ring.subscribers).toBe(0);
});

test('a request for a playlist waits until the first segment is complete', async () => {
  const { url, send } = setUp();
  let isAnswered = false;
  const asked = fetch(url('/live/play/low.m3u8')).then(async (response) => {
    isAnswered = true;
    return response.text();
  });
  send(20);
  expect(await statusOf(url('/live/play/1.ts'))).toBe(404);
  expect(isAnswered).toBe(false);
  send(1);
  expect(await asked).toContain('#EXTINF:0.80000,');
});

test('the first player of whole segments waits until it can play without stalling, others get what exists', async () => {
  const { channel, url, send } = setUp();
  send(100);
  let isAnswered = false;
  const asked = fetch(url('/live/play/index.m3u8')).then(async (response) => {
    isAnswered = true;
    return response.text();
  });
  await until(() => channel.clients.size > 0);
  const low = await (await fetch(url('/live/play/low.m3u8'))).text();
  expect([low.split('#EXTINF:').length - 1, low.includes('#EXT-X-PART:'), isAnswered]).toEqual([1, true, false]);
  send(75);
  const playlist = await asked;
  expect([playlist.split('#EXTINF:').length - 1, playlist.includes('PART')]).toEqual([3, false]);
  expect(await statusOf(url('/live/play/other.m3u8'))).toBe(404);
});

test('a switched-off channel is refused with 403, unknown and push keys with 404', async () => {
  const { channel, url } = setUp();
  for (const key of ['push', 'nothing', '%2e%2e', '%00']) expect(await statusOf(url(`/live/${key}.ts`))).toBe(404);
  channel.apply({ ...desired, enabled: false });
  expect(await statusOf(url('/live/play.ts'))).toBe(403);
  expect(await statusOf(url('/live/play/low.m3u8'))).toBe(403);
});

test('a busy port is reported and opened later; the same port is not opened twice', () => {
  const { adapter, parts, port } = setUp();
  const blocker = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } });
  adapter.listen('127.0.0.1', port);
  adapter.listen('127.0.0.1', 0);
  expect(parts).toEqual([{ name: 'hls', ok: true, port }]);
  adapter.listen('127.0.0.1', blocker.port);
  expect(parts.at(-1)).toMatchObject({ name: 'hls', ok: false, port: blocker.port, reason: 'portOccupied' });
  blocker.stop(true);
  adapter.listen('127.0.0.1', blocker.port);
  expect(parts.at(-1)).toEqual({ name: 'hls', ok: true, port: blocker.port });
});

test('guessing keys is slow, and active viewers continue', async () => {
  const { url, send } = setUp();
  send(60);
  const playlist = url('/live/play/low.m3u8');
  expect(await statusOf(playlist)).toBe(200);
  const guesses = await Promise.all(Array.from({ length: 60 }, (_, n) => statusOf(url(`/live/guess${n}/low.m3u8`))));
  expect(guesses.filter((status) => status === 404).length).toBeLessThanOrEqual(20 + 5);
  expect(guesses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(35);
  expect(await statusOf(playlist)).toBe(200);
}, 20_000);
