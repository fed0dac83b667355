import { readSequence } from './mpeg2-sequence.ts';
import { parseH264Sps, parseHevcSps } from './sps.ts';

export interface PictureFacts {
  readonly width?: number;
  readonly height?: number;
  /** Pictures per second. */
  readonly fps?: number;
  readonly interlaced?: true;
}

/** Reads size and rate from a sequence parameter set of H.264 or HEVC, or a sequence header of MPEG-1 or MPEG-2. */
export function readSps(codec: string, sps: Uint8Array): PictureFacts | undefined {
  if (codec.startsWith('mpeg')) return readSequence(sps);
  const format = codec === 'h264' ? parseH264Sps(sps) : codec === 'hevc' ? parseHevcSps(sps) : undefined;
  if (!format) return undefined;
  const { width, height, fps, interlaced } = format;
  return { width, height, ...(fps && { fps }), ...(interlaced && { interlaced }) };
}
