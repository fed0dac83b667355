import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createCipheriv } from 'node:crypto';
import { privateAllowed, toLoopback, withNames } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { connectionStates } from '../../contract/streams.ts';
import { FetchFailure } from '../connection/fetch-failure.ts';
import type { TsPacer } from '../mpegts/pacer.ts';
import { type HttpPullOptions, pullHttp } from './pull.ts';

setDefaultTimeout(30_000);

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

type Handler = (path: string, request: Request) => Response | Promise<Response>;

function serve(handle: Handler): { readonly url: string; readonly asked: string[]; stop(): void } {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      return handle(pathname, request);
    },
  });
  cleanups.push(() => void server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => void server.stop(true) };
}

/** Keeps what was written; its time never passes. */
function pacerDouble(): Pick<TsPacer, keyof TsPacer> & { text(): string } {
  const written: Uint8Array[] = [];
  return {
    write: (bytes) => written.push(bytes),
    room: () => Promise.resolve(),
    drained: () => Promise.resolve(),
    capacityMs: 0,
    keepMs: 0,
    heldMs: 0,
    close: () => {},
    text: () => Buffer.concat(written).toString('latin1'),
  };
}

function start(url: string, options: Partial<HttpPullOptions> = {}) {
  const pacer = pacerDouble();
  const aborter = new AbortController();
  cleanups.push(() => aborter.abort());
  const connected: string[] = [];
  const ended = pullHttp({
    outgoing: toLoopback,
    url,
    username: '',
    password: '',
    pacer,
    signal: aborter.signal,
    onConnected: (kind) => connected.push(kind),
    answerMs: 400,
    pauseMs: 400,
    ...options,
  }).catch((error) => {
    if (error instanceof FetchFailure) return error.end;
    throw error;
  });
  return { pacer, connected, ended, stop: () => aborter.abort() };
}

const packets = 'G'.repeat(188);
const list = (sequence: number, names: readonly string[], ...more: string[]) =>
  ['#EXTM3U', '#EXT-X-TARGETDURATION:0.5', `#EXT-X-MEDIA-SEQUENCE:${sequence}`, ...more]
    .concat(names.flatMap((name) => ['#EXTINF:0.5,', name]))
    .join('\n');
/** A segment that contains its own name. */
const segment = (path: string) => new Response(`[${path.slice(1)}]`);

describe('a transport stream', () => {
  test('is passed on until the server ends it', async () => {
    const server = serve(() => new Response(packets));
    const { pacer, connected, ended } = start(`${server.url}/live.ts`);
    expect(await ended).toMatchObject({ conn: connectionStates.disconnected, reason: 'closedByPeer' });
    expect(connected).toEqual(['ts']);
    expect(pacer.text()).toBe(packets);
  });

  test('that pauses for too long is ended', async () => {
    const body = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from(packets)),
      });
    const server = serve(() => new Response(body()));
    expect(await start(`${server.url}/live.ts`).ended).toMatchObject({
      conn: connectionStates.disconnected,
      reason: 'stalled',
    });
  });

  test('is stopped by its signal', async () => {
    const server = serve(() => new Response(new ReadableStream({ start: (c) => c.enqueue(Buffer.from(packets)) })));
    const bench = start(`${server.url}/live.ts`, { pauseMs: 60_000 });
    await until(() => bench.connected.length === 1);
    bench.stop();
    expect(await bench.ended).toMatchObject({ reason: 'closedByPeer' });
  });
});

describe('an HLS playlist', () => {
  test('starts at the third segment from its end, and gets each segment once', async () => {
    let loads = 0;
    const server = serve((path) => {
      if (path !== '/index.m3u8') return segment(path);
      loads++;
      if (loads === 1) return new Response(list(10, ['a', 'b', 'c', 'd', 'e']));
      if (loads < 4) return new Response(list(11, ['b', 'c', 'd', 'e', 'f']));
      return new Response(list(12, ['c', 'd', 'e', 'f', 'g'], '#EXT-X-ENDLIST'));
    });
    const { pacer, connected, ended } = start(`${server.url}/index.m3u8`);
    expect(await ended).toMatchObject({ reason: 'closedByPeer', text: 'the playlist has ended' });
    expect(connected).toEqual(['hls']);
    expect(pacer.text()).toBe('[c][d][e][f][g]');
    expect([pacer.capacityMs, pacer.keepMs]).toEqual([2500, 1000]);
  });

  test('continues with the available segments after some were missed or the numbering restarted', async () => {
    const lists = [list(0, ['a', 'b']), list(40, ['x', 'y']), list(0, ['p', 'q'], '#EXT-X-ENDLIST')];
    const server = serve((path) => (path === '/i.m3u8' ? new Response(lists.shift() ?? lists[0]) : segment(path)));
    const { pacer, ended } = start(`${server.url}/i.m3u8`);
    await ended;
    expect(pacer.text()).toBe('[a][b][x][y][p][q]');
  });

  test('is chosen by bandwidth among the variants that contain their audio', async () => {
    const master = [
      '#EXTM3U',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",URI="sound.m3u8"',
      ...['#EXT-X-STREAM-INF:BANDWIDTH=9000,AUDIO="g"', 'apart.m3u8'],
      ...['#EXT-X-STREAM-INF:BANDWIDTH=100', 'low.m3u8', '#EXT-X-STREAM-INF:BANDWIDTH=500', 'high.m3u8'],
    ].join('\n');
    const server = serve((path) => {
      if (path === '/master') return new Response(master);
      return path === '/high.m3u8' ? new Response(list(0, ['h'], '#EXT-X-ENDLIST')) : segment(path);
    });
    const { pacer, ended } = start(`${server.url}/master`);
    await ended;
    expect(pacer.text()).toBe('[h]');
    expect(server.asked).toEqual(['/master', '/high.m3u8', '/h']);
  });

  test.each([33, 1_795_367_490_123])('may be encrypted with AES-128, numbered from %d', async (first) => {
    const key = Buffer.alloc(16, 7);
    const iv = Buffer.alloc(16);
    iv.writeBigUInt64BE(BigInt(first), 8);
    const server = serve((path) => {
      if (path === '/key') return new Response(key);
      if (path === '/i.m3u8') {
        return new Response(list(first, ['a'], '#EXT-X-KEY:METHOD=AES-128,URI="key"', '#EXT-X-ENDLIST'));
      }
      const cipher = createCipheriv('aes-128-cbc', key, iv);
      return new Response(Buffer.concat([cipher.update(packets), cipher.final()]));
    });
    const { pacer, ended } = start(`${server.url}/i.m3u8`);
    await ended;
    expect(pacer.text()).toBe(packets);
  });

  test('survives one missing segment, but not three in a row', async () => {
    const gone = new Response(null, { status: 404 });
    const one = serve((path) => {
      if (path === '/i.m3u8') return new Response(list(0, ['a', 'b', 'c'], '#EXT-X-ENDLIST'));
      return path === '/b' ? gone.clone() : segment(path);
    });
    const { pacer, ended } = start(`${one.url}/i.m3u8`);
    expect(await ended).toMatchObject({ text: 'the playlist has ended' });
    expect(pacer.text()).toBe('[a][c]');
    const all = serve((path) => (path === '/i.m3u8' ? new Response(list(0, ['a', 'b', 'c'])) : gone.clone()));
    expect(await start(`${all.url}/i.m3u8`).ended).toMatchObject({ conn: connectionStates.streamFailed });
  });

  test('with fragmented MP4 is refused with that reason', async () => {
    const server = serve(() => new Response(list(0, ['a.mp4'], '#EXT-X-MAP:URI="init.mp4"')));
    expect(await start(`${server.url}/i.m3u8`).ended).toMatchObject({
      conn: connectionStates.streamFailed,
      reason: 'codecNotPossible',
      permanent: true,
    });
  });

  test('of endless size is not read to its end', async () => {
    const endless = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('#EXTM3U\n')),
        pull: (controller) => controller.enqueue(Buffer.alloc(1 << 16, '#')),
      });
    const server = serve(() => new Response(endless()));
    expect(await start(`${server.url}/i.m3u8`).ended).toMatchObject({ reason: 'badInput' });
  });
});

describe('user and password', () => {
  const guarded = (handle: Handler, scheme = 'Basic realm="tv"') =>
    serve((path, request) => {
      const sent = request.headers.get('authorization') ?? '';
      const isRight = scheme.startsWith('Basic') ? sent === `Basic ${btoa('me:s3cret')}` : sent.startsWith('Digest ');
      if (!isRight) return new Response(null, { status: 401, headers: { 'www-authenticate': scheme } });
      return handle(path, request);
    });
  const me = { username: 'me', password: 's3cret' };

  test.each(['Basic realm="tv"', 'Digest realm="tv", nonce="n", qop="auth"'])(
    'open a server that requires %s',
    async (scheme) => {
      const server = guarded((path) => {
        if (path === '/i.m3u8') return new Response(list(0, ['a', 'b'], '#EXT-X-ENDLIST'));
        return segment(path);
      }, scheme);
      const { pacer, ended } = start(`${server.url}/i.m3u8`, me);
      await ended;
      expect(pacer.text()).toBe('[a][b]');
      expect(server.asked).toEqual(['/i.m3u8', '/i.m3u8', '/a', '/b']);
    },
  );

  test('that are wrong or missing are an authorization failure', async () => {
    const server = guarded(() => new Response(packets));
    const refused = { conn: connectionStates.authorizationFailed, reason: 'notAuthorized', permanent: true } as const;
    expect(await start(server.url, { ...me, password: 'wrong' }).ended).toMatchObject(refused);
    expect(await start(server.url).ended).toMatchObject(refused);
  });

  test('are sent to no other server', async () => {
    const seen: (string | null)[] = [];
    const other = serve((_, request) => {
      seen.push(request.headers.get('authorization'));
      return new Response(null, { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } });
    });
    const server = guarded(() => Response.redirect(`${other.url}/else`));
    expect(await start(server.url, me).ended).toMatchObject({ conn: connectionStates.authorizationFailed });
    expect(seen).toEqual([null]);
  });
});

describe('a fetch that fails', () => {
  const endOf = (url: string) => start(url).ended;

  test('reports a host that does not exist, and a closed port', async () => {
    expect(await endOf('http://name.invalid/x')).toMatchObject({ conn: connectionStates.dnsFailed, permanent: true });
    const server = serve(() => new Response());
    server.stop();
    expect(await endOf(server.url)).toMatchObject({ conn: connectionStates.tcpFailed, reason: 'refused' });
  });

  test('reports a missing stream, and a server error', async () => {
    const server = serve((path) => new Response(null, { status: Number(path.slice(1)) }));
    expect(await endOf(`${server.url}/404`)).toMatchObject({ conn: connectionStates.streamFailed, permanent: false });
    expect(await endOf(`${server.url}/503`)).toMatchObject({ conn: connectionStates.refused });
    expect(await endOf(`${server.url}/403`)).toMatchObject({ conn: connectionStates.authorizationFailed });
  });

  test('reports a server that accepts the connection and never answers, or disconnects', async () => {
    const listen = (data: (socket: Bun.Socket<undefined>) => void) => {
      const listener = Bun.listen<undefined>({ hostname: '127.0.0.1', port: 0, socket: { data } });
      cleanups.push(() => listener.stop(true));
      return `http://127.0.0.1:${listener.port}/`;
    };
    const { handshakeFailed } = connectionStates;
    expect(await endOf(listen(() => {}))).toMatchObject({ conn: handshakeFailed, reason: 'timeout' });
    expect(await endOf(listen((socket) => socket.end()))).toMatchObject({ conn: handshakeFailed });
  });

  test('gives up on a redirect loop', async () => {
    const server = serve((_, request) => Response.redirect(request.url));
    expect(await endOf(server.url)).toMatchObject({ conn: connectionStates.refused, permanent: true });
    expect(server.asked.length).toBeLessThan(10);
  });

  test('follows no redirect to an address that is not HTTP', async () => {
    const server = serve(() => new Response(null, { status: 302, headers: { location: 'file:///etc/passwd' } }));
    expect(await endOf(server.url)).toMatchObject({ conn: connectionStates.refused, permanent: true });
  });

  test('reports a server without TLS', async () => {
    const server = serve(() => new Response(packets));
    expect(await endOf(server.url.replace('http:', 'https:'))).toMatchObject({
      conn: connectionStates.handshakeFailed,
      reason: 'tlsFailed',
    });
  });
});

describe('addresses', () => {
  const refused = { conn: connectionStates.creationFailed, reason: 'addressNotAllowed', permanent: true } as const;
  /** No test may fetch from this address, although it would answer. */
  const closed = () => {
    const server = serve(() => new Response(packets));
    const port = Number(new URL(server.url).port);
    return { server, outgoing: withNames({}, { ...privateAllowed, closedPorts: [port] }) };
  };

  test('a name is resolved once, and the pull connects to the address that was checked', async () => {
    const hosts: (string | null)[] = [];
    const server = serve((path, request) => {
      hosts.push(request.headers.get('host'));
      return path === '/live.m3u8' ? new Response(list(1, ['a', 'b'], '#EXT-X-ENDLIST')) : segment(path);
    });
    const { port } = new URL(server.url);
    const outgoing = withNames({ 'camera.example': ['127.0.0.1', '169.254.169.254'] });
    const { pacer, ended } = start(`http://camera.example:${port}/live.m3u8`, { outgoing });
    expect(await ended).toMatchObject({ text: 'the playlist has ended' });
    expect(pacer.text()).toBe('[a][b]');
    expect(hosts).toEqual(Array(3).fill(`camera.example:${port}`));
  });

  test('a redirect to an address that is not allowed is refused', async () => {
    const { server, outgoing } = closed();
    const first = serve(() => Response.redirect(`${server.url}/metrics`));
    expect(await start(first.url, { outgoing }).ended).toMatchObject(refused);
    const second = serve(() => Response.redirect('http://169.254.169.254/latest/meta-data'));
    expect(await start(second.url, { outgoing }).ended).toMatchObject(refused);
    expect(server.asked).toEqual([]);
  });

  test('entries, keys and variants of a playlist at such an address are refused as well', async () => {
    const { server, outgoing } = closed();
    const key = `#EXT-X-KEY:METHOD=AES-128,URI="${server.url}/key"`;
    const variant = `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${server.url}/low.m3u8`;
    const playlists = [
      list(
        1,
        ['a', 'b', 'c'].map((name) => `${server.url}/${name}`),
      ),
      variant,
      list(1, ['a', 'b', 'c'], key),
    ];
    for (const playlist of playlists) {
      const from = serve((path) => (path === '/live.m3u8' ? new Response(playlist) : segment(path)));
      expect(await start(`${from.url}/live.m3u8`, { outgoing }).ended).toMatchObject(refused);
    }
    expect(server.asked).toEqual([]);
  });
});
