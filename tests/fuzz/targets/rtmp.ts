import { AmfError, decodeAmf, encodeAmf, leadingAmfString } from '../../../daemon/engine/flv/amf0.ts';
import { ChunkReader } from '../../../daemon/engine/rtmp/chunk-reader.ts';
import { encodeMessages, uint32Message, userControlMessage } from '../../../daemon/engine/rtmp/chunk-writer.ts';
import { commandMessage } from '../../../daemon/engine/rtmp/commands.ts';
import { mediaMessageBytes } from '../../../daemon/engine/rtmp/connection.ts';
import { ServerHandshake } from '../../../daemon/engine/rtmp/handshake.ts';
import { ProtocolError } from '../../../daemon/engine/rtmp/protocol.ts';
import { createBench, mediaBytes, play, publish, video } from '../../../daemon/engine/rtmp/session-rig-for-test.ts';
import { cut } from '../mutate.ts';
import { createRandom } from '../random.ts';
import { allow, type FuzzTarget, parser } from '../target.ts';

const avcHeader = Buffer.from(
  '17000000000164000cffe1001a6764000cacd941419f9f011000000300100000030320f142996001000668ebe3cb22c0fdf8f800',
  'hex',
);
const metadata = encodeAmf('@setDataFrame', 'onMetaData', {
  width: 1280,
  height: 720,
  framerate: 25,
  stereo: true,
  tags: ['a', null],
});
const handshake = Buffer.concat([
  Buffer.of(3, 0, 0, 0, 0, 0, 0, 0, 0),
  createRandom(1).bytes(1528),
  Buffer.alloc(1536),
]);
const connect = commandMessage(0, 'connect', 1, {
  app: 'live',
  flashVer: 'FMLE/3.0',
  tcUrl: 'rtmp://hub/live',
  fourCcList: ['hvc1'],
});
const published = Buffer.concat([
  connect,
  commandMessage(0, 'releaseStream', 2, null, 'key'),
  commandMessage(0, 'createStream', 4, null),
  publish('key'),
  encodeMessages(
    [
      { type: 18, timestamp: 0, payload: metadata },
      { type: 9, timestamp: 0, payload: avcHeader },
      { type: 8, timestamp: 0, payload: Buffer.from('af001190', 'hex') },
      { type: 9, timestamp: 0x1000000, payload: Buffer.from('17010000000000000465010203', 'hex') },
      { type: 9, timestamp: 40, payload: Buffer.from('9068766331000000010203', 'hex') },
      { type: 8, timestamp: 50, payload: Buffer.alloc(400, 0xaf) },
    ],
    1,
    128,
  ),
  mediaBytes(video(80), video(120, 0x27)),
  uint32Message(1, 4096),
  userControlMessage(6, 7),
]);
const played = Buffer.concat([
  connect,
  commandMessage(0, 'createStream', 2, null),
  play('key'),
  commandMessage(0, 'deleteStream', 3, null, 1),
]);
const chunks = [
  published,
  played,
  encodeMessages([{ type: 9, timestamp: 5, payload: new Uint8Array(5000).fill(0x27) }], 1, 128),
];

export const rtmpTargets: readonly FuzzTarget[] = [
  parser(
    'rtmp-chunks',
    600,
    () => chunks,
    (input, random) => {
      const reader = new ChunkReader(() => {}, mediaMessageBytes);
      return allow([ProtocolError], () => {
        for (const piece of cut(input, random)) reader.feed(piece);
        return reader;
      });
    },
  ),
  parser(
    'rtmp-handshake',
    200,
    () => [handshake],
    (input, random) => {
      const server = new ServerHandshake();
      return allow([ProtocolError], () => {
        for (const piece of cut(input, random)) server.feed(piece);
      });
    },
  ),
  parser(
    'rtmp',
    250,
    () => [published, played],
    (input, random) => {
      const bench = createBench();
      bench.shakeHands();
      for (const piece of cut(input, random)) bench.session.receive(piece);
      bench.pass(20_000);
      bench.session.closed(undefined);
      const fault = bench.logs.find(({ level }) => level === 'error');
      if (fault) throw new Error(`${fault.text}: ${String(fault.reason)}`);
      return bench;
    },
  ),
  parser(
    'amf0',
    2000,
    () => [
      metadata,
      encodeAmf('connect', 1, { a: [1, { b: 'c' }], d: new Array(20).fill('text') }),
      Buffer.from('0800000002000161000000000000000000000009', 'hex'),
      Buffer.from('0b4000000000000000000010000361626300017802000179000009', 'hex'),
    ],
    (input) => {
      leadingAmfString(input);
      return allow([AmfError], () => decodeAmf(input));
    },
  ),
];
