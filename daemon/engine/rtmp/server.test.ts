/** The RTMP server with widely used programs: ffmpeg, ffprobe, GStreamer, and nginx-rtmp as a push target. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { looped } from '../../../tests/support/clips.ts';
import { toLoopback } from '../../../tests/support/outgoing.ts';
import { leasePort } from '../../../tests/support/ports.ts';
import { until } from '../../../tests/support/until.ts';
import { type EngineDouble, startEngineDouble } from './engine-double-for-test.ts';
import { RtmpPush } from './push.ts';

const timeoutMs = 25_000;
const running = new Set<Subprocess>();

interface Finished {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Starts a program that is killed at the end of the test at the latest. */
function spawn(...command: string[]) {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: timeoutMs });
  running.add(child);
  const finished = (async (): Promise<Finished> => {
    const [out, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    running.delete(child);
    return { code, out, errors };
  })();
  return { child, finished };
}

const run = (...command: string[]): Promise<Finished> => spawn(...command).finished;

/** Two different clients: `rtmp2` is GStreamer's own, `rtmp` is librtmp, which OBS and many encoders use. */
const gstreamerKinds = ['rtmp2', 'rtmp'].filter((kind) => {
  if (!Bun.which('gst-inspect-1.0')) return false;
  return Bun.spawnSync(['gst-inspect-1.0', '--exists', `${kind}sink`]).exitCode === 0;
});

function publish(url: string, seconds: number) {
  const media = looped({ pictures: { size: '320x180', kbps: 400 }, sound: {} });
  return spawn('ffmpeg', '-nostdin', '-v', 'error', ...media, '-t', String(seconds), '-f', 'flv', url);
}

interface Packets {
  readonly video: number[];
  readonly audio: number[];
}

/** Decode times in seconds of the next packets at an address. */
async function readPackets(url: string, count: number): Promise<Packets & { code: number }> {
  // Without the limit it waits for audio that may never arrive, because RTMP does not announce its tracks.
  const interval = ['-analyzeduration', '1000000', '-read_intervals', `%+#${count}`];
  const entries = ['-show_entries', 'packet=codec_type,dts_time', '-of', 'csv=p=0'];
  const { out, code } = await run('ffprobe', '-v', 'error', ...interval, ...entries, url);
  const lines = out.trim().split('\n');
  const times = (type: string) =>
    lines.filter((line) => line.startsWith(type)).map((line) => Number(line.split(',')[1]));
  return { code, video: times('video'), audio: times('audio') };
}

function widestGap(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((time, i) => time - (times[i] ?? 0)));
}

function isForward(times: readonly number[]): boolean {
  return times.every((time, i) => i === 0 || time >= (times[i - 1] ?? 0));
}

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

describe('with one publisher', () => {
  let engine: EngineDouble;
  let publisher: ReturnType<typeof publish>;

  beforeAll(async () => {
    engine = startEngineDouble();
    publisher = publish(engine.url('push'), 60);
    // Serves all tests of this block.
    running.delete(publisher.child);
    await until(() => engine.bus.ring.newestEntry >= 0);
  }, timeoutMs);

  afterAll(() => {
    publisher.child.kill('SIGKILL');
    engine.server.close('test over');
  });

  test(
    'ffprobe finds video and audio',
    async () => {
      const entries = ['-show_entries', 'stream=codec_name,width,height,sample_rate', '-of', 'csv=p=0'];
      const { out } = await run('ffprobe', '-v', 'error', ...entries, engine.url('play'));
      expect(out.trim().split('\n').sort()).toEqual(['aac,48000', 'h264,320,180']);
      expect(engine.sinks[0]?.media).toMatchObject({
        video: { codec: 'h264', width: 320, height: 180, fps: 25 },
        audio: { codec: 'aac', sampleRate: 48_000, channels: 2 },
      });
    },
    timeoutMs,
  );

  test(
    'several players get the same frames without a gap',
    async () => {
      const all = await Promise.all([1, 2, 3].map(() => readPackets(engine.url('play'), 200)));
      for (const { code, video, audio } of all) {
        expect(code).toBe(0);
        expect(video.length).toBeGreaterThan(50);
        expect(widestGap(video)).toBeLessThan(0.1);
        expect(widestGap(audio)).toBeLessThan(0.1);
      }
    },
    timeoutMs,
  );

  test(
    'ffmpeg decodes the stream without errors',
    async () => {
      const { code, errors } = await run(
        'ffmpeg',
        '-v',
        'warning',
        '-i',
        engine.url('play'),
        '-t',
        '2',
        '-f',
        'null',
        '-',
      );
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
    },
    timeoutMs,
  );

  test(
    'a second publisher and a wrong key get a reason, and ffmpeg ends with an error',
    async () => {
      const [second, wrong] = await Promise.all([
        publish(engine.url('push'), 5).finished,
        publish(engine.url('wrong'), 5).finished,
      ]);
      expect(second.code).not.toBe(0);
      expect(second.errors).toContain('The channel already has a publisher.');
      expect(wrong.code).not.toBe(0);
      expect(wrong.errors).toContain('No such key.');
      expect(engine.isPublishing()).toBe(true);
      expect(engine.logs).toContain('warn RTMP client refused: publish refused: NetStream.Publish.BadName');
    },
    timeoutMs,
  );

  test(
    'a player with a wrong key or application gets a reason',
    async () => {
      const [key, app] = await Promise.all([
        run('ffmpeg', '-v', 'error', '-i', engine.url('wrong'), '-f', 'null', '-'),
        run('ffmpeg', '-v', 'error', '-i', engine.url('play').replace('/live/', '/other/'), '-f', 'null', '-'),
      ]);
      expect(key.code).not.toBe(0);
      expect(key.errors).toContain('No such key.');
      expect(app.code).not.toBe(0);
      expect(app.errors).toContain('Application not found');
    },
    timeoutMs,
  );

  test.each(gstreamerKinds)(
    'GStreamer plays it with its %ssrc',
    async (kind) => {
      const pipeline = `${kind}src location=${engine.url('play')} ! flvdemux name=demux demux.video ! h264parse`;
      const end = '! video/x-h264,width=320,height=180 ! fakesink num-buffers=40';
      const { code, errors } = await run('gst-launch-1.0', '-q', ...`${pipeline} ${end}`.split(' '));
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
    },
    timeoutMs,
  );

  test(
    'it is pushed to another Signalbox server',
    async () => {
      const other = startEngineDouble();
      const ended = Promise.withResolvers<unknown>();
      const push = startPush(engine, `rtmp://127.0.0.1:${other.server.port}/live`, 'push', ended.resolve);
      const { video, audio } = await readPackets(other.url('play'), 200);
      expect(widestGap(video)).toBeLessThan(0.1);
      expect(widestGap(audio)).toBeLessThan(0.1);
      await push.stop();
      expect(await ended.promise).toBeUndefined();
      await until(() => other.ends.includes('publisher: stopped by the client'));
      other.server.close('test over');
    },
    timeoutMs,
  );

  const rtmpModule = '/usr/lib/nginx/modules/ngx_rtmp_module.so';
  test.skipIf(!existsSync('/usr/sbin/nginx') || !existsSync(rtmpModule))(
    'it is pushed to nginx-rtmp',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'nginx-rtmp-'));
      const port = leasePort();
      const listen = `rtmp { access_log off; server { listen 127.0.0.1:${port}; application app { live on; } } }`;
      const base = `load_module ${rtmpModule}; daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}`;
      writeFileSync(join(folder, 'conf'), `${base}\n${listen}\n`);
      const nginx = spawn('/usr/sbin/nginx', '-p', folder, '-e', `${folder}/log`, '-c', `${folder}/conf`);
      await until(() => canConnect(port) || nginx.child.exitCode !== null);
      const ended = Promise.withResolvers<unknown>();
      const push = startPush(engine, `rtmp://127.0.0.1:${port}/app`, 'name', ended.resolve);
      const { video, audio } = await readPackets(`rtmp://127.0.0.1:${port}/app/name`, 150);
      expect(widestGap(video)).toBeLessThan(0.1);
      expect(widestGap(audio)).toBeLessThan(0.1);
      await push.stop();
      expect(await ended.promise).toBeUndefined();
      nginx.child.kill('SIGTERM');
      await nginx.finished;
      rmSync(folder, { recursive: true });
    },
    timeoutMs,
  );
});

describe('publishers that come and go', () => {
  test(
    'are followed by a player that connected before them, on one timeline',
    async () => {
      const engine = startEngineDouble();
      // 2 s of 25 pictures and 47 sound frames each, twice.
      const packets = readPackets(engine.url('play'), 240);
      await until(() => engine.bus.ring.subscribers === 1);
      await publish(engine.url('push'), 2).finished;
      await until(() => !engine.isPublishing());
      await publish(engine.url('push'), 2).finished;
      const { code, video, audio } = await packets;
      expect(code).toBe(0);
      expect(video.length + audio.length).toBe(240);
      expect(isForward(video)).toBe(true);
      expect(isForward(audio)).toBe(true);
      expect(engine.ends.filter((end) => end.startsWith('publisher'))).toHaveLength(2);
      engine.server.close('test over');
    },
    timeoutMs,
  );

  test.each(gstreamerKinds)(
    'may be GStreamer with its %ssink',
    async (kind) => {
      const engine = startEngineDouble();
      const source = 'videotestsrc num-buffers=75 is-live=true ! video/x-raw,width=320,height=180,framerate=25/1';
      const encoder = 'x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 ! flvmux streamable=true';
      const sink = `${kind}sink location=${engine.url('push')}`;
      const gst = spawn('gst-launch-1.0', '-q', ...`${source} ! ${encoder} ! ${sink}`.split(' '));
      const { video } = await readPackets(engine.url('play'), 30);
      expect(video).toHaveLength(30);
      expect(widestGap(video)).toBeLessThan(0.1);
      expect(await gst.finished).toMatchObject({ code: 0, errors: '' });
      engine.server.close('test over');
    },
    timeoutMs,
  );
});

function startPush(engine: EngineDouble, url: string, key: string, onEnd: (failure: unknown) => void): RtmpPush {
  const push = new RtmpPush({
    url,
    key,
    outgoing: toLoopback,
    bus: engine.bus,
    onStage: () => {},
    onEnd,
  });
  push.start();
  return push;
}

function canConnect(port: number): boolean {
  const { exitCode } = Bun.spawnSync(['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`], { stderr: 'ignore' });
  return exitCode === 0;
}
