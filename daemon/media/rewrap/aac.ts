/** AAC in its two wrappings: ADTS headers in a transport stream, one AudioSpecificConfig in front in FLV. */
import { BitReader } from '../flv/bit-reader.ts';

export interface AacFormat {
  /** MPEG-4 audio object type, 1 to 4: what two bits of an ADTS header can say. */
  readonly objectType: number;
  /** Index into the table of sampling rates. */
  readonly rateIndex: number;
  readonly rate: number;
  /** Channel configuration; 0 means that the stream itself describes its channels. */
  readonly channels: number;
}

export interface AdtsFrame extends AacFormat {
  /** Without the header; a view. */
  readonly data: Uint8Array;
}

/** ISO/IEC 14496-3, table 1.18. */
const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
const headerBytes = 7;
const checksumBytes = 2;
/** The length in an ADTS header has 13 bits. */
const maxFrameBytes = 8191;
const spectralBandReplication = 5;
const parametricStereo = 29;

export const samplesPerFrame = 1024;

export function sameFormat(a: AacFormat, b: AacFormat): boolean {
  return a.objectType === b.objectType && a.rateIndex === b.rateIndex && a.channels === b.channels;
}

/** From an AudioSpecificConfig; undefined when ADTS can't say it. */
export function readAacConfig(config: Uint8Array): AacFormat | undefined {
  const bits = new BitReader(config);
  let objectType = bits.bits(5);
  const rateIndex = bits.bits(4);
  const channels = bits.bits(4);
  if (objectType === spectralBandReplication || objectType === parametricStereo) {
    // What ADTS carries is the core; decoders find the extension by themselves.
    if (bits.bits(4) === 15) bits.skip(24);
    objectType = bits.bits(5);
  }
  const rate = rates[rateIndex];
  if (bits.isExhausted || rate === undefined || objectType < 1 || objectType > 4 || channels > 7) return undefined;
  return { objectType, rateIndex, rate, channels };
}

export function aacConfig({ objectType, rateIndex, channels }: AacFormat): Uint8Array {
  const bits = (objectType << 11) | (rateIndex << 7) | (channels << 3);
  return Uint8Array.of(bits >> 8, bits & 0xff);
}

/** A header without checksum for a frame of so many bytes; undefined for one that is too long. */
export function adtsHeader(format: AacFormat, dataBytes: number): Uint8Array | undefined {
  const length = dataBytes + headerBytes;
  if (length > maxFrameBytes) return undefined;
  const { objectType, rateIndex, channels } = format;
  return Uint8Array.of(
    0xff,
    0xf1,
    ((objectType - 1) << 6) | (rateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    // Buffer fullness: all ones, which means a variable rate.
    ((length & 7) << 5) | 0x1f,
    0xfc,
  );
}

/**
 * Finds ADTS frames in payloads however they are cut. `onFrame` is told whether the frame began in the payload at hand
 * (false: in an earlier one).
 */
export class AdtsReader {
  private rest = Buffer.alloc(0);
  /** Whether a frame ended where the next one has to begin. Without that, eleven set bits may be anything. */
  private isLocked = false;
  private readonly onFrame: (frame: AdtsFrame, beganHere: boolean) => void;

  constructor(onFrame: (frame: AdtsFrame, beganHere: boolean) => void) {
    this.onFrame = onFrame;
  }

  /** Bytes are missing: what was begun is of no use. */
  reset(): void {
    this.rest = Buffer.alloc(0);
    this.isLocked = false;
  }

  feed(payload: Uint8Array): void {
    const kept = this.rest.length;
    const bytes = kept > 0 ? Buffer.concat([this.rest, payload]) : payload;
    let at = 0;
    while (at + headerBytes <= bytes.length) {
      const length = frameLength(bytes, at);
      if (length === 0 || (!this.isLocked && !isFollowed(bytes, at + length))) {
        this.isLocked = false;
        at++;
        continue;
      }
      if (at + length > bytes.length) break;
      this.isLocked = true;
      const frame = readFrame(bytes, at, length);
      if (frame) this.onFrame(frame, at >= kept);
      at += length;
    }
    this.rest = Buffer.from(bytes.subarray(at));
  }
}

/** 0 when no header stands here. */
function frameLength(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return 0;
  const length = (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5);
  const isKnownRate = (((bytes[at + 2] ?? 0) >> 2) & 15) < rates.length;
  return isKnownRate && length > sizeOfHeader(bytes, at) ? length : 0;
}

/** Whether a header, or nothing yet, comes after the frame that ends here. */
function isFollowed(bytes: Uint8Array, end: number): boolean {
  return end + 1 >= bytes.length || (bytes[end] === 0xff && ((bytes[end + 1] ?? 0) & 0xf6) === 0xf0);
}

function sizeOfHeader(bytes: Uint8Array, at: number): number {
  return (bytes[at + 1] ?? 0) & 1 ? headerBytes : headerBytes + checksumBytes;
}

/** Undefined for several raw blocks in one frame, which nothing outside a test suite sends. */
function readFrame(bytes: Uint8Array, at: number, length: number): AdtsFrame | undefined {
  if (((bytes[at + 6] ?? 0) & 3) !== 0) return undefined;
  const [, , third = 0, fourth = 0] = bytes.subarray(at, at + 4);
  const rateIndex = (third >> 2) & 15;
  return {
    objectType: (third >> 6) + 1,
    rateIndex,
    rate: rates[rateIndex] ?? 0,
    channels: ((third & 1) << 2) | (fourth >> 6),
    data: bytes.subarray(at + sizeOfHeader(bytes, at), at + length),
  };
}
