/** Media formats: transport streams, FLV, parameter sets, slate pictures. */

import { readAacConfig } from '../../../daemon/engine/codec/aac.ts';
import { parseAacConfig, parseOpusConfig } from '../../../daemon/engine/codec/audio-config.ts';
import { firstSps, parseConfig } from '../../../daemon/engine/codec/decoder-config.ts';
import { parseH264Sps, parseHevcSps } from '../../../daemon/engine/codec/sps.ts';
import { FlvFileError, FlvFileReader, flvFileHeader, flvTags } from '../../../daemon/engine/flv/file-for-test.ts';
import { createFlvBus, type FlvMessage } from '../../../daemon/engine/flv/flv-bus.ts';
import { createFlvSink } from '../../../daemon/engine/flv/flv-sink.ts';
import { createTsBus } from '../../../daemon/engine/mpegts/ts-bus.ts';
import { createTsSink } from '../../../daemon/engine/mpegts/ts-sink.ts';
import { keyPictureOf } from '../../../daemon/engine/preview/key-picture.ts';
import { plainSps } from '../../../daemon/engine/preview/plain-sps.ts';
import { startFlvToTs } from '../../../daemon/engine/remux/flv-to-ts-run.ts';
import { TsMuxer } from '../../../daemon/engine/remux/ts-muxer.ts';
import { startTsToFlv } from '../../../daemon/engine/remux/ts-to-flv-run.ts';
import { MadeUpStream } from '../../../daemon/engine/rtsp-server/stream-for-test.ts';
import { readImage } from '../../../daemon/lib/image-file.ts';
import { spaced } from '../../support/spaced-packets.ts';
import { cut } from '../mutate.ts';
import { allow, type FuzzTarget, parser } from '../target.ts';

/** Returns the FLV messages of a short synthetic stream, and the same stream as TS packets. */
function samples(): { readonly messages: readonly FlvMessage[]; readonly ts: Buffer } {
  const source = new MadeUpStream();
  const to = createTsBus();
  const parts: Uint8Array[] = [];
  const messages: FlvMessage[] = [];
  const run = startFlvToTs(source.bus, to, new TsMuxer(), () => {});
  const packets = to.ring.subscribe(() => {
    for (let unit = packets.take(); unit; unit = packets.take()) parts.push(to.tables, unit.data);
  });
  const units = source.bus.ring.subscribe(() => {
    for (let unit = units.take(); unit; unit = units.take()) messages.push(...unit.messages);
  });
  for (let at = 0; at < 400; at += 40) {
    source.picture(at, at % 200 === 0);
    source.sound(at + 10);
    source.flush();
  }
  run.close();
  return { messages, ts: Buffer.concat(parts) };
}

function startTs(choice: { program: number; audioTrack: number } | undefined): FuzzTarget {
  const feed: Parameters<typeof parser>[3] = (input, random) => {
    const from = createTsBus();
    const to = createFlvBus();
    const sink = createTsSink(from, choice);
    const run = startTsToFlv(from, to, () => {});
    for (const piece of cut(input, random)) {
      sink.write(piece);
      sink.flush();
    }
    keyPictureOf({ shape: 'ts', flv: to, ts: from });
    keyPictureOf({ shape: 'flv', flv: to, ts: from });
    run.close();
    return [from, to, sink.media];
  };
  const corpus = () => {
    const { ts } = samples();
    return [ts, ts.subarray(0, 188 * 8), spaced(ts, 192), spaced(ts, 204)];
  };
  return parser(choice ? 'ts-choice' : 'ts', 200, corpus, feed);
}

const sets = [
  '6764000cacd941419f9f011000000300100000030320f1429960',
  '42010101600000030090000003000003005da00280802d16595952930bc05a020000030002000003003c10',
  '0164000cffe1001a6764000cacd941419f9f011000000300100000030320f142996001000668ebe3cb22c0fdf8f800',
  '01016000000090000000000000f000fcfdf8f800000f03200001000440010c01210001000442010101220001000244014e',
  '1190',
  '4f70757348656164010200000000bb8000000000',
].map((hex) => Buffer.from(hex, 'hex'));

const pictures = [
  Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049454e44ae426082', 'hex'),
  Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffd9', 'hex'),
];

export const mediaTargets: readonly FuzzTarget[] = [
  startTs(undefined),
  startTs({ program: 1, audioTrack: 1 }),
  parser(
    'flv',
    300,
    () => [Buffer.concat([flvFileHeader({ video: true, audio: true }), flvTags(samples().messages)])],
    (input, random) => {
      const bus = createFlvBus();
      const sink = createFlvSink(bus);
      const run = startFlvToTs(bus, createTsBus(), new TsMuxer(), () => {});
      const reader = new FlvFileReader((message) => {
        sink.message(message);
        sink.flush();
      });
      allow([FlvFileError], () => {
        for (const piece of cut(input, random)) reader.feed(piece);
      });
      keyPictureOf({ shape: 'flv', flv: bus, ts: createTsBus() });
      run.close();
      return [bus, reader, sink.media];
    },
  ),
  parser(
    'parameter-sets',
    1000,
    () => sets,
    (input) => [
      ...[parseH264Sps(input), parseHevcSps(input), firstSps('h264', input), firstSps('hevc', input)],
      ...[plainSps('h264', input), plainSps('hevc', input), parseConfig('h264', input), parseConfig('hevc', input)],
      ...[parseAacConfig(input), parseOpusConfig(input), readAacConfig(input)],
    ],
  ),
  parser('slate-picture', 1000, () => pictures, readImage),
];
