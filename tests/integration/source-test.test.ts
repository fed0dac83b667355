/** "Test this source" over the API: streams from real senders, the reasons of failures, and how a test is ended. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer } from 'node:net';
import type { SourceTest } from '../../daemon/contract/inputs.ts';
import { connectionStates } from '../../daemon/contract/streams.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import { loopClip } from '../support/clips.ts';
import { leasePort } from '../support/ports.ts';
import { until, untilSeen, usualMs } from '../support/until.ts';
import { type ApiResponse, type HubProcess, startHub } from './hub-process.ts';
import { hevcSource, killAll, picture, publish, source } from './live-media.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ timeDivisor });
  await hub.login();
  interface Status {
    status: { system: { parts: { name: string; ok: boolean }[] } };
  }
  const hasFfmpeg = async () =>
    (await hub.api<Status>('/api/system/status')).status.system.parts.some(({ name, ok }) => name === 'ffmpeg' && ok);
  await until(hasFfmpeg, 20_000, 'the engine knows FFmpeg');
});
afterEach(killAll);
afterAll(() => hub.stop());

const probeIn = (body: object, signal?: AbortSignal) =>
  fetch(`${hub.url}/api/input/source/test`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...hub.headers(), 'content-type': 'application/json' },
    signal: signal ?? AbortSignal.timeout(15_000),
  });
const testOf = async (body: object) => (await (await probeIn(body)).json()) as SourceTest & ApiResponse;
const srt = (port: number, more: object = {}) => ({
  type: 1,
  srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120, ...more },
});

/** Number of programs that currently probe a stream for the engine. */
async function probes(): Promise<number> {
  const tree = processTree(await hub.enginePid());
  return tree.filter((pid) => commandLine(pid)[0]?.endsWith('ffprobe')).length;
}
const untilProbes = (count: number) =>
  untilSeen(probes, (running) => running === count, usualMs, `${count} programs probe streams`);

const found = (codec: string) => ({
  result: 0,
  found: true,
  media: {
    container: 'ts',
    video: { codec, width: picture.width, height: picture.height, fps: picture.rate },
    audio: { codec: 'aac', 'sample-rate': 48_000, channels: 2 },
  },
});

test('an SRT listener that sends is found with codec, size, frame rate and audio', async () => {
  const port = leasePort();
  publish(`srt://127.0.0.1:${port}?mode=listener&pkt_size=1316`);
  expect(await testOf({ config: srt(port) })).toMatchObject(found('h264'));
});

test('HEVC over UDP is found by the address alone', async () => {
  const port = leasePort();
  publish(`udp://127.0.0.1:${port}?pkt_size=1316`, hevcSource);
  expect(await testOf({ config: { type: 1, url: `udp://0.0.0.0:${port}` } })).toMatchObject(found('hevc'));
});

/** The smaller picture is program 11, the normal one 22. */
const twoPrograms = [
  ...['-re', '-stream_loop', '-1', '-i', loopClip({ pictures: { size: '320x180', kbps: 400 } })],
  ...['-re', '-stream_loop', '-1', '-i', loopClip(source), '-c', 'copy'],
  ...['-map', '0:v', '-map', '1:a', '-map', '1:v', '-map', '1:a', '-program', 'program_num=11:st=0:st=1'],
  ...['-program', 'program_num=22:st=2:st=3'],
];

test('the selected one of two programs is found, and a missing one is reported', async () => {
  const port = leasePort();
  publish(`udp://127.0.0.1:${port}?pkt_size=1316`, twoPrograms);
  const config = { type: 1, udp: { host: '127.0.0.1', port } };
  expect(await testOf({ config: { ...config, program: 22, 'audio-track': 1 } })).toMatchObject(found('h264'));
  const first = { video: { width: 320, height: 180 } };
  expect(await testOf({ config: { ...config, 'audio-track': 1 } })).toMatchObject({ found: true, media: first });
  const missed = { found: false, 'conn-state': connectionStates.waitingForData, reason: 'noProgram' };
  expect(await testOf({ config: { ...config, program: 33 } })).toMatchObject(missed);
});

test('a program is selected from SRT, as listener or caller, and from HTTP', async () => {
  const [called, calling] = [leasePort(), leasePort()];
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      const command = ['ffmpeg', '-nostdin', '-loglevel', 'error', ...twoPrograms, '-f', 'mpegts', '-'];
      const encoder = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', timeout: 30_000 });
      return new Response(encoder.stdout);
    },
  });
  publish(`srt://127.0.0.1:${called}?mode=listener&pkt_size=1316`, twoPrograms);
  const listener = { type: 1, srt: { mode: 'listener', host: '127.0.0.1', port: calling, latency: 120 } };
  const http = { type: 1, url: `http://127.0.0.1:${server.port}/live.ts?mw-program=22&mw-audio-track=1` };
  const choice = { program: 22, 'audio-track': 1 };
  const waiting = testOf({ config: { ...listener, ...choice } });
  publish(`srt://127.0.0.1:${calling}?mode=caller&pkt_size=1316`, twoPrograms);
  const outcomes = await Promise.all([
    testOf({ config: { ...srt(called), ...choice } }),
    waiting,
    testOf({ config: http }),
  ]);
  for (const outcome of outcomes) expect(outcome).toMatchObject(found('h264'));
});

test('a sender with a passphrase is found with the stored one, and not with a wrong one', async () => {
  const port = leasePort();
  const secret = { 'pb-key-len': 16, passphrase: 'a-long-secret' };
  const config = srt(port, secret);
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', { name: 'With a secret', config });
  const url = `srt://127.0.0.1:${port}?mode=listener&pkt_size=1316&pbkeylen=16&passphrase=a-long-secret`;
  const wrong = srt(port, { ...secret, passphrase: 'another-secret' });
  publish(url);
  expect(await testOf({ id, config: wrong })).toMatchObject({ found: false, reason: 'wrongPassphrase' });
  await killAll();
  publish(url);
  expect(await testOf({ id, config: srt(port, { 'pb-key-len': 16 }) })).toMatchObject(found('h264'));
});

test('a source that cannot be reached reports its own cause', async () => {
  const refusing = createServer();
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const { port } = refusing.address() as { port: number };
  await new Promise<void>((resolve) => refusing.close(() => resolve()));
  using missing = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(null, { status: 404 }) });
  const cases = [
    [{ url: `rtsp://127.0.0.1:${port}/stream` }, 'refused', connectionStates.tcpFailed],
    [{ url: `http://127.0.0.1:${port}/stream.ts` }, 'refused', connectionStates.tcpFailed],
    [{ url: 'http://no-such-host.invalid/live.m3u8' }, 'dnsFailed', connectionStates.dnsFailed],
    [{ url: `http://127.0.0.1:${missing.port}/live.m3u8` }, 'streamRefused', connectionStates.streamFailed],
  ] as const;
  for (const [config, reason, conn] of cases) {
    const answer = await testOf({ config });
    expect([config, answer]).toEqual([config, { result: 0, found: false, 'conn-state': conn, reason }]);
  }
});

test('if private addresses are refused, every test of one has the same response, and no connection is made', async () => {
  let connections = 0;
  using open = Bun.listen({ port: 0, hostname: '127.0.0.1', socket: { open: () => void connections++, data() {} } });
  const hosts = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1'];
  const ports = [open.port, leasePort(), hub.ports.rtmp, Number(new URL(hub.url).port)];
  const urls = [
    ...hosts.map((host) => `http://${host}:${open.port}/live.ts`),
    ...ports.flatMap((port) => ['http', 'rtsp', 'rtmp'].map((scheme) => `${scheme}://127.0.0.1:${port}/live/any`)),
    ...['http://[::ffff:127.0.0.1]/live.ts', 'http://10.0.0.1/live.ts', 'http://169.254.169.254/latest'],
  ];
  const configs = [...urls.map((url) => ({ type: 1, url })), srt(hub.ports.srt), srt(leasePort())];
  await hub.api('/api/settings/set', { outgoing: { 'private-media': false } });
  try {
    const refused = { result: 0, found: false as const, 'conn-state': connectionStates.creationFailed };
    for (const config of configs) {
      expect([config, await testOf({ config })]).toEqual([config, { ...refused, reason: 'addressNotAllowed' }]);
    }
    expect(connections).toBe(0);
  } finally {
    await hub.api('/api/settings/set', { outgoing: { 'private-media': true } });
  }
  expect(await testOf({ config: { type: 1, url: `http://127.0.0.1:${open.port}/live.ts` } })).not.toMatchObject({
    reason: 'addressNotAllowed',
  });
  expect(connections).toBeGreaterThan(0);
});

test('a test reports silence at its time limit', async () => {
  const answer = await testOf({ config: { type: 1, url: `udp://127.0.0.1:${leasePort()}` } });
  expect(answer).toMatchObject({ found: false, 'conn-state': connectionStates.waitingForData, reason: 'noData' });
});

test('an input that is on air is tested without disturbing it', async () => {
  const port = leasePort();
  const config = { type: 1, srt: { mode: 'listener', host: '127.0.0.1', port, latency: 120 } };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', { name: 'On air', config });
  const channel = await hub.api<{ id: number }>('/api/channel/add', { name: 'Busy', config: { enable: true } });
  await hub.api('/api/channel/input/set', { id: channel.id, input: id });
  const view = () =>
    hub.api<{ state: string; input: { reconnects: number; 'total-bytes': number; 'living-time-s': number } }>(
      `/api/channel/query?id=${channel.id}`,
    );
  publish(`srt://127.0.0.1:${port}?mode=caller&pkt_size=1316`);
  await until(async () => (await view()).state === 'live', 20_000, 'the channel is live');
  const before = (await view()).input;
  expect(await testOf({ id })).toMatchObject(found('h264'));
  await until(async () => (await view()).input['total-bytes'] > before['total-bytes'], 20_000, 'the stream continues');
  const after = (await view()).input;
  expect(after.reconnects).toBe(before.reconnects);
  expect(after['living-time-s']).toBeGreaterThanOrEqual(before['living-time-s']);
});

test('four tests run at a time; a canceled one ends, and makes room', async () => {
  const config = async () => ({ config: { type: 1, url: `udp://127.0.0.1:${leasePort()}` } });
  const leaving = new AbortController();
  const running = await Promise.all(
    [leaving.signal, leaving.signal, leaving.signal, leaving.signal]
      .map(async (signal) => probeIn(await config(), signal).catch((error: unknown) => (error as Error).name))
      .map((answer) => ({ answer })),
  );
  await untilProbes(4);
  expect(await testOf(await config())).toMatchObject({ result: 4 });
  leaving.abort();
  expect(await Promise.all(running.map(({ answer }) => answer))).toEqual(Array(4).fill('AbortError'));
  await untilProbes(0);
  const port = leasePort();
  publish(`udp://127.0.0.1:${port}?pkt_size=1316`);
  expect(await testOf({ config: { type: 1, url: `udp://127.0.0.1:${port}` } })).toMatchObject(found('h264'));
});
