/** Inputs that the engine fetches, from servers that people use: RTMP, transport streams over HTTP, HLS, RTSP. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionStates } from '../../daemon/contract/streams.ts';
import { createLog } from '../../daemon/lib/log.ts';
import type { HttpPullAddress, InputSource, RtmpPullAddress, RtspPullAddress } from '../../daemon/media/addresses.ts';
import { createMediaPort, type MediaPort } from '../../daemon/media/port.ts';
import type { WantedChannel } from '../../daemon/media/wanted.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import { looped } from '../support/clips.ts';
import { leasePort } from '../support/ports.ts';
import { addLog, until, untilSeen, usualMs } from '../support/until.ts';
import { engineCommand } from './live-engine.ts';
import { fileIn, inspect, killAll, picture, publish, type Running, record, run, source } from './live-media.ts';
import { timeDivisor } from './scaled-timing.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-pull-'));
const lines: string[] = [];
const channels: WantedChannel[] = [];
const cleanups: (() => void | Promise<void>)[] = [];
let port: MediaPort;
let rtmpPort = 0;

beforeAll(async () => {
  port = createMediaPort({
    dataDir: join(folder, 'engine'),
    ffmpeg: 'ffmpeg',
    log: createLog('debug', (line) => lines.push(line)),
    command: engineCommand(join(folder, 'engine'), timeDivisor),
  });
  addLog('engine', () => lines.join('\n'));
  port.start();
  apply();
  await until(() => port.ports().rtmp !== 0, 20_000, 'the engine takes RTMP connections');
  rtmpPort = port.ports().rtmp;
});
afterEach(async () => {
  channels.length = 0;
  apply();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await killAll();
});
afterAll(async () => {
  await port.close('end of the test');
  rmSync(folder, { recursive: true, force: true });
});

function apply(): void {
  const srt = { port: 0, latencyMs: 120, keyLength: 0, passphrase: '' };
  const settings = { bind: '127.0.0.1', rtmpPort: 0, hlsPort: 0, srt };
  port.apply({ settings, channels: [...channels] });
}

function addChannel(input: InputSource): { readonly id: number; readonly push: string; readonly play: string } {
  const id = ++lastId;
  channels.push({
    id,
    name: `Channel ${id}`,
    enabled: true,
    pushKey: `push-${id}`,
    playKey: `play-${id}`,
    allow: { rtmp: true, srt: true },
    inputId: input.protocol === 'push' ? 0 : id,
    input,
    outputs: [],
  });
  apply();
  const url = (key: string) => `rtmp://127.0.0.1:${rtmpPort}/live/${key}-${id}`;
  return { id, push: url('push'), play: url('play') };
}
let lastId = 0;

const inputOf = (id: number) => port.status().channels.get(id)?.input;
const untilConn = (id: number, conn: number, withinMs = usualMs) =>
  untilSeen(
    () => inputOf(id),
    (input) => input?.conn === conn,
    withinMs,
    `input of ${id} in state ${conn}`,
  );
const untilLive = (id: number, withinMs = usualMs) => untilConn(id, connectionStates.connected, withinMs);

const rtmp = (url: string, key: string, rest: Partial<RtmpPullAddress> = {}): RtmpPullAddress => ({
  protocol: 'rtmp',
  url,
  key,
  username: '',
  password: '',
  ...rest,
});
const http = (url: string, rest: Partial<HttpPullAddress> = {}): HttpPullAddress => ({
  protocol: 'http',
  url,
  username: '',
  password: '',
  bufferMs: 300,
  ...rest,
});

/** Watches the channel's output for a while: picture and sound without a gap. */
async function expectPlays(play: string, name: string, seconds = 4): Promise<void> {
  const file = fileIn(folder, `${name}.mkv`);
  const player = record(play, file, seconds);
  expect(await player.exited).toBe(0);
  expectWhole(await inspect(file), seconds);
}

const ffmpeg = (...output: string[]): Running =>
  run(['ffmpeg', '-nostdin', '-hide_banner', '-loglevel', 'warning', ...looped(source), ...output]);

describe('RTMP', () => {
  test('is pulled from another channel, and again when its publisher is back', async () => {
    const source = addChannel({ protocol: 'push' });
    const first = publish(source.push);
    await untilLive(source.id);
    const pulled = addChannel(rtmp(`rtmp://127.0.0.1:${rtmpPort}/live`, `play-${source.id}`));
    await untilLive(pulled.id);
    expect(inputOf(pulled.id)).toMatchObject({
      protocol: 'rtmp',
      peer: `127.0.0.1:${rtmpPort}`,
      media: { container: 'flv', video: { codec: 'h264', width: picture.width }, audio: { codec: 'aac' } },
    });
    await expectPlays(pulled.play, 'rtmp-own');
    await first.stop();
    await untilConn(pulled.id, connectionStates.waitingForData);
    publish(source.push);
    await untilLive(pulled.id);
  });

  test('is held as long as it is told, and plays whole', async () => {
    const source = addChannel({ protocol: 'push' });
    publish(source.push);
    await untilLive(source.id);
    const url = `rtmp://127.0.0.1:${rtmpPort}/live`;
    const held = addChannel(rtmp(url, `play-${source.id}`, { bufferMs: 800 }));
    await untilLive(held.id);
    await until(() => (inputOf(held.id)?.quality?.bufferMs ?? 0) > 300, 20_000, 'it is held');
    await expectPlays(held.play, 'rtmp-held');
    expect(inputOf(held.id)?.quality?.bufferMs).toBeLessThan(1000);
  });

  test('is pulled from FFmpeg as a server', async () => {
    const base = leasePort();
    ffmpeg('-f', 'flv', '-listen', '1', `rtmp://127.0.0.1:${base}/app/name`);
    const pulled = addChannel(rtmp(`rtmp://127.0.0.1:${base}/app`, 'name'));
    await untilLive(pulled.id);
    await expectPlays(pulled.play, 'rtmp-ffmpeg');
  });

  const rtmpModule = '/usr/lib/nginx/modules/ngx_rtmp_module.so';
  test.skipIf(!existsSync('/usr/sbin/nginx') || !existsSync(rtmpModule))(
    'is pulled from nginx-rtmp, which goes away and comes back',
    async () => {
      const base = leasePort();
      const home = join(folder, 'nginx');
      mkdirSync(home);
      const server = `rtmp { access_log off; server { listen 127.0.0.1:${base}; application app { live on; } } }`;
      const top = `load_module ${rtmpModule}; daemon off; pid ${home}/pid; error_log ${home}/log; events {}`;
      writeFileSync(join(home, 'conf'), `${top}\n${server}\n`);
      const serve = () => run(['/usr/sbin/nginx', '-p', home, '-e', `${home}/log`, '-c', `${home}/conf`]);
      const url = `rtmp://127.0.0.1:${base}/app`;
      const feed = async () => {
        const nginx = serve();
        await until(() => existsSync(join(home, 'pid')) && readFileSync(join(home, 'pid')).length > 0, 5000, 'nginx');
        return { nginx, encoder: publish(`${url}/name`) };
      };
      const { nginx, encoder } = await feed();
      const pulled = addChannel(rtmp(url, 'name'));
      await untilLive(pulled.id);
      await expectPlays(pulled.play, 'rtmp-nginx');
      await Promise.all([nginx.stop(), encoder.stop()]);
      await until(() => inputOf(pulled.id)?.reason === 'refused', 20_000, 'the pull finds nobody');
      expect(inputOf(pulled.id)).toMatchObject({ conn: connectionStates.tcpFailed });
      await feed();
      await untilLive(pulled.id, 40_000);
    },
  );

  test('says why it can not be pulled', async () => {
    const missing = addChannel(rtmp(`rtmp://127.0.0.1:${rtmpPort}/live`, 'no-such-key'));
    const nowhere = addChannel(rtmp('rtmp://name.invalid/live', 'key'));
    const wrongApp = addChannel(rtmp(`rtmp://127.0.0.1:${rtmpPort}/else`, 'key'));
    const text = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('no RTMP') });
    cleanups.push(() => text.stop(true));
    const web = addChannel(rtmp(`rtmp://127.0.0.1:${text.port}/live`, 'key'));
    await untilConn(missing.id, connectionStates.streamFailed);
    await untilConn(nowhere.id, connectionStates.dnsFailed);
    await untilConn(wrongApp.id, connectionStates.refused);
    await untilConn(web.id, connectionStates.handshakeFailed);
  });
});

/** What FFmpeg makes, to whoever asks with the right password, for as long as they read. */
function serveTs(ports: { port: number }, credentials = ''): Bun.Server<undefined> {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: ports.port,
    idleTimeout: 0,
    fetch(request) {
      if (credentials && request.headers.get('authorization') !== `Basic ${btoa(credentials)}`) {
        return new Response(null, { status: 401, headers: { 'www-authenticate': 'Basic realm="tv"' } });
      }
      const child = Bun.spawn(
        [
          'setpriv',
          '--pdeathsig',
          'KILL',
          'ffmpeg',
          '-nostdin',
          '-v',
          'error',
          ...looped(source),
          '-f',
          'mpegts',
          'pipe:1',
        ],
        { stdout: 'pipe', stderr: 'ignore' },
      );
      request.signal.addEventListener('abort', () => child.kill('SIGKILL'));
      return new Response(child.stdout);
    },
  });
}

describe('a transport stream over HTTP', () => {
  test('is fetched from FFmpeg as a server', async () => {
    const base = leasePort();
    ffmpeg('-f', 'mpegts', '-listen', '1', `http://127.0.0.1:${base}/live.ts`);
    const pulled = addChannel(http(`http://127.0.0.1:${base}/live.ts`));
    await untilLive(pulled.id);
    expect(inputOf(pulled.id)).toMatchObject({
      protocol: 'http',
      peer: `127.0.0.1:${base}`,
      ccErrors: 0,
      media: { container: 'ts', video: { codec: 'h264', width: picture.width } },
    });
    await expectPlays(pulled.play, 'http-ffmpeg');
    expect(inputOf(pulled.id)?.ccErrors).toBe(0);
  });

  test('needs the right password, tells nobody of it, and comes back with its server', async () => {
    const base = leasePort();
    const server = serveTs({ port: base }, 'me:s3cret-word');
    const url = `http://127.0.0.1:${base}/live.ts`;
    const wrong = addChannel(http(url, { username: 'me', password: 's3cret-wrong' }));
    await untilConn(wrong.id, connectionStates.authorizationFailed);
    const right = addChannel(http(url, { username: 'me', password: 's3cret-word' }));
    await untilLive(right.id);
    const processes = processTree(port.status().pid).flatMap((pid) => commandLine(pid));
    expect(processes.join(' ')).not.toContain('s3cret');
    await server.stop(true);
    await untilConn(right.id, connectionStates.tcpFailed);
    const again = serveTs({ port: base }, 'me:s3cret-word');
    cleanups.push(() => again.stop(true));
    await untilLive(right.id);
    await expectPlays(right.play, 'http-again');
    expect(lines.join('\n')).not.toContain('s3cret');
  });

  test('that is a file sent at once plays at its own speed', async () => {
    const file = fileIn(folder, 'clip.ts');
    expect(await ffmpeg('-t', '12', '-f', 'mpegts', '-y', file).exited).toBe(0);
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(Bun.file(file)) });
    cleanups.push(() => server.stop(true));
    const pulled = addChannel(http(`http://127.0.0.1:${server.port}/clip.ts`));
    await untilLive(pulled.id);
    await expectPlays(pulled.play, 'http-file', 6);
  });
});

describe('HLS', () => {
  function serveFolder(home: string): string {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const file = Bun.file(join(home, new URL(request.url).pathname));
        return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
      },
    });
    cleanups.push(() => server.stop(true));
    return `http://127.0.0.1:${server.port}`;
  }

  test('is followed live, and again after its encoder was gone', async () => {
    const home = join(folder, 'hls');
    mkdirSync(home);
    const playlist = join(home, 'index.m3u8');
    const make = () =>
      ffmpeg('-f', 'hls', '-hls_time', '1', '-hls_list_size', '6', '-hls_flags', 'delete_segments', playlist);
    const pulled = addChannel(http(`${serveFolder(home)}/index.m3u8`));
    await untilConn(pulled.id, connectionStates.streamFailed);
    const encoder = make();
    await untilLive(pulled.id, 40_000);
    await expectPlays(pulled.play, 'hls', 8);
    expect(inputOf(pulled.id)?.ccErrors).toBe(0);
    await encoder.stop();
    await until(() => inputOf(pulled.id)?.conn === connectionStates.disconnected, 30_000, 'the playlist has ended');
    rmSync(playlist);
    make();
    await untilLive(pulled.id, 40_000);
    await expectPlays(pulled.play, 'hls-again');
  });
});

interface RtspServerOptions {
  readonly port: number;
  readonly transports?: 'tcp' | 'udp' | 'both';
  readonly password?: string;
  readonly scheme?: 'basic' | 'digest';
  readonly encoding?: 'h264' | 'mulaw';
  /** One packet of sound in so many; 0 for none. */
  readonly lose?: number;
}

describe('RTSP', () => {
  /** GStreamer's server; Debian's Python, since another one has not its bindings. */
  async function serve(options: RtspServerOptions): Promise<Running> {
    const { port: at, transports = 'both', password = '-', scheme = 'digest', encoding = 'h264', lose = 0 } = options;
    const script = join(import.meta.dir, 'rtsp-server.py');
    const server = run(['/usr/bin/python3', script, String(at), transports, password, scheme, encoding, String(lose)]);
    const listens = () => Bun.connect({ hostname: '127.0.0.1', port: at, socket: { data: () => {} } });
    await until(
      () =>
        listens().then(
          (socket) => {
            socket.end();
            return true;
          },
          () => false,
        ),
      10_000,
      'the RTSP server listens',
    );
    return server;
  }
  const rtsp = (at: number, rest: Partial<RtspPullAddress> = {}): RtspPullAddress => ({
    protocol: 'rtsp',
    url: `rtsp://127.0.0.1:${at}/cam`,
    tcpFirst: true,
    username: '',
    password: '',
    bufferMs: 200,
    ...rest,
  });

  test.each([
    ['TCP with Digest', { transports: 'tcp', scheme: 'digest', password: 's3cret-word' }, true],
    ['UDP with Basic', { transports: 'udp', scheme: 'basic', password: 's3cret-word' }, false],
    ['UDP where there is no TCP', { transports: 'udp' }, true],
    ['TCP where there is no UDP', { transports: 'tcp' }, false],
  ] as const)('is fetched over %s', async (name, options, tcpFirst) => {
    const at = leasePort();
    await serve({ port: at, ...options });
    const credentials = 'password' in options ? { username: 'me', password: options.password } : {};
    const pulled = addChannel(rtsp(at, { tcpFirst, ...credentials }));
    await untilLive(pulled.id);
    expect(inputOf(pulled.id)).toMatchObject({
      protocol: 'rtsp',
      peer: `127.0.0.1:${at}`,
      media: { container: 'ts', video: { codec: 'h264', width: picture.width } },
    });
    const processes = processTree(port.status().pid).flatMap((pid) => commandLine(pid));
    expect(processes.join(' ')).not.toContain('s3cret');
    await expectPlays(pulled.play, `rtsp-${name.replaceAll(' ', '-')}`);
    expect(inputOf(pulled.id)?.ccErrors).toBe(0);
    expect(inputOf(pulled.id)?.datagrams).toMatchObject({ lost: 0, late: 0 });
    expect(inputOf(pulled.id)?.datagrams?.received).toBeGreaterThan(100);
    expect(lines.join('\n')).not.toContain('s3cret');
  });

  test.each([true, false])('tells what is lost on the way, over TCP (%p) as well', async (tcpFirst) => {
    const at = leasePort();
    await serve({ port: at, lose: 5 });
    const pulled = addChannel(rtsp(at, { tcpFirst }));
    await untilLive(pulled.id);
    await until(() => (inputOf(pulled.id)?.datagrams?.lost ?? 0) >= 20, 20_000, 'lost packets are counted');
    // One of five packets of sound; those of the picture all come.
    const { lost = 0, received = 0 } = inputOf(pulled.id)?.datagrams ?? {};
    expect(lost / (lost + received)).toBeLessThan(0.2);
    expect(inputOf(pulled.id)?.quality?.lossPercent).toBeGreaterThan(0);
    expect(inputOf(pulled.id)).toMatchObject({
      conn: connectionStates.connected,
      quality: { jitterMs: expect.any(Number) },
    });
  });

  test('comes back with its server', async () => {
    const at = leasePort();
    const server = await serve({ port: at });
    const pulled = addChannel(rtsp(at));
    await untilLive(pulled.id);
    await server.stop();
    await untilConn(pulled.id, connectionStates.tcpFailed);
    expect(inputOf(pulled.id)?.reason).toBe('refused');
    await serve({ port: at });
    await untilLive(pulled.id, 40_000);
    await expectPlays(pulled.play, 'rtsp-again');
  });

  test('that is only stopped is noticed, and so is an FFmpeg that was killed', async () => {
    const at = leasePort();
    const server = await serve({ port: at });
    const pulled = addChannel(rtsp(at));
    await untilLive(pulled.id);
    const isFfmpeg = (pid: number) => commandLine(pid).some((word) => word.startsWith(`rtsp://127.0.0.1:`));
    const child = processTree(port.status().pid).filter(isFfmpeg).at(-1);
    process.kill(child ?? 0, 'SIGKILL');
    await until(() => lines.some((line) => line.includes('reason=badInput')), 10_000, 'the log names the fault');
    await until(() => inputOf(pulled.id)?.reconnects === 1, 20_000, 'it is fetched again');
    await untilLive(pulled.id);
    server.child.kill('SIGSTOP');
    await until(() => inputOf(pulled.id)?.reason === 'stalled', 20_000, 'the silence is noticed');
    server.child.kill('SIGCONT');
    await untilLive(pulled.id, 40_000);
  });

  test('says why it can not be fetched', async () => {
    const [guarded, sound] = [leasePort(), leasePort()];
    await serve({ port: guarded, password: 's3cret-word' });
    await serve({ port: sound, encoding: 'mulaw' });
    const wrong = addChannel(rtsp(guarded, { username: 'me', password: 'wrong' }));
    const missing = addChannel(rtsp(sound, { url: `rtsp://127.0.0.1:${sound}/else` }));
    const speech = addChannel(rtsp(sound));
    const nowhere = addChannel(rtsp(1, { url: 'rtsp://name.invalid/cam' }));
    await untilConn(wrong.id, connectionStates.authorizationFailed);
    await untilConn(missing.id, connectionStates.streamFailed);
    await untilConn(speech.id, connectionStates.streamFailed);
    expect(inputOf(speech.id)?.reason).toBe('codecNotPossible');
    await untilConn(nowhere.id, connectionStates.dnsFailed);
  });
});
