import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import type { Socket } from 'bun';
import { privateAllowed, privateRefused, toLoopback, withNames } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { connectionStates } from '../../contract/streams.ts';
import { FetchFailure } from '../connection/fetch-failure.ts';
import { encodeMessage, encodePacket, type RtspMessage, RtspReader } from './message.ts';
import { RtspSession, type RtspSessionOptions, TransportFailure } from './session.ts';

setDefaultTimeout(30_000);

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

interface Ask {
  readonly method: string;
  readonly uri: string;
  readonly headers: ReadonlyMap<string, string>;
}
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly afterwards?: (socket: Socket<undefined>) => void;
}

const sdp = (encoding = 'H264') =>
  ['v=0', 's=x', 'm=video 0 RTP/AVP 96', `a=rtpmap:96 ${encoding}/90000`, 'a=control:v', ''].join('\r\n') +
  ['m=audio 0 RTP/AVP 97', 'a=rtpmap:97 MPEG4-GENERIC/48000/2', 'a=fmtp:97 config=1190', 'a=control:a', ''].join(
    '\r\n',
  );

/** A server that answers as the test defines; undefined means no answer. */
function serve(replyTo: (ask: Ask) => Reply | undefined) {
  const asked: Ask[] = [];
  const respond = (socket: Socket<undefined>, { startLine, headers }: RtspMessage) => {
    const [method = '', uri = ''] = startLine.split(' ');
    const ask = { method, uri, headers };
    asked.push(ask);
    const reply = replyTo(ask);
    if (!reply) return;
    const { status = 200, headers: more = {}, body = '' } = reply;
    socket.write(encodeMessage(`RTSP/1.0 ${status} X`, { CSeq: headers.get('cseq') ?? '', ...more }, body));
    reply.afterwards?.(socket);
  };
  const listener = Bun.listen<undefined>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        const reader = new RtspReader({
          message: (message) => respond(socket, message),
          packet: () => {},
        });
        readers.set(socket, reader);
      },
      data: (socket, bytes) => readers.get(socket)?.feed(bytes),
    },
  });
  const readers = new Map<Socket<undefined>, RtspReader>();
  cleanups.push(() => listener.stop(true));
  return { url: `rtsp://127.0.0.1:${listener.port}/cam`, asked, stop: () => listener.stop(true) };
}

/** A server that plays over TCP, on channels of its own choice. */
function playing({ method, uri, headers }: Ask): Reply {
  if (method === 'OPTIONS') return { headers: { Public: 'DESCRIBE, GET_PARAMETER' } };
  if (method === 'DESCRIBE') return { body: sdp() };
  if (method === 'SETUP') {
    const isFirst = !headers.get('session');
    const channels = isFirst ? '4-5' : '6-7';
    return { headers: { Session: 'abc;timeout=60', Transport: `RTP/AVP/TCP;unicast;interleaved=${channels}` } };
  }
  if (method !== 'PLAY') return {};
  return {
    headers: { 'RTP-Info': `url=rtsp://x/other;rtptime=1, url=${uri}/v;seq=9;rtptime=4294967295` },
    afterwards: (socket) => {
      socket.write(
        Buffer.concat([
          encodePacket(6, Buffer.from('sound')),
          encodePacket(4, Buffer.from('picture')),
          encodePacket(7, Buffer.from('report')),
        ]),
      );
    },
  };
}

async function open(url: string, options: Partial<RtspSessionOptions> = {}) {
  const packets: [string, number, string][] = [];
  const starts: [number, number][] = [];
  const keep = (what: string) => (track: number, bytes: Uint8Array) =>
    packets.push([what, track, Buffer.from(bytes).toString()]);
  const session = await RtspSession.open({
    outgoing: toLoopback,
    url,
    username: '',
    password: '',
    transports: ['tcp'],
    signal: new AbortController().signal,
    answerMs: 300,
    bufferMs: 200,
    firstPacketMs: { tcp: 300, udp: 300 },
    openRemux: () => ({
      packet: keep('packet'),
      control: keep('control'),
      starts: (track, timestamp) => starts.push([track, timestamp]),
      receiverReport: () => undefined,
    }),
    ...options,
  });
  cleanups.push(() => session.close());
  return { session, packets, starts };
}

const failureOf = (url: string, options: Partial<RtspSessionOptions> = {}) =>
  open(url, options).then(
    () => undefined,
    (error) => {
      if (error instanceof FetchFailure) return { ...error.end, isTransport: error instanceof TransportFailure };
      throw error;
    },
  );

describe('a session over TCP', () => {
  test('sets up video and audio, plays, and assigns packets to their track', async () => {
    const server = serve(playing);
    const { session, packets, starts } = await open(server.url);
    await until(() => packets.length === 3);
    expect(packets).toEqual([
      ['packet', 1, 'sound'],
      ['packet', 0, 'picture'],
      ['control', 1, 'report'],
    ]);
    expect(starts).toEqual([[0, 4_294_967_295]]);
    expect(server.asked.map(({ method, uri }) => `${method} ${uri.slice(server.url.length)}`)).toEqual([
      'OPTIONS ',
      'DESCRIBE ',
      'SETUP /v',
      'SETUP /a',
      'PLAY ',
    ]);
    expect(server.asked[3]?.headers.get('session')).toBe('abc');
    session.close();
    await until(() => server.asked.at(-1)?.method === 'TEARDOWN');
  });

  test('ends when the server disconnects', async () => {
    let peer: Socket<undefined> | undefined;
    const server = serve((ask) => {
      const reply = playing(ask);
      return {
        ...reply,
        afterwards(socket) {
          peer = socket;
          reply.afterwards?.(socket);
        },
      };
    });
    const { session } = await open(server.url);
    peer?.end();
    expect((await session.closed).end).toMatchObject({ conn: connectionStates.disconnected, reason: 'closedByPeer' });
  });

  test('is refused by a server that supports only UDP, so that UDP may be tried', async () => {
    const server = serve((ask) => (ask.method === 'SETUP' ? { status: 461 } : playing(ask)));
    expect(await failureOf(server.url)).toMatchObject({ conn: connectionStates.refused, isTransport: true });
  });
});

describe('a session over UDP', () => {
  function overUdp(send: boolean) {
    const socket = createSocket('udp4');
    const heard: number[] = [];
    socket.bind(0, '127.0.0.1');
    socket.on('message', (bytes) => heard.push(bytes.length));
    cleanups.push(() => socket.close());
    let clientPort = 0;
    const server = serve((ask) => {
      if (ask.method === 'SETUP') {
        const transport = ask.headers.get('transport') ?? '';
        if (transport.includes('/TCP')) return { status: 461 };
        if (clientPort === 0) clientPort = Number(/client_port=(\d+)/.exec(transport)?.[1]);
        const { port } = socket.address();
        return { headers: { Session: 'abc', Transport: `${transport};server_port=${port}-${port + 1}` } };
      }
      if (ask.method !== 'PLAY' || !send) return ask.method === 'PLAY' ? {} : playing(ask);
      return { afterwards: () => socket.send('picture', clientPort, '127.0.0.1') };
    });
    return { server, heard };
  }

  test('receives packets from the server, after opening the path for them', async () => {
    const { server, heard } = overUdp(true);
    const { packets } = await open(server.url, { transports: ['udp'] });
    expect(packets).toEqual([['packet', 0, 'picture']]);
    await until(() => heard.length > 0);
  });

  test('continues in the same session when the server refuses TCP', async () => {
    const { server } = overUdp(true);
    const { packets } = await open(server.url, { transports: ['tcp', 'udp'] });
    expect(packets).toEqual([['packet', 0, 'picture']]);
    expect(server.asked.filter(({ method }) => method === 'DESCRIBE')).toHaveLength(1);
  });

  test('fails when no packets arrive, so that TCP may be tried', async () => {
    const { server } = overUdp(false);
    expect(await failureOf(server.url, { transports: ['udp'] })).toMatchObject({
      conn: connectionStates.disconnected,
      reason: 'stalled',
      isTransport: true,
    });
  });
});

describe('a session that fails', () => {
  test('reports ports and channels that do not exist, and a description with control characters', async () => {
    const granting = (transport: string) =>
      serve((ask) => (ask.method === 'SETUP' ? { headers: { Session: 'abc', Transport: transport } } : playing(ask)))
        .url;
    const ports = granting('RTP/AVP;unicast;client_port=5000-5001;server_port=70000-70001');
    expect(await failureOf(ports, { transports: ['udp'] })).toMatchObject({
      ...{ conn: connectionStates.refused, reason: 'refused', text: 'port 70000 is out of range', isTransport: true },
    });
    const channels = granting('RTP/AVP/TCP;unicast;interleaved=300-301');
    expect(await failureOf(channels)).toMatchObject({ reason: 'refused', text: 'channel 301 is out of range' });
    const hidden = sdp().replace('s=x', 's=x\ra=control:rtsp://10.0.0.1/hidden');
    const described = serve((ask) => (ask.method === 'DESCRIBE' ? { body: hidden } : playing(ask))).url;
    expect(await failureOf(described)).toMatchObject({ conn: connectionStates.streamFailed, reason: 'badInput' });
  });

  const answering = (method: string, status: number) =>
    serve((ask) => (ask.method === method ? { status } : playing(ask))).url;

  test('reports the cause', async () => {
    const { refused, streamFailed, authorizationFailed, dnsFailed, tcpFailed, handshakeFailed } = connectionStates;
    expect(await failureOf(answering('DESCRIBE', 404))).toMatchObject({ conn: streamFailed, permanent: false });
    expect(await failureOf(answering('DESCRIBE', 503))).toMatchObject({ conn: refused });
    expect(await failureOf(answering('PLAY', 454))).toMatchObject({ conn: refused });
    expect(await failureOf(answering('DESCRIBE', 403))).toMatchObject({ conn: authorizationFailed, permanent: true });
    expect(await failureOf('rtsp://name.invalid/x', { answerMs: 3000 })).toMatchObject({ conn: dnsFailed });
    const gone = serve(playing);
    gone.stop();
    expect(await failureOf(gone.url)).toMatchObject({ conn: tcpFailed, reason: 'refused' });
    expect(await failureOf(serve(() => undefined).url)).toMatchObject({ conn: handshakeFailed, reason: 'timeout' });
  });

  test('reports a server that speaks another protocol', async () => {
    const web = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello') });
    cleanups.push(() => void web.stop(true));
    expect(await failureOf(`rtsp://127.0.0.1:${web.port}/`)).toMatchObject({ conn: connectionStates.handshakeFailed });
  });

  test('reports when no track fits into a transport stream', async () => {
    const text = ['v=0', 'm=audio 0 RTP/AVP 0', 'a=rtpmap:0 PCMU/8000', ''].join('\r\n');
    const server = serve((ask) => (ask.method === 'DESCRIBE' ? { body: text } : playing(ask)));
    expect(await failureOf(server.url)).toMatchObject({
      conn: connectionStates.streamFailed,
      reason: 'codecNotPossible',
      permanent: true,
      text: "a transport stream can't hold what the server offers: PCMU",
    });
  });
});

describe('user and password', () => {
  const guarded = (challenge: string, isRight: (authorization: string) => boolean) =>
    serve((ask) => {
      if (ask.method === 'OPTIONS' || isRight(ask.headers.get('authorization') ?? '')) return playing(ask);
      return { status: 401, headers: { 'WWW-Authenticate': challenge } };
    });

  test('answer Basic and Digest', async () => {
    const basic = guarded('Basic realm="cam"', (header) => header === `Basic ${btoa('me:s3cret')}`);
    await open(basic.url, { username: 'me', password: 's3cret' });
    const digest = guarded('Digest realm="cam", nonce="n"', (header) =>
      /^Digest username="me".* uri="rtsp:/.test(header),
    );
    await open(digest.url, { username: 'me', password: 's3cret' });
    expect(digest.asked.filter(({ method }) => method === 'DESCRIBE')).toHaveLength(2);
  });

  test('that are wrong or missing are an authorization failure', async () => {
    const server = guarded('Basic realm="cam"', () => false);
    const refused = { conn: connectionStates.authorizationFailed, reason: 'notAuthorized', permanent: true } as const;
    expect(await failureOf(server.url, { username: 'me', password: 'wrong' })).toMatchObject(refused);
    expect(await failureOf(server.url)).toMatchObject(refused);
  });
});

describe('addresses', () => {
  const refused = { conn: connectionStates.creationFailed, reason: 'addressNotAllowed' };

  test('a session connects to the address that was checked, without another lookup', async () => {
    const server = serve(playing);
    const outgoing = withNames({ 'camera.example': ['127.0.0.1', '169.254.169.254'] });
    const { session } = await open(server.url.replace('127.0.0.1', 'camera.example'), { outgoing });
    expect(session.tracks).toHaveLength(2);
  });

  test('a session does not connect to an address that is not allowed', async () => {
    const server = serve(playing);
    expect(await failureOf(server.url, { outgoing: withNames({}, privateRefused) })).toMatchObject(refused);
    expect(server.asked).toEqual([]);
  });

  test('a session follows no redirect, and requests tracks from its own server even if they are announced elsewhere', async () => {
    const other = serve(playing);
    const moved = serve(() => ({ status: 302, headers: { Location: other.url } }));
    expect(await failureOf(moved.url)).toMatchObject({ reason: 'refused' });
    const control = sdp().replace('a=control:v', `a=control:${other.url}/v`);
    const pointing = serve((ask) =>
      ask.method === 'DESCRIBE' ? { body: control, headers: { 'Content-Base': `${other.url}/` } } : playing(ask),
    );
    const closedPorts = [Number(new URL(other.url).port)];
    await open(pointing.url, { outgoing: withNames({}, { ...privateAllowed, closedPorts }) });
    const setUp = pointing.asked.filter(({ method }) => method === 'SETUP').map(({ uri }) => uri);
    expect(setUp).toEqual([`${other.url}/v`, `${other.url}/a`]);
    expect(other.asked).toEqual([]);
  });
});
