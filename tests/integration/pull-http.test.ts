/** Inputs that the engine pulls over HTTP: transport streams and HLS. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connectionStates } from '../../daemon/contract/streams.ts';
import type { HttpStream } from '../../daemon/sources/stream-address.ts';
import { clip, loopClip, looped } from '../support/clips.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { picture, source } from './live-media.ts';
import { openPullRig, playTo } from './pull-rig.ts';

setDefaultTimeout(90_000);

const rig = openPullRig('pull-http');
const servers: Bun.Server<undefined>[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop(true);
});

const http = (url: string, rest: Partial<HttpStream> = {}): HttpStream => ({
  protocol: 'http',
  url,
  username: '',
  password: '',
  bufferMs: 300,
  ...rest,
});

/** Serves a live stream from FFmpeg to each client with the right password. */
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
  test.concurrent('is pulled from FFmpeg as a server', async () => {
    const base = leasePort();
    playTo('-f', 'mpegts', '-listen', '1', `http://127.0.0.1:${base}/live.ts`);
    const pulled = rig.addChannel(http(`http://127.0.0.1:${base}/live.ts`));
    await rig.untilLive(pulled.id);
    expect(rig.inputOf(pulled.id)).toMatchObject({
      protocol: 'http',
      peer: `127.0.0.1:${base}`,
      ccErrors: 0,
      media: { container: 'ts', video: { codec: 'h264', width: picture.width } },
    });
    await rig.expectPlays(pulled.play, 'http-ffmpeg');
    expect(rig.inputOf(pulled.id)?.ccErrors).toBe(0);
  });

  test.concurrent('needs the right password, never shows it, and reconnects when its server returns', async () => {
    const base = leasePort();
    const server = serveTs({ port: base }, 'me:s3cret-word');
    const url = `http://127.0.0.1:${base}/live.ts`;
    const wrong = rig.addChannel(http(url, { username: 'me', password: 's3cret-wrong' }));
    await rig.untilConn(wrong.id, connectionStates.authorizationFailed);
    const right = rig.addChannel(http(url, { username: 'me', password: 's3cret-word' }));
    await rig.untilLive(right.id);
    const processes = rig.processes().flatMap(({ words }) => words);
    expect(processes.join(' ')).not.toContain('s3cret');
    await server.stop(true);
    await rig.untilConn(right.id, connectionStates.tcpFailed);
    servers.push(serveTs({ port: base }, 'me:s3cret-word'));
    await rig.untilLive(right.id);
    await rig.expectPlays(right.play, 'http-again');
    expect(rig.logLines.join('\n')).not.toContain('s3cret');
  });

  test.concurrent('that is served as a file plays in real time', async () => {
    const file = clip(['-stream_loop', '-1', '-i', loopClip(source), '-map', '0', '-c', 'copy', '-t', '12'], 'ts');
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(Bun.file(file)) });
    servers.push(server);
    const pulled = rig.addChannel(http(`http://127.0.0.1:${server.port}/clip.ts`));
    await rig.untilLive(pulled.id);
    await rig.expectPlays(pulled.play, 'http-file', 6);
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
    servers.push(server);
    return `http://127.0.0.1:${server.port}`;
  }

  test.concurrent('is followed live, and again after its encoder has restarted', async () => {
    const home = join(rig.folder, 'hls');
    mkdirSync(home);
    const playlist = join(home, 'index.m3u8');
    const make = () =>
      playTo('-f', 'hls', '-hls_time', '1', '-hls_list_size', '6', '-hls_flags', 'delete_segments', playlist);
    const pulled = rig.addChannel(http(`${serveFolder(home)}/index.m3u8`));
    await rig.untilConn(pulled.id, connectionStates.streamFailed);
    const encoder = make();
    await rig.untilLive(pulled.id, 40_000);
    await rig.expectPlays(pulled.play, 'hls', 8);
    expect(rig.inputOf(pulled.id)?.ccErrors).toBe(0);
    await encoder.stop();
    await until(() => rig.inputOf(pulled.id)?.conn === connectionStates.disconnected, 30_000, 'the playlist has ended');
    rmSync(playlist);
    make();
    await rig.untilLive(pulled.id, 40_000);
    await rig.expectPlays(pulled.play, 'hls-again');
  });
});
