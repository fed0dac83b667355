import type { Socket } from 'bun';
import { FetchFailure } from '../../../daemon/engine/connection/fetch-failure.ts';
import { openDepacketizer } from '../../../daemon/engine/rtsp/depacketizers.ts';
import {
  encodeMessage,
  encodePacket,
  RtspError,
  type RtspMessage,
  RtspReader,
} from '../../../daemon/engine/rtsp/message.ts';
import { RtspRemux } from '../../../daemon/engine/rtsp/remux.ts';
import { parseSdp } from '../../../daemon/engine/rtsp/sdp.ts';
import { RtspSession } from '../../../daemon/engine/rtsp/session.ts';
import { RtspConnection } from '../../../daemon/engine/rtsp-server/connection.ts';
import { Mount } from '../../../daemon/engine/rtsp-server/mount.ts';
import { RtpStream } from '../../../daemon/engine/rtsp-server/rtp-stream.ts';
import { MadeUpStream } from '../../../daemon/engine/rtsp-server/stream-for-test.ts';
import { createLog } from '../../../daemon/lib/log.ts';
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
/** One of each format, with valid parameters. */
const formats = [
  ...['H264/90000', 'H265/90000', 'MPV/90000', 'MP4V-ES/90000'].map((encoding) => [
    'video',
    encoding,
    'config=000001b0',
  ]),
  ['audio', 'MPEG4-GENERIC/48000/2', 'config=1190;sizelength=13;indexlength=3;indexdeltalength=3'],
  ['audio', 'MP4A-LATM/48000/2', 'cpresent=0;config=400023203fc0'],
  ...['MPA/90000', 'AC3/48000', 'EAC3/48000', 'opus/48000/2'].map((encoding) => ['audio', encoding, '']),
].flatMap(
  ([kind, encoding, parameters]) =>
    parseSdp(`m=${kind} 0 RTP/AVP 96\r\na=rtpmap:96 ${encoding}\r\na=fmtp:96 ${parameters}`, url).media,
);
/** Whole units, aggregates and fragments, frames with their headers. */
const payloads = [
  '6742c01eda02802dd8088000000300800000184078b175',
  '1800046742c01e000268ce',
  '7c858884',
  '7c058884',
  '7c458884',
  '6001000442010101000444010101',
  '620193aabb',
  '62015311',
  '0020001000180102030405',
  '00000000000001b3140000',
  '000001b02000000001b600',
  '00010b7700000000',
  '00000000fffc1400',
  '7fe0',
].map((hex) => Buffer.from(hex, 'hex'));
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
        ...{ answerMs: 30, bufferMs: 200, firstPacketMs: { udp: 30, tcp: 30 } },
        openRemux: (media, lateMs) => new RtspRemux({ media, lateMs, onBytes: () => {} }),
      });
      const session = await opening.catch((error: unknown) => {
        if (!(error instanceof FetchFailure)) throw error;
      });
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
        const { media } = parseSdp(text(input), url);
        return media.map((one) => openDepacketizer(one, () => {}));
      }),
  ),
  parser(
    'rtp',
    400,
    () => [createRandom(2).bytes(1600), ...payloads],
    (input, random) => {
      const [first, ...rest] = random.below(2) === 0 ? formats : [...formats].reverse();
      const media = [first, random.pick(rest)].filter((one) => one !== undefined);
      let bytes = 0;
      const remux = new RtspRemux({
        media,
        lateMs: random.below(2) * 100,
        onBytes({ length }) {
          bytes += length;
        },
      });
      for (const [n, piece] of [...cut(input, random)].entries()) {
        const head = Buffer.from([
          0x80,
          (random.below(2) << 7) | 96,
          0,
          n + random.below(2),
          0,
          0,
          n >> 1,
          0,
          0,
          0,
          0,
          7,
        ]);
        remux.packet(n & 1, Buffer.concat([head, piece]), n * 10);
        remux.packet(n & 1, piece, n * 10);
        remux.control(n & 1, piece, n * 10);
      }
      return [bytes, remux.receiverReport(0, 1e6), remux.reception.report(1e6)];
    },
  ),
];
