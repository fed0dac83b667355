/** FLV tags and files, decoder configurations, parameter sets, and the engine's conversions of them. */
import { parseAacConfig } from '../../../daemon/engine/codec/audio-config.ts';
import { firstSps, parseConfig } from '../../../daemon/engine/codec/decoder-config.ts';
import { isRecoveryPoint, splitAnnexB, splitLengthPrefixed } from '../../../daemon/engine/codec/nal-units.ts';
import { parseH264Sps, parseHevcSps } from '../../../daemon/engine/codec/sps.ts';
import { FlvFileReader, flvFileHeader, flvTags } from '../../../daemon/engine/flv/file-for-test.ts';
import { createFlvBus, messageType } from '../../../daemon/engine/flv/flv-bus.ts';
import { createFlvSink } from '../../../daemon/engine/flv/flv-sink.ts';
import { parseVideoTag } from '../../../daemon/engine/flv/tag.ts';
import { createTsBus } from '../../../daemon/engine/mpegts/ts-bus.ts';
import { keyPictureOf } from '../../../daemon/engine/preview/key-picture.ts';
import { startFlvToTs } from '../../../daemon/engine/remux/flv-to-ts-run.ts';
import { TsMuxer } from '../../../daemon/engine/remux/ts-muxer.ts';
import { mediaMessageBytes } from '../../../daemon/engine/rtmp/connection.ts';
import { tolerant, type WorstCase } from '../worst-case.ts';

const messageBytes = mediaMessageBytes;
const recordBytes = messageBytes - 5;

const avcRecord = Buffer.from(
  '0164000cffe1001a6764000cacd941419f9f011000000300100000030320f142996001000668ebe3cb22c0fdf8f800',
  'hex',
);

/** Returns an HEVC record full of arrays of this NAL unit type, with parameter sets of this size. */
function hevcRecord(type: number, setBytes: number): Buffer {
  const record = Buffer.alloc(recordBytes, 1);
  record[0] = 1;
  record[21] = 3;
  record[22] = 255;
  let at = 23;
  while (at + 3 < record.length) {
    record.set([type, 0xff, 0xff], at);
    at += 3;
    for (let i = 0; i < 0xffff && at + 2 + setBytes <= record.length; i++, at += 2 + setBytes) {
      record.writeUInt16BE(setBytes, at);
      // Makes each set different; the first header byte of a VPS, SPS or PPS is twice its type.
      if (setBytes > 8) {
        record[at + 2] = type << 1;
        record.writeUInt32BE(at, at + 4);
      }
    }
  }
  return record;
}

function record(input: string, codec: 'h264' | 'hevc', make: () => Buffer): readonly WorstCase[] {
  return [
    {
      parser: 'decoder configuration',
      input,
      prepare() {
        const bytes = make();
        return () => [parseConfig(codec, bytes), firstSps(codec, bytes)];
      },
    },
    {
      parser: 'preview picture',
      input,
      prepare() {
        const flv = busOf(Buffer.concat([codec === 'h264' ? avcStart : hevcStart, make()]), codec);
        return () => keyPictureOf({ shape: 'flv', flv, ts: createTsBus() });
      },
    },
    {
      parser: 'FLV sink',
      input,
      prepare() {
        const payload = Buffer.concat([codec === 'h264' ? avcStart : hevcStart, make()]);
        const sink = createFlvSink(createFlvBus());
        return () => sink.message({ type: messageType.video, timestamp: 0, payload });
      },
    },
  ];
}

const avcStart = Buffer.of(0x17, 0, 0, 0, 0);
const hevcStart = Buffer.of(0x1c, 0, 0, 0, 0);

function busOf(header: Buffer, codec: 'h264' | 'hevc') {
  const bus = createFlvBus();
  const sink = createFlvSink(bus);
  const first = codec === 'h264' ? 0x17 : 0x1c;
  const unit = Buffer.of(0, 0, 0, 4, codec === 'h264' ? 0x65 : 0x26, 1, 2, 3);
  sink.message({ type: messageType.video, timestamp: 0, payload: header });
  sink.message({ type: messageType.video, timestamp: 0, payload: Buffer.concat([Buffer.of(first, 1, 0, 0, 0), unit]) });
  sink.flush();
  return bus;
}

/** Returns a keyframe of length-prefixed NAL units, as large as a message may be. */
function keyFrame(unitBytes: number, nal: number): Buffer {
  const payload = Buffer.alloc(messageBytes, 0);
  payload.set([0x17, 1, 0, 0, 0]);
  for (let at = 5; at + 4 + unitBytes <= payload.length; at += 4 + unitBytes) {
    payload.writeUInt32BE(unitBytes, at);
    payload[at + 4] = nal;
    payload.writeUInt32BE(at, at + 5);
  }
  return payload.subarray(0, 5 + Math.floor((messageBytes - 5) / (4 + unitBytes)) * (4 + unitBytes));
}

function frame(input: string, unitBytes: number, nal: number): readonly WorstCase[] {
  const make = () => {
    const bus = createFlvBus();
    const sink = createFlvSink(bus);
    sink.message({ type: messageType.video, timestamp: 0, payload: Buffer.concat([avcStart, avcRecord]) });
    sink.message({ type: messageType.video, timestamp: 0, payload: keyFrame(unitBytes, nal) });
    sink.flush();
    return bus;
  };
  return [
    {
      parser: 'FLV to TS',
      input,
      prepare() {
        const bus = make();
        const ts = createTsBus();
        return () => startFlvToTs(bus, ts, new TsMuxer(), () => {});
      },
    },
    {
      parser: 'preview picture',
      input,
      prepare() {
        const flv = make();
        return () => keyPictureOf({ shape: 'flv', flv, ts: createTsBus() });
      },
    },
  ];
}

function set(input: string, bytes: Uint8Array): WorstCase {
  return {
    parser: 'parameter set',
    input,
    prepare: () => () => [
      parseH264Sps(Uint8Array.of(0x67, 0xf4, ...bytes)),
      parseHevcSps(Uint8Array.of(0x42, 1, ...bytes)),
      parseAacConfig(bytes),
    ],
  };
}

const file = (input: string, make: () => Uint8Array): WorstCase => ({
  parser: 'FLV file',
  input,
  prepare() {
    const bytes = make();
    const sink = createFlvSink(createFlvBus());
    const reader = new FlvFileReader((message) => sink.message(message));
    reader.feed(flvFileHeader({ video: true, audio: true }));
    return tolerant(() => reader.feed(bytes));
  },
});

/** Longer than any parameter set that is kept, but within the range of its length field. */
const setBytes = 65_000;

export const flvCases: readonly WorstCase[] = [
  ...record('8 MB of empty parameter sets', 'hevc', () => hevcRecord(32, 0)),
  ...record('8 MB of one-byte parameter sets', 'hevc', () => hevcRecord(33, 1)),
  ...record('8 MB of small SPSs', 'hevc', () => hevcRecord(33, 60)),
  ...record('8 MB of large SPSs', 'hevc', () => hevcRecord(33, 60_000)),
  ...record('8 MB of zeros after an H.264 configuration', 'h264', () =>
    Buffer.concat([avcRecord, Buffer.alloc(recordBytes - 47)]),
  ),
  ...frame('an 8 MB picture', messageBytes - 9, 0x65),
  ...frame('a picture with 2000 slices', 8000, 0x65),
  ...frame('2000 parameter sets', 8000, 0x67),
  ...frame('a picture with more slices than the limit', 12, 0x65),
  set('zeros', new Uint8Array(setBytes)),
  set('ones', new Uint8Array(setBytes).fill(0xff)),
  set('scaling lists', new Uint8Array(setBytes).fill(0x55)),
  file('a read of empty tags', () => Buffer.alloc(64 << 10).map((_, i) => (i % 15 === 0 ? 9 : i % 15 === 14 ? 11 : 0))),
  file('a tag at its limit', () => flvTags([{ type: 9, timestamp: 0, payload: new Uint8Array(8 << 20).fill(0x17) }])),
  {
    parser: 'FLV tag',
    input: '8 MB of header extensions',
    prepare() {
      const payload = Buffer.alloc(messageBytes, 7);
      payload[0] = 0x97;
      for (let at = 1; at + 3 < payload.length; at += 3) payload.set([0, 0, 7], at);
      return () => parseVideoTag(payload);
    },
  },
  {
    parser: 'start codes',
    input: '8 MB of zeros',
    prepare() {
      const bytes = Buffer.alloc(8 << 20);
      bytes[2] = 1;
      return () => splitAnnexB(bytes);
    },
  },
  {
    parser: 'start codes',
    input: 'more NAL units than the limit',
    prepare() {
      const bytes = Buffer.alloc(8 << 20, Buffer.of(0, 0, 1, 1));
      return () => splitAnnexB(bytes);
    },
  },
  {
    parser: 'NAL unit lengths',
    input: '8 MB of zero lengths',
    prepare() {
      const bytes = Buffer.alloc(messageBytes);
      return () => splitLengthPrefixed(bytes, 1);
    },
  },
  {
    parser: 'SEI',
    input: '8 MB of payload type bytes',
    prepare() {
      const bytes = new Uint8Array(8 << 20).fill(0xff);
      return () => isRecoveryPoint(bytes);
    },
  },
];
