import type { Socket } from 'bun';
import { createLog } from '../../../daemon/lib/log.ts';
import { FetchFailure } from '../../../daemon/media/fetch-failure.ts';
import {
  encodeMessage,
  encodePacket,
  RtspError,
  type RtspMessage,
  RtspReader,
} from '../../../daemon/media/rtsp/message.ts';
import { createReception } from '../../../daemon/media/rtsp/reception.ts';
import { parseSdp, writeSdp } from '../../../daemon/media/rtsp/sdp.ts';
import { RtspSession } from '../../../daemon/media/rtsp/session.ts';
import { RtspConnection } from '../../../daemon/media/rtsp-server/connection.ts';
import { Mount } from '../../../daemon/media/rtsp-server/mount.ts';
import { RtpStream } from '../../../daemon/media/rtsp-server/rtp-stream.ts';
import { MadeUpStream } from '../../../daemon/media/rtsp-server/stream-for-test.ts';
import { toLoopback } from '../../support/outgoing.ts';
import { cut } from '../mutate.ts';
import { createRandom, type Random } from '../random.ts';
import { allow, type FuzzTarget, parser, type RunningTarget } from '../target.ts';

const url = 'rtsp://127.0.0.1/stage';
const ask = (method: string, uri: string, headers: Record<string, string> = {}) =>
  encodeMessage(`${method} ${uri} RTSP/1.0`, { CSeq: '1', ...headers });
const requests = Buffer.concat([
  ask('OPTIONS', '*'),
  ask('DESCRIBE', url, { Accept: 'application/sdp' }),
  ask('SETUP', `${url}/trackID=1`, { Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1, RTP/AVP;client_port=5000-5001' }),
  ask('PLAY', url, { Session: '1', Range: 'npt=0-' }),
  encodePacket(1, Buffer.alloc(28)),
  ask('GET_PARAMETER', url, { Session: '1', 'Content-Length': '0' }),
  ask('TEARDOWN', url, { Session: '1' }),
]);
const login = ask('DESCRIBE', url, {
  Authorization: 'Digest username="me", realm="Signalbox", nonce="n", uri="/", response="0"',
});
const sdp = [
  ...[
    'v=0',
    'o=- 0 0 IN IP4 127.0.0.1',
    's=x',
    'c=IN IP4 0.0.0.0',
    'a=control:*',
    'm=video 0 RTP/AVP 96',
    'a=rtpmap:96 H264/90000',
  ],
  ...['a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0LAHg==,aM48gA==', 'a=control:trackID=1'],
  ...['m=audio 0 RTP/AVP 97', 'a=rtpmap:97 MPEG4-GENERIC/48000/2', 'a=control:rtsp://h/x/trackID=2', ''],
].join('\r\n');
const response = (headers: Record<string, string>, body = '') =>
  encodeMessage('RTSP/1.0 200 OK', { CSeq: '1', ...headers }, body);
/** In the order of the requests that a session sends. */
const answers = [
  response({ Public: 'OPTIONS, DESCRIBE, GET_PARAMETER' }),
  response({ 'Content-Base': `${url}/` }, sdp),
  response({ Session: 'abc;timeout=60', Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' }),
  response({ Session: 'abc', Transport: 'RTP/AVP/TCP;unicast;interleaved=2-3' }),
  Buffer.concat([
    response({ 'RTP-Info': 'url=rtsp://h/x/trackID=1;seq=1,url=rtsp://h/x/trackID=2;seq=9' }),
    encodePacket(0, Buffer.alloc(20)),
  ]),
];
const refusal = encodeMessage('RTSP/1.0 401 No', {
  CSeq: '1',
  'WWW-Authenticate': ['Digest realm="a", nonce="b", qop="auth"', 'Basic realm="a"'],
});

const text = (input: Uint8Array) => Buffer.from(input).toString('utf8');

/** Feeds a player's connection whose socket accepts every write. */
async function serve(input: Uint8Array, random: Random): Promise<unknown> {
  const source = new MadeUpStream();
  source.picture(0, true);
  source.sound(10);
  source.picture(40, false);
  source.flush();
  const mount = new Mount({
    ...{ path: 'stage', maxClients: 3, username: '', password: '' },
    stream: new RtpStream(source.bus, () => 7),
    isComplete: () => true,
    enter: () => ({ remove: () => {} }),
  });
  const faults: string[] = [];
  const socket = { write: (_: Uint8Array, __: number, length: number) => length, end: () => {}, terminate: () => {} };
  const connection = new RtspConnection(socket, {
    ...{ local: '127.0.0.1', remote: '127.0.0.1', peer: '127.0.0.1:9' },
    keyWait: () => 0,
    find: () => mount,
    log: createLog('error', (line) => faults.push(line)),
    now: () => 0,
  });
  for (const piece of cut(input, random)) connection.receive(piece);
  await Bun.sleep(0);
  connection.close('done');
  if (faults[0] !== undefined) throw new Error(faults[0]);
  return connection;
}

/** Opens an RTSP session to a server that answers one of its requests with the input. */
function startSession(): RunningTarget {
  let next: (message: RtspMessage) => Uint8Array = () => Buffer.alloc(0);
  const readers = new Map<Socket<undefined>, RtspReader>();
  const listener = Bun.listen<undefined>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) =>
        void readers.set(
          socket,
          new RtspReader({ packet: () => {}, message: (message) => void socket.write(next(message)) }),
        ),
      data: (socket, bytes) => readers.get(socket)?.feed(bytes),
      close: (socket) => void readers.delete(socket),
      error: () => {},
    },
  });
  return {
    async feed(input, random) {
      const spoilt = random.below(answers.length);
      let count = 0;
      next = ({ headers }) => {
        const good = answers[count] ?? Buffer.alloc(0);
        const bytes = count++ === spoilt ? Buffer.from(input) : good;
        return Buffer.from(bytes.toString('latin1').replace('CSeq: 1', `CSeq: ${headers.get('cseq')}`), 'latin1');
      };
      const opening = RtspSession.open({
        ...{
          url: `rtsp://127.0.0.1:${listener.port}/x`,
          username: 'me',
          password: 'p',
          outgoing: toLoopback,
          transports: ['tcp'],
          signal: new AbortController().signal,
        },
        ...{ answerMs: 30, bufferMs: 200, firstPacketMs: { udp: 30, tcp: 30 }, onPacket: () => {} },
      });
      const session = await opening.catch((error: unknown) => {
        if (!(error instanceof FetchFailure)) throw error;
      });
      session?.packets;
      session?.close();
      return undefined;
    },
    async close() {
      listener.stop(true);
    },
  };
}

export const rtspTargets: readonly FuzzTarget[] = [
  parser(
    'rtsp-message',
    800,
    () => [requests, login, ...answers, refusal],
    (input, random) => {
      const reader = new RtspReader({ message: () => {}, packet: () => {} });
      return allow([RtspError], () => {
        for (const piece of cut(input, random)) reader.feed(piece);
        return reader;
      });
    },
  ),
  parser('rtsp', 200, () => [requests, login], serve),
  { name: 'rtsp-session', inputs: 40, corpus: () => [...answers, refusal], start: startSession },
  parser(
    'sdp',
    1000,
    () => [Buffer.from(sdp)],
    (input) =>
      allow([RtspError], () => {
        const { session, media } = parseSdp(text(input), url);
        return writeSdp(session, media);
      }),
  ),
  parser(
    'rtp',
    400,
    () => [createRandom(2).bytes(1600), Buffer.alloc(1600)],
    (input) => {
      const reception = createReception({ clockRates: [90_000, 0], lateMs: 100 });
      for (let at = 0; at < input.length; at += 16) reception.packet(at & 1, input.subarray(at, at + 16), at);
      return reception.report(input.length);
    },
  ),
];
