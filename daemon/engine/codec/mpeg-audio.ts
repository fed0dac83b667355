/** Frame headers of MPEG audio (ISO/IEC 11172-3, 2.4.1.3; ISO/IEC 13818-3, 2.4.2.3). */
import type { FrameSyntax } from './frame-reader.ts';

export interface MpegAudioHeader {
  readonly layer: 1 | 2 | 3;
  /** MPEG-1; the lower sampling rates belong to MPEG-2 and 2.5. */
  readonly isMpeg1: boolean;
  /** Hertz. */
  readonly rate: number;
  readonly channels: 1 | 2;
  readonly samples: number;
  /** Size of the whole frame, including its header. */
  readonly bytes: number;
}

const rates = [44_100, 48_000, 32_000];
/** Kilobits per second by layer and index. In MPEG-2, layers 2 and 3 have the same bitrates. */
const bitrates = {
  mpeg1: [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  mpeg2: [
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ],
} as const;
/** By the two version bits; 1 is reserved. */
const rateDivisors = [4, 0, 2, 1];
const monoMode = 3;

/** Returns undefined if there is no header at the beginning. */
export function readMpegFormat([sync, flags = 0, format = 0, mode = 0]: Uint8Array) {
  const version = (flags >> 3) & 3;
  const layer = 4 - ((flags >> 1) & 3);
  const divisor = rateDivisors[version];
  const fullRate = rates[(format >> 2) & 3];
  if (sync !== 0xff || (flags & 0xe0) !== 0xe0 || layer === 4 || !divisor || !fullRate) return undefined;
  const channels = mode >> 6 === monoMode ? 1 : 2;
  return { layer: layer as 1 | 2 | 3, isMpeg1: version === 3, rate: fullRate / divisor, channels } as const;
}

/** Returns undefined if there is no header at the beginning, or it has a free or forbidden bitrate. */
export function readMpegAudio(frame: Uint8Array): MpegAudioHeader | undefined {
  const found = readMpegFormat(frame);
  if (!found) return undefined;
  const { layer, isMpeg1, rate } = found;
  const format = frame[2] ?? 0;
  const kbps = bitrates[isMpeg1 ? 'mpeg1' : 'mpeg2'][layer - 1]?.[format >> 4];
  if (!kbps) return undefined;
  const samples = layer === 1 ? 384 : layer === 3 && !isMpeg1 ? 576 : 1152;
  const padding = (format >> 1) & 1;
  // Layer 1 counts in slots of four bytes.
  const bytes =
    layer === 1
      ? (Math.floor((12_000 * kbps) / rate) + padding) * 4
      : Math.floor((samples / 8) * ((1000 * kbps) / rate)) + padding;
  return { ...found, samples, bytes };
}

/** For a `FrameReader` of MPEG audio. */
export const mpegAudioSyntax: FrameSyntax = {
  headerBytes: 4,
  lengthAt: (bytes, at) => readMpegAudio(bytes.subarray(at, at + 4))?.bytes ?? 0,
  mayBegin: (bytes, at) => bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe0) === 0xe0,
};
