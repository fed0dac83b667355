/** RTMP chunks, commands and metadata, for the parsers alone and for a whole session. */

import { amfLimits, decodeAmf, encodeAmf } from '../../../daemon/engine/flv/amf0.ts';
import { parseAuthDemand } from '../../../daemon/engine/rtmp/adobe-auth.ts';
import { ChunkReader } from '../../../daemon/engine/rtmp/chunk-reader.ts';
import { encodeMessages } from '../../../daemon/engine/rtmp/chunk-writer.ts';
import { commandMessage } from '../../../daemon/engine/rtmp/commands.ts';
import { commandMessageBytes, mediaMessageBytes } from '../../../daemon/engine/rtmp/connection.ts';
import { createBench, publish } from '../../../daemon/engine/rtmp/session-rig-for-test.ts';
import { findKey, parseApp } from '../../../daemon/engine/rtmp/stream-key.ts';
import { parseRtmpUrl } from '../../../daemon/engine/rtmp/url.ts';
import { tolerant, type WorstCase } from '../worst-case.ts';

const readBytes = 64 << 10;
/** The number of bytes of a peer's text that the hub keeps. */
const shownBytes = 200;
const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
const hex = (piece: string, bytes: number) => Buffer.from(fill(piece, 2 * bytes), 'hex');

const amf = (input: string, bytes: Uint8Array): WorstCase => ({
  parser: 'AMF0',
  input,
  prepare: () => tolerant(() => decodeAmf(bytes)),
});
const chunks = (input: string, makeBytes: () => Buffer): WorstCase => ({
  parser: 'RTMP chunks',
  input,
  prepare() {
    const reader = new ChunkReader(() => {}, mediaMessageBytes);
    const bytes = makeBytes();
    return tolerant(() => reader.feed(bytes));
  },
});

function session(input: string, steps: { readonly publishes: boolean; readonly bytes: () => Uint8Array }): WorstCase {
  return {
    parser: 'RTMP session',
    input,
    prepare() {
      const bench = createBench();
      bench.open();
      if (steps.publishes) bench.send(publish('key'));
      const bytes = Buffer.from(steps.bytes());
      return () => bench.session.receive(bytes);
    },
  };
}

const message = (type: number, payload: Uint8Array) => encodeMessages([{ type, timestamp: 0, payload }], 1, 128);
/** Returns as many whole messages as one socket read holds. */
const readOf = (...pieces: readonly Uint8Array[]) => {
  const once = Buffer.concat(pieces);
  return Buffer.concat(Array(Math.floor(readBytes / once.length)).fill(once));
};
/** As many values as the limits allow. */
const metadata = encodeAmf('onMetaData', Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`k${i}`, i])));
const slashes = `a${fill('/', commandMessageBytes - 100)}a`;

export const rtmpCases: readonly WorstCase[] = [
  amf('nulls', hex('05', amfLimits.bytes)),
  amf('nested arrays', hex('0a00000001', amfLimits.bytes)),
  amf('an array of numbers', Buffer.concat([hex('0a00001c00', 5), hex('00', amfLimits.bytes - 5)])),
  amf('keys of an object', metadata),
  amf(
    'keys that are numbers',
    encodeAmf(Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`${i * 1e6}`, i]))),
  ),
  amf('one long text', encodeAmf(fill('\u00e4', 30_000))),
  chunks('a read of empty messages', () => hex('030000000000001400000000', readBytes)),
  chunks('a read of one-byte messages', () => hex('03000000000001140000000000', readBytes)),
  chunks('one-byte chunks', () =>
    Buffer.concat([
      hex('02000000000004010000000000000001', 16),
      hex('04000000ffffff0900000000', 12),
      hex('00c4', readBytes),
    ]),
  ),
  {
    parser: 'stream key',
    input: 'slashes',
    prepare: () => () => findKey('', slashes),
  },
  { parser: 'application', input: 'slashes', prepare: () => () => parseApp(fill('/', 512)) },
  {
    parser: 'Adobe authentication challenge',
    input: 'question marks',
    prepare: () => () => parseAuthDemand(`authmod=adobe${fill('?', shownBytes)}`),
  },
  {
    parser: 'Adobe authentication challenge',
    input: 'words and spaces',
    prepare: () => () => parseAuthDemand(fill('authmod ', shownBytes)),
  },
  {
    parser: 'RTMP address',
    input: 'slashes',
    prepare: () => () => parseRtmpUrl(`rtmp://h${slashes.slice(1, 2040)}a`, ''),
  },
  session('a publish command of slashes', {
    publishes: false,
    bytes: () => commandMessage(1, 'publish', 3, null, slashes, 'live'),
  }),
  session('a read of commands', { publishes: false, bytes: () => readOf(commandMessage(0, 'x', 1, null)) }),
  session('a command of many values', {
    publishes: false,
    bytes: () => message(20, Buffer.concat([encodeAmf('x', 1), hex('05', 8000)])),
  }),
  session('codec changes after large metadata', {
    publishes: true,
    bytes: () =>
      Buffer.concat([
        message(18, metadata),
        readOf(message(9, Uint8Array.of(0x12, 0)), message(9, Uint8Array.of(0x14, 0))),
      ]),
  }),
  session('large metadata', { publishes: true, bytes: () => message(18, metadata) }),
  session('messages for many tracks', {
    publishes: true,
    bytes: () =>
      Buffer.concat(
        Array.from({ length: 2000 }, (_, i) =>
          message(9, Buffer.from(`9600617663310${(i & 15).toString(16)}`.padEnd(16, '0'), 'hex')),
        ),
      ),
  }),
  session('an HEVC configuration of empty parameter sets', {
    publishes: true,
    bytes: () => encodeMessages([{ type: 9, timestamp: 0, payload: hevcOfEmptySets() }], 1, 16 << 20),
  }),
];

/** Up to 255 VPS arrays instead of SPS arrays, with 65,535 empty sets each, as many as fit into a message. */
function hevcOfEmptySets(): Buffer {
  const body = Buffer.alloc(mediaMessageBytes - 1);
  body.set([0x1c, 0, 0, 0, 0, 1]);
  body[5 + 22] = 255;
  for (let at = 5 + 23; at + 3 < body.length; at += 3 + 2 * 0xffff) body.set([32, 0xff, 0xff], at);
  return body;
}
