/** Payload formats of frames with at most a short header: all audio, MPEG-2 and MPEG-4 part 2 video. */

import { asBuffer } from '../../lib/bytes.ts';
import { type AacFormat, adtsFrame, readAacConfig, samplesPerFrame } from '../codec/aac.ts';
import { BitReader } from '../codec/bit-reader.ts';
import { readMpegAudio } from '../codec/mpeg-audio.ts';
import { pesLimits } from '../remux/pes-assembler.ts';
import type { StreamCodec } from '../remux/ts-tables.ts';
import type { Depacketizer, OnUnit } from './depacketizer.ts';

const ticksPerSecond = 90_000;
/** The largest picture in packets of 1 KB. Tiny pieces take far more memory than their bytes. */
const maxPieces = 8192;
/** Frames of AAC in one packet. Each becomes a PES packet, so a hostile list of sizes must not make thousands of them. */
const maxFramesInPacket = 64;

/** The frame data of one RTP packet. */
interface Piece {
  readonly data: Uint8Array;
  /** Whether it continues the frame of the previous packet. */
  readonly continues: boolean;
  /** Whether it ends the frame. */
  readonly ends: boolean;
}

export interface FrameFormat {
  readonly kind: 'video' | 'audio';
  readonly codec: StreamCodec | ((frame: Uint8Array) => StreamCodec);
  /** `isOpen`: a frame has started but not ended. */
  read(payload: Uint8Array, isMarked: boolean, isOpen: boolean): Piece;
  /** Splits whole frames into PES packet contents. `delay`: offset from the first frame in 90 kHz ticks. */
  unpack(data: Uint8Array): readonly { readonly parts: readonly Uint8Array[]; readonly delay?: number }[];
  readonly isKeyframe?: (data: Uint8Array) => boolean;
  readonly reorderDepth?: number;
}

export class FrameDepacketizer implements Depacketizer {
  readonly kind: 'video' | 'audio';
  codec: StreamCodec;
  readonly reorderDepth: number | undefined;
  private readonly format: FrameFormat;
  private readonly onUnit: OnUnit;
  private pieces: Uint8Array[] = [];
  private bytes = 0;
  private timestamp = 0;
  private needsKeyframe: boolean;

  constructor(format: FrameFormat, initial: StreamCodec, onUnit: OnUnit) {
    this.format = format;
    this.kind = format.kind;
    this.reorderDepth = format.reorderDepth;
    this.codec = initial;
    this.onUnit = onUnit;
    this.needsKeyframe = format.isKeyframe !== undefined;
  }

  take(payload: Uint8Array, timestamp: number, isMarked: boolean): void {
    if (this.isOpen && timestamp !== this.timestamp) this.finish();
    const { data, continues, ends } = this.format.read(payload, isMarked, this.isOpen);
    if (!continues) this.lose();
    this.bytes += data.length;
    if (
      (continues && !this.isOpen) ||
      data.length === 0 ||
      this.bytes > pesLimits.videoBytes ||
      this.pieces.length >= maxPieces
    ) {
      this.lose();
      return;
    }
    this.timestamp = timestamp;
    this.pieces.push(ends ? data : new Uint8Array(data));
    if (ends) this.finish();
  }

  /** Drops the frame in progress: it is useless without the missing packets. */
  lose(): void {
    this.pieces = [];
    this.bytes = 0;
  }

  private get isOpen(): boolean {
    return this.pieces.length > 0;
  }

  private finish(): void {
    const [only] = this.pieces;
    const data = this.pieces.length === 1 && only ? only : Buffer.concat(this.pieces);
    this.lose();
    const { format, timestamp } = this;
    const isKeyframe = format.isKeyframe?.(data) ?? false;
    if (isKeyframe) this.needsKeyframe = false;
    if (this.needsKeyframe) return;
    this.codec = typeof format.codec === 'function' ? format.codec(data) : format.codec;
    for (const { parts, delay = 0 } of format.unpack(data)) {
      this.onUnit({ timestamp, delay, isRandomAccess: isKeyframe, parts });
    }
  }
}

const whole = (data: Uint8Array): Piece => ({ data, continues: false, ends: true });
const asItIs = (data: Uint8Array) => [{ parts: [data] }];
const frameTicks = (format: AacFormat) => (samplesPerFrame * ticksPerSecond) / format.rate;
/** Parameters of `a=fmtp`, with names in lower case. */
export type Parameters = ReadonlyMap<string, string>;

/** AAC (RFC 3640). Returns undefined if ADTS can't represent the configuration, or a header field width is invalid. */
export function aacFormat(parameters: Parameters): FrameFormat | undefined {
  const format = readAacConfig(hexBytes(parameters.get('config') ?? ''));
  const isLow = /lbr$/i.test(parameters.get('mode') ?? '');
  const number = (name: string, usual: number) => Number(parameters.get(name) ?? usual);
  const sizeBits = number('sizelength', isLow ? 6 : 13);
  const indexBits = number('indexlength', isLow ? 2 : 3);
  const deltaBits = number('indexdeltalength', isLow ? 2 : 3);
  if (!format || !(sizeBits >= 1 && sizeBits <= 16 && indexBits <= 8 && deltaBits <= 8)) return undefined;
  const ticks = frameTicks(format);
  const sizesOf = (payload: Uint8Array) => {
    const headerBits = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
    const bits = new BitReader(payload.subarray(2));
    const sizes: number[] = [];
    while (bits.at + sizeBits <= headerBits && !bits.isExhausted && sizes.length < maxFramesInPacket) {
      sizes.push(bits.bits(sizeBits));
      bits.skip(sizes.length === 1 ? indexBits : deltaBits);
    }
    return { sizes, from: 2 + Math.ceil(headerBits / 8) };
  };
  /** Frame sizes from the last packet. Each fragment of a frame carries the size of the whole frame. */
  let sizes: number[] = [];
  return {
    kind: 'audio',
    codec: 'aac',
    read(payload, isMarked, isOpen) {
      const found = sizesOf(payload);
      sizes = found.sizes;
      const data = payload.subarray(found.from);
      const [size = 0] = sizes;
      const isPiece = sizes.length === 1 && data.length < size;
      return { data, continues: isOpen && isPiece, ends: isMarked || !isPiece };
    },
    unpack(data) {
      let at = 0;
      return sizes.flatMap((size, i) => {
        const frame = data.subarray(at, at + size);
        at += size;
        const parts = frame.length === size && size > 0 ? adtsFrame(format, frame) : undefined;
        return parts ? [{ parts, delay: i * ticks }] : [];
      });
    },
  };
}

/** AAC in LATM with its configuration in the SDP (RFC 6416, `cpresent=0`). Returns undefined for any other LATM. */
export function latmFormat(parameters: Parameters): FrameFormat | undefined {
  if (parameters.get('cpresent') !== '0') return undefined;
  // StreamMuxConfig (ISO/IEC 14496-3, table 1.42): version, framing, subframes, programs, layers, AudioSpecificConfig.
  const config = hexBytes(parameters.get('config') ?? '');
  const bits = new BitReader(config);
  const isPlain = bits.bit() === 0 && bits.bit() === 1;
  const frames = bits.bits(6) + 1;
  const isSingle = bits.bits(4) === 0 && bits.bits(3) === 0;
  const rest = Uint8Array.from({ length: Math.max(0, config.length - 2) }, () => bits.bits(8));
  const format = isPlain && isSingle ? readAacConfig(rest) : undefined;
  if (!format) return undefined;
  const ticks = frameTicks(format);
  return {
    kind: 'audio',
    codec: 'aac',
    read: (data, isMarked, isOpen) => ({ data, continues: isOpen, ends: isMarked }),
    unpack(data) {
      const units: { parts: Uint8Array[]; delay: number }[] = [];
      let at = 0;
      for (let i = 0; i < frames && at < data.length; i++) {
        let size = 0;
        while (data[at] === 255) size += data[at++] ?? 0;
        size += data[at++] ?? 0;
        const frame = data.subarray(at, at + size);
        const parts = frame.length === size && size > 0 ? adtsFrame(format, frame) : undefined;
        if (parts) units.push({ parts, delay: i * ticks });
        at += size;
      }
      return units;
    },
  };
}

/** MPEG audio (RFC 2250, section 3.5). The header is two reserved bytes and a fragment offset. */
export function mpegAudioFormat(): FrameFormat {
  let missing = 0;
  return {
    kind: 'audio',
    codec: (frame) => (readMpegAudio(frame)?.isMpeg1 === false ? 'mpeg2audio' : 'mpeg1audio'),
    read(payload) {
      const data = payload.subarray(4);
      const continues = (payload[2] ?? 0) + (payload[3] ?? 0) > 0;
      missing = (continues ? missing : (readMpegAudio(data)?.bytes ?? 0)) - data.length;
      return { data, continues, ends: missing <= 0 };
    },
    unpack: asItIs,
  };
}

/** AC-3 (RFC 4184). The header is a fragment type and a count. */
export const ac3Format: FrameFormat = {
  kind: 'audio',
  codec: 'ac3',
  read: (payload, isMarked) => {
    const type = (payload[0] ?? 0) & 3;
    return { data: payload.subarray(2), continues: type === 3, ends: type === 0 || isMarked };
  },
  unpack: asItIs,
};

/** The first byte of an E-AC-3 frame. */
const syncByte = 0x0b;

/** E-AC-3 (RFC 4598). The header is a fragment flag and a count. */
export const eac3Format: FrameFormat = {
  kind: 'audio',
  codec: 'eac3',
  read: (payload, isMarked, isOpen) => {
    const isFragment = ((payload[0] ?? 0) & 1) === 1;
    return {
      data: payload.subarray(2),
      continues: isFragment && (isOpen || payload[2] !== syncByte),
      ends: !isFragment || isMarked,
    };
  },
  unpack: asItIs,
};

/** Opus (RFC 7587), written with the control header of a transport stream: a prefix and the size. */
export const opusFormat: FrameFormat = {
  kind: 'audio',
  codec: 'opus',
  read: whole,
  unpack(data) {
    const size = [...new Array<number>(Math.floor(data.length / 255)).fill(255), data.length % 255];
    return [{ parts: [Uint8Array.of(0x7f, 0xe0, ...size), data] }];
  },
};

const sequenceHeader = Buffer.of(0, 0, 1, 0xb3);
const groupHeader = Buffer.of(0, 0, 1, 0xb8);
const longHeaderBit = 0x04;

/** MPEG-1 and MPEG-2 pictures (RFC 2250, section 3.4). */
export const mpegVideoFormat: FrameFormat = {
  kind: 'video',
  codec: 'mpeg2video',
  read(payload, isMarked, isOpen) {
    const data = payload.subarray((payload[0] ?? 0) & longHeaderBit ? 8 : 4);
    return { data, continues: isOpen || !beginsMpeg2(data), ends: isMarked };
  },
  unpack: asItIs,
  // Only one picture that is shown after a B picture is decoded before it.
  reorderDepth: 1,
  isKeyframe: (data) => {
    const bytes = asBuffer(data);
    return bytes.includes(sequenceHeader) || bytes.includes(groupHeader);
  },
};

/** Whether the data begins with a picture, group or sequence header rather than a slice. */
function beginsMpeg2(data: Uint8Array): boolean {
  const code = startCodeOf(data);
  return code === 0 || code >= 0xb3;
}

const startCode = Buffer.of(0, 0, 1);
const vopCode = 0xb6;
/** Start codes 0x20 to 0x2f are video object layers. */
const isLayer = (code: number) => code >> 4 === 2;

/** MPEG-4 part 2 (RFC 6416). The configuration may be present only in the SDP. */
export function mpeg4Format(parameters: Parameters): FrameFormat {
  const config = hexBytes(parameters.get('config') ?? '');
  return {
    kind: 'video',
    codec: 'mpeg4',
    read: (data, isMarked, isOpen) => ({ data, continues: isOpen || startCodeOf(data) < 0, ends: isMarked }),
    unpack(data) {
      const { isIntra, hasLayer } = lookAtVop(data);
      return [{ parts: isIntra && !hasLayer ? [config, data] : [data] }];
    },
    isKeyframe: (data) => lookAtVop(data).isIntra,
  };
}

function lookAtVop(data: Uint8Array): { readonly isIntra: boolean; readonly hasLayer: boolean } {
  const bytes = asBuffer(data);
  let hasLayer = false;
  for (let at = bytes.indexOf(startCode); at >= 0; at = bytes.indexOf(startCode, at + 3)) {
    const code = bytes[at + 3] ?? 0;
    hasLayer ||= isLayer(code);
    if (code === vopCode) return { isIntra: (bytes[at + 4] ?? 0xff) >> 6 === 0, hasLayer };
  }
  return { isIntra: false, hasLayer };
}

/** Returns the byte after a start code at the beginning of the data, or -1 if there is none. */
function startCodeOf([first, second, third, code = -1]: Uint8Array): number {
  return first === 0 && second === 0 && third === 1 ? code : -1;
}

function hexBytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}
