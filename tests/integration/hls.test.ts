/** HLS and HTTP-TS through the real hub: what players get, access control, and the cost of slow or many players. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packetSize } from '../../daemon/engine/mpegts/packet.ts';
import { createTsScanner } from '../../daemon/engine/mpegts/scanner.ts';
import { until, untilSeen, usualMs } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { inspect, killAll, publish, record, run, untilRecorded } from './live-media.ts';
import { timeDivisor } from './scaled-timing.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-hls-'));
let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

let channels = 0;
async function addChannel() {
  const [push, play] = [`hls-push-${++channels}`, `hls-play-${channels}`];
  const config = { 'push-key': push, 'play-key': play, enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: `HLS ${channels}`, config });
  const { rtmp, srt, hls } = hub.ports;
  return {
    id,
    pushRtmp: `rtmp://127.0.0.1:${rtmp}/live/${push}`,
    pushSrt: `srt://127.0.0.1:${srt}?mode=caller&streamid=${push}&latency=120000&pkt_size=1316`,
    folder: `http://127.0.0.1:${hls}/live/${play}`,
    hls: `http://127.0.0.1:${hls}/live/${play}/index.m3u8`,
    low: `http://127.0.0.1:${hls}/live/${play}/low.m3u8`,
    ts: `http://127.0.0.1:${hls}/live/${play}.ts`,
  };
}

interface ChannelView {
  readonly state: string;
  readonly clients: {
    readonly list: readonly { id: number; addr: string; kbps: number; skipped: number; 'total-bytes': number }[];
  };
}
const view = (id: number) => hub.api<ChannelView>(`/api/channel/query?id=${id}`);
const clients = async (id: number) => (await view(id)).clients.list;
const untilLive = (id: number) =>
  untilSeen(
    () => view(id),
    ({ state }) => state === 'live',
    usualMs,
    `channel ${id} is live`,
  );
const get = (url: string, options: RequestInit = {}) => fetch(url, { signal: AbortSignal.timeout(20_000), ...options });
const text = async (url: string) => (await get(url)).text();
const tagValue = (playlist: string, tag: string) => Number(new RegExp(`^#${tag}:(\\d+)`, 'm').exec(playlist)?.[1]);

describe('players', () => {
  afterAll(killAll);

  for (const protocol of ['RTMP', 'SRT'] as const) {
    test.concurrent(`a channel fed by ${protocol} plays without gaps over HLS and HTTP-TS`, async () => {
      const channel = await addChannel();
      publish(protocol === 'RTMP' ? channel.pushRtmp : channel.pushSrt);
      await untilLive(channel.id);
      const files = ['hls', 'ts'].map((kind) => join(folder, `from-${protocol}-${kind}.mkv`));
      const players = [channel.hls, channel.ts].map((url, at) => record(url, files[at]!, 10));
      await until(async () => (await clients(channel.id)).length === 2, 15_000, 'both players are known');
      const isCounted = async () => (await clients(channel.id)).every((client) => client['total-bytes'] > 100_000);
      await until(isCounted, 20_000, 'bytes of both are counted');
      expect(await Promise.all(players.map((player) => player.exited))).toEqual([0, 0]);
      for (const file of files) expectWhole(await inspect(file), 10);
      await until(async () => (await clients(channel.id)).length === 0, 20_000, 'both players left');
    });
  }

  test.concurrent.each(['HLS', 'HTTP-TS'])('GStreamer plays video and audio over %s', async (protocol) => {
    const channel = await addChannel();
    publish(channel.pushSrt);
    await untilLive(channel.id);
    const from = protocol === 'HLS' ? `${channel.hls} ! hlsdemux` : channel.ts;
    const into = 'tsdemux name=demux demux. ! queue ! h264parse ! mux. demux. ! queue ! aacparse ! mux.';
    const file = join(folder, `gstreamer-${protocol}.mkv`);
    const out = `matroskamux name=mux streamable=true ! filesink location=${file}`;
    const player = run(['gst-launch-1.0', '-q', ...`souphttpsrc location=${from} ! ${into} ${out}`.split(' ')]);
    await untilRecorded(file, 1_500_000, 30_000);
    await player.stop();
    expectWhole(await inspect(file), 5);
  });

  test.concurrent('a returning publisher continues the playlist after a discontinuity, and players continue', async () => {
    const channel = await addChannel();
    const first = publish(channel.pushSrt);
    await untilLive(channel.id);
    const file = join(folder, 'restarted.mkv');
    const player = record(channel.hls, file);
    await untilRecorded(file, 600_000, 20_000);
    const before = await text(channel.hls);
    await first.stop();
    await until(async () => (await view(channel.id)).state !== 'live', 20_000, 'the publisher has left');
    publish(channel.pushSrt);
    await until(async () => (await text(channel.hls)).includes('#EXT-X-DISCONTINUITY\n'), 20_000, 'a discontinuity');
    const recorded = Bun.file(file).size;
    await untilRecorded(file, recorded + 1_000_000, 20_000);
    const after = await text(channel.hls);
    expect(tagValue(after, 'EXT-X-MEDIA-SEQUENCE')).toBeGreaterThanOrEqual(tagValue(before, 'EXT-X-MEDIA-SEQUENCE'));
    await player.stop();
    expect((await inspect(file)).pictures).toBeGreaterThan(150);
  });
});

describe('the server', () => {
  afterEach(killAll);

  test('the first playlist has a segment that contains the first picture', async () => {
    const channel = await addChannel();
    publish(channel.pushSrt);
    await untilLive(channel.id);
    // The ring holds two GOPs after two seconds; before that, the first segment contains one GOP.
    for (const url of [channel.low, channel.hls, channel.ts]) {
      const quick = ['-probesize', '200000', '-analyzeduration', '200000'];
      const first = [...quick, '-i', url, '-frames:v', '1', '-f', 'null', '-'];
      expect(await run(['ffmpeg', '-nostdin', '-loglevel', 'error', ...first]).exited).toBe(0);
    }
    const playlist = await text(channel.low);
    const name = /^\d+\.ts$/m.exec(playlist)?.[0];
    expect(beginsWithKeyframe(await (await get(`${channel.folder}/${name}`)).bytes())).toBe(true);
  });

  test('segments begin with tables and a keyframe, have no gaps between them, and consist of their parts', async () => {
    const channel = await addChannel();
    publish(channel.pushSrt);
    await untilLive(channel.id);
    let playlist = await text(channel.low);
    const first = tagValue(playlist, 'EXT-X-MEDIA-SEQUENCE');
    const hint = /PRELOAD-HINT:TYPE=PART,URI="(\d+)\.(\d+)\.ts"/.exec(playlist)!;
    const part = await get(`${channel.folder}/${hint[1]}.${hint[2]}.ts`);
    expect({ status: part.status, type: part.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'video/mp2t',
    });
    playlist = await text(`${channel.low}?_HLS_msn=${hint[1]}&_HLS_part=${hint[2]}`);
    expect(playlist).toContain(`URI="${hint[1]}.${hint[2]}.ts"`);
    for (let number = first + 1; number <= first + 4; number++) {
      playlist = await text(`${channel.low}?_HLS_msn=${number}`);
      expect(playlist).toContain(`\n${number}.ts\n`);
    }
    expect((await get(`${channel.low}?_HLS_msn=${first + 9}`)).status).toBe(400);
    const bodies: Uint8Array[] = [];
    for (let number = first; number <= first + 4; number++) {
      const body = await (await get(`${channel.folder}/${number}.ts`)).bytes();
      // This one is an exception: it ended early because a request was waiting for the first segment.
      if (number !== first + 1) expect(beginsWithKeyframe(body)).toBe(true);
      bodies.push(body);
    }
    expect(holesIn(bodies)).toBe(0);
    const newest = first + 4;
    const count = playlist.match(new RegExp(`URI="${newest}\\.\\d+\\.ts"`, 'g'))!.length;
    const parts: Uint8Array[] = [];
    for (let at = 0; at < count; at++) parts.push(await (await get(`${channel.folder}/${newest}.${at}.ts`)).bytes());
    expect(Buffer.concat(parts).equals(bodies.at(-1)!)).toBe(true);
  });

  /** Returns whether the body starts with PAT, PMT and a random access point of the video. */
  function beginsWithKeyframe(body: Uint8Array): boolean {
    const scanner = createTsScanner();
    for (let at = 0; at < 3 * packetSize; at += packetSize) if (scanner.scan(body, at)) return at === 2 * packetSize;
    return false;
  }

  /** Returns the continuity errors. The tables before each segment count as duplicate packets, which are valid. */
  function holesIn(bodies: readonly Uint8Array[]): number {
    const scanner = createTsScanner();
    for (const body of bodies) for (let at = 0; at < body.length; at += packetSize) scanner.scan(body, at);
    return scanner.continuityErrors;
  }

  test('players get access only with the play key of an enabled channel', async () => {
    const channel = await addChannel();
    publish(channel.pushSrt);
    await untilLive(channel.id);
    const base = `http://127.0.0.1:${hub.ports.hls}`;
    const wrong = ['.ts', '/index.m3u8', '/low.m3u8', '/1.ts'].map((rest) => `/live/wrong${rest}`);
    const others = ['/', '/live', '/live/', '/live/%ff.ts', ...wrong];
    const push = `/live/hls-push-${channels}`;
    for (const path of [...others, `${push}.ts`, `${push}/index.m3u8`, '/live/../../etc/passwd', '/index.html']) {
      expect({ path, status: (await get(`${base}${path}`)).status }).toEqual({ path, status: 404 });
    }
    for (const path of [`${channel.folder}/other.m3u8`, `${channel.folder}/1.ts`, `${channel.folder}/`]) {
      expect((await get(path)).status).toBe(404);
    }
    expect((await get(`${base}/live/${'x'.repeat(2000)}.ts`)).status).toBe(414);
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await get(channel.hls, { method })).status).toBe(405);
    await hub.api('/api/channel/enable', { id: channel.id, enable: false });
    await until(async () => (await get(channel.hls)).status === 403, 20_000, 'the channel is closed to players');
    expect((await get(channel.ts)).status).toBe(403);
  });

  test('headers suit browsers and caches, and HEAD returns no body', async () => {
    const channel = await addChannel();
    publish(channel.pushSrt);
    await untilLive(channel.id);
    const playlist = await get(channel.hls);
    const shown = ({ status, headers }: Response) => ({
      status,
      type: headers.get('content-type'),
      caching: headers.get('cache-control'),
      origin: headers.get('access-control-allow-origin'),
    });
    const segment = `${channel.folder}/${/^\d+\.ts$/m.exec(await playlist.text())?.[0]}`;
    const [mpegurl, mp2t] = ['application/vnd.apple.mpegurl', 'video/mp2t'];
    const cached = 'public, max-age=60, immutable';
    expect(shown(playlist)).toEqual({ status: 200, type: mpegurl, caching: 'no-cache', origin: '*' });
    expect(shown(await get(segment))).toEqual({ status: 200, type: mp2t, caching: cached, origin: '*' });
    const head = async (url: string) => {
      const answer = await get(url, { method: 'HEAD' });
      expect((await answer.bytes()).length).toBe(0);
      return { ...shown(answer), length: Number(answer.headers.get('content-length')) };
    };
    expect(await head(channel.ts)).toMatchObject({ status: 200, type: mp2t, caching: 'no-store', origin: '*' });
    const { length, ...rest } = await head(segment);
    expect(rest).toEqual({ status: 200, type: mp2t, caching: cached, origin: '*' });
    expect(length).toBe((await (await get(segment)).bytes()).length);
    const preflight = await get(segment, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
  });

  test('disabling a channel disconnects both HLS and HTTP-TS players', async () => {
    const channel = await addChannel();
    publish(channel.pushSrt);
    await untilLive(channel.id);
    const players = [channel.hls, channel.ts].map((url, at) => record(url, join(folder, `switched-off-${at}.mkv`)));
    await until(async () => (await clients(channel.id)).length === 2, 15_000, 'both players are known');
    await hub.api('/api/channel/enable', { id: channel.id, enable: false });
    await until(async () => (await clients(channel.id)).length === 0, 20_000, 'no player is connected');
    await Promise.all(players.map((player) => player.exited));
  });

  test('an HTTP-TS client that stops reading costs no memory, disturbs no player, and is disconnected', async () => {
    const channel = await addChannel();
    const fixed = ['-minrate', '20M', '-maxrate', '20M', '-bufsize', '20M', '-x264-params', 'nal-hrd=cbr'];
    const encoder = ['libx264', '-preset', 'ultrafast', '-g', '25', ...fixed];
    publish(channel.pushSrt, { pictures: { size: '640x360', kbps: 20_000, encoder }, sound: {} });
    await untilLive(channel.id);
    const frozen = [1, 2, 3, 4, 5, 6, 7, 8].map((at) => record(channel.ts, join(folder, `frozen-${at}.mkv`)));
    const file = join(folder, 'beside-frozen.mkv');
    const player = record(channel.ts, file);
    await untilRecorded(file, 3_000_000, 20_000);
    await until(async () => (await clients(channel.id)).length === 9, 10_000, 'nine players');
    for (const { child } of frozen) child.kill('SIGSTOP');
    const memory = await hub.engineMemory();
    await until(async () => (await clients(channel.id)).length === 1, 60_000, 'the stopped players are disconnected');
    // Keeping what they do not read would take far more; the engine itself grows by up to 50 MB when it has much to do.
    expect(await hub.engineMemory()).toBeLessThan(memory + 80 * 1024 * 1024);
    await player.stop();
    const { longestGap, goesBack } = await inspect(file);
    expect(goesBack).toBe(false);
    expect(longestGap.video).toBeLessThan(0.1);
  });

  interface Part {
    readonly name: string;
    readonly ok: boolean;
    readonly reason?: string;
    readonly port?: number;
  }

  test('an occupied port is logged in one line, and opened once it is free', async () => {
    const blocker = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } });
    const other = await startHub({ env: { SIGNALBOX_HLS_PORT: String(blocker.port) }, timeDivisor });
    try {
      await other.login();
      const part = async () => {
        const { status } = await other.api<{ status: { system: { parts: Part[] } } }>('/api/system/status');
        return status.system.parts.find(({ name }) => name === 'hls');
      };
      await until(async () => (await part())?.ok === false, 20_000, 'the HLS part is missing');
      expect(await part()).toMatchObject({ reason: 'portOccupied', port: blocker.port });
      const warning = `HLS port ${blocker.port} is occupied: stop the program that uses it, or choose another port`;
      expect(other.logs().split(warning)).toHaveLength(2);
      blocker.stop(true);
      await until(async () => (await part())?.ok === true, 10_000, 'the port is open');
      expect((await get(`http://127.0.0.1:${blocker.port}/live/nobody.ts`)).status).toBe(404);
    } finally {
      await other.stop();
    }
  });
});
