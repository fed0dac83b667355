/** FLV tag bodies: H.264, AAC and MP3 as in the FLV 10.1 specification, HEVC with the ex-header of Enhanced RTMP. */

import type { MpegAudioHeader } from '../codec/mpeg-audio.ts';
import type { NalCodec } from '../codec/nal-units.ts';
import { encodeAmf } from '../flv/amf0.ts';

interface PictureTag {
  readonly isKeyframe: boolean;
  /** Presentation time minus decoding time, milliseconds. */
  readonly compositionMs: number;
  readonly units: readonly Uint8Array[];
}

export interface StreamFacts {
  readonly video?: { readonly codec: NalCodec; readonly width: number; readonly height: number; readonly fps?: number };
  readonly audio?: { readonly codec: 'aac' | 'mp3'; readonly rate: number; readonly channels: number };
}

const legacyAvc = 7;
const legacyAac = 10;
const legacyMp3 = 2;
const exHeader = 0x80;
const exPacket = { start: 0, codedFrames: 1, codedFramesWithoutComposition: 3 } as const;
const hvc1 = [0x68, 0x76, 0x63, 0x31] as const;
const frame = { key: 1, inter: 2 } as const;
/** AAC is always marked as 44 kHz, 16 bit, stereo (FLV 10.1, E.4.2.1); the configuration has the real values. */
const aacSoundFlags = 0xaf;

export function videoHeader(codec: NalCodec, config: Uint8Array): Uint8Array {
  const head =
    codec === 'h264'
      ? [(frame.key << 4) | legacyAvc, 0, 0, 0, 0]
      : [exHeader | (frame.key << 4) | exPacket.start, ...hvc1];
  return Buffer.concat([Uint8Array.from(head), config]);
}

export function videoFrame(codec: NalCodec, { isKeyframe, compositionMs, units }: PictureTag): Uint8Array {
  const head = videoHead(codec, isKeyframe ? frame.key : frame.inter, compositionMs);
  let size = head.length;
  for (const unit of units) size += 4 + unit.length;
  // Not from the pool: the tag stays in the ring for seconds.
  const tag = Buffer.allocUnsafeSlow(size);
  tag.set(head, 0);
  let at = head.length;
  for (const unit of units) {
    tag.writeUInt32BE(unit.length, at);
    tag.set(unit, at + 4);
    at += 4 + unit.length;
  }
  return tag;
}

function videoHead(codec: NalCodec, kind: number, compositionMs: number): readonly number[] {
  const composition = [(compositionMs >> 16) & 0xff, (compositionMs >> 8) & 0xff, compositionMs & 0xff];
  if (codec === 'h264') return [(kind << 4) | legacyAvc, 1, ...composition];
  const first = exHeader | (kind << 4);
  return compositionMs === 0
    ? [first | exPacket.codedFramesWithoutComposition, ...hvc1]
    : [first | exPacket.codedFrames, ...hvc1, ...composition];
}

export function audioHeader(config: Uint8Array): Uint8Array {
  return Uint8Array.of(aacSoundFlags, 0, ...config);
}

export function audioFrame(data: Uint8Array): Uint8Array {
  const tag = new Uint8Array(2 + data.length);
  tag[0] = aacSoundFlags;
  tag[1] = 1;
  tag.set(data, 2);
  return tag;
}

/** MP3 needs no sequence header. A rate without an FLV code gets the next higher code; 48 kHz gets that of 44.1 kHz. */
export function mp3Frame({ rate, channels }: MpegAudioHeader, data: Uint8Array): Uint8Array {
  const index = rate > 22_050 ? 3 : rate > 11_025 ? 2 : 1;
  const tag = new Uint8Array(1 + data.length);
  // Marked as 16 bit, like all compressed audio.
  tag[0] = (legacyMp3 << 4) | (index << 2) | 2 | (channels - 1);
  tag.set(data, 1);
  return tag;
}

/** Returns onMetaData, which players display and some wait for. */
export function metadata({ video, audio }: StreamFacts): Uint8Array {
  return encodeAmf('onMetaData', {
    ...(video && {
      width: video.width,
      height: video.height,
      ...(video.fps && { framerate: video.fps }),
      videocodecid: video.codec === 'h264' ? legacyAvc : Buffer.from(hvc1).readUInt32BE(0),
    }),
    ...(audio && {
      audiosamplerate: audio.rate,
      audiochannels: audio.channels,
      stereo: audio.channels > 1,
      audiocodecid: audio.codec === 'aac' ? legacyAac : legacyMp3,
    }),
  });
}
