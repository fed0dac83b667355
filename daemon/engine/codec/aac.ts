/** AAC in its two framings: ADTS in a transport stream, raw frames after an AudioSpecificConfig in FLV. */
import { BitReader } from './bit-reader.ts';
import { FrameReader, type FrameSyntax } from './frame-reader.ts';
import { type ProgramConfig, readProgramConfig, writeProgramConfig } from './program-config.ts';

export interface AacFormat {
  /** MPEG-4 audio object type, 1 to 4: the range of two bits in an ADTS header. */
  readonly objectType: number;
  /** Index into the table of sampling rates. */
  readonly rateIndex: number;
  readonly rate: number;
  /** Channel configuration; 0: a program config element describes the channels. */
  readonly channels: number;
  /** Describes the channels if `channels` is 0. */
  readonly program?: ProgramConfig | undefined;
}

export interface AdtsFrame extends AacFormat {
  /** The frame without its header; a view. */
  readonly data: Uint8Array;
}

/** ISO/IEC 14496-3, table 1.18. */
export const aacRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const headerBytes = 7;
const checksumBytes = 2;
/** The length in an ADTS header has 13 bits. */
const maxFrameBytes = 8191;
export const spectralBandReplication = 5;
export const parametricStereo = 29;
/** `id_syn_ele` of a program config element. */
const programElement = 5;

export const samplesPerFrame = 1024;

export function sameFormat(a: AacFormat, b: AacFormat): boolean {
  return a.objectType === b.objectType && a.rateIndex === b.rateIndex && a.channels === b.channels;
}

/** Reads an AudioSpecificConfig. Returns undefined if ADTS can't represent it. */
export function readAacConfig(config: Uint8Array): AacFormat | undefined {
  const bits = new BitReader(config);
  let objectType = bits.bits(5);
  const rateIndex = bits.bits(4);
  const channels = bits.bits(4);
  if (objectType === spectralBandReplication || objectType === parametricStereo) {
    // ADTS carries the core; decoders detect the extension themselves.
    if (bits.bits(4) === 15) bits.skip(24);
    objectType = bits.bits(5);
  }
  const rate = aacRates[rateIndex];
  if (bits.isExhausted || rate === undefined || objectType < 1 || objectType > 4 || channels > 7) return undefined;
  if (channels > 0) return { objectType, rateIndex, rate, channels };
  // Frame length flag, core coder flag with its delay, extension flag.
  bits.skip(1);
  if (bits.bit()) bits.skip(14);
  bits.skip(1);
  const program = readProgramConfig(bits);
  return program && { objectType, rateIndex, rate, channels, program };
}

export function aacConfig({ objectType, rateIndex, channels, program }: AacFormat): Uint8Array {
  const bits = (objectType << 11) | (rateIndex << 7) | (channels << 3);
  return program ? writeProgramConfig([[bits, 16]], program) : Uint8Array.of(bits >> 8, bits & 0xff);
}

/** Returns the program config element that a frame begins with; undefined if it has none. */
export function programOf(frame: Uint8Array): ProgramConfig | undefined {
  const bits = new BitReader(frame);
  return bits.bits(3) === programElement ? readProgramConfig(bits) : undefined;
}

/** Returns the parts of a frame in ADTS; undefined if it is too long. */
export function adtsFrame(format: AacFormat, frame: Uint8Array): Uint8Array[] | undefined {
  const { program } = format;
  const needsProgram = program && (frame[0] ?? 0) >> 5 !== programElement;
  // In every frame, so a decoder can join anywhere.
  const described = needsProgram ? [writeProgramConfig([[programElement, 3]], program)] : [];
  const header = adtsHeader(format, (described[0]?.length ?? 0) + frame.length);
  return header && [header, ...described, frame];
}

/** Returns a header without checksum for a frame of `dataBytes`; undefined if it is too long. */
function adtsHeader(format: AacFormat, dataBytes: number): Uint8Array | undefined {
  const length = dataBytes + headerBytes;
  if (length > maxFrameBytes) return undefined;
  const { objectType, rateIndex, channels } = format;
  return Uint8Array.of(
    0xff,
    0xf1,
    ((objectType - 1) << 6) | (rateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    // Buffer fullness: all ones signals variable bitrate.
    ((length & 7) << 5) | 0x1f,
    0xfc,
  );
}

/** Finds ADTS frames. `beganHere`: the frame began in the current payload. */
export class AdtsReader extends FrameReader {
  constructor(onFrame: (frame: AdtsFrame, beganHere: boolean) => void) {
    super(syntax, (bytes, beganHere) => {
      const frame = readFrame(bytes);
      if (frame) onFrame(frame, beganHere);
    });
  }
}

const syntax: FrameSyntax = {
  headerBytes,
  lengthAt: frameLength,
  mayBegin: (bytes, at) => bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0,
};

/** Returns 0 if there is no valid header at `at`. */
function frameLength(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return 0;
  const length = (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5);
  const isKnownRate = (((bytes[at + 2] ?? 0) >> 2) & 15) < aacRates.length;
  return isKnownRate && length > sizeOfHeader(bytes, at) ? length : 0;
}

function sizeOfHeader(bytes: Uint8Array, at: number): number {
  return (bytes[at + 1] ?? 0) & 1 ? headerBytes : headerBytes + checksumBytes;
}

/** Returns undefined for frames of several raw data blocks, which only test streams use. */
function readFrame(bytes: Uint8Array): AdtsFrame | undefined {
  if (((bytes[6] ?? 0) & 3) !== 0) return undefined;
  const format = readAdtsFormat(bytes);
  return format && { ...format, data: bytes.subarray(sizeOfHeader(bytes, 0)) };
}

/** Reads the first four bytes of an ADTS header (ISO/IEC 13818-7, section 6.2). Returns undefined if there is none. */
export function readAdtsFormat([sync, flags = 0, third = 0, fourth]: Uint8Array): AacFormat | undefined {
  const rateIndex = (third >> 2) & 15;
  const rate = aacRates[rateIndex];
  if (sync !== 0xff || (flags & 0xf6) !== 0xf0 || rate === undefined || fourth === undefined) return undefined;
  return { objectType: (third >> 6) + 1, rateIndex, rate, channels: ((third & 1) << 2) | (fourth >> 6) };
}
