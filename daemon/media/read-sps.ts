import { parseH264Sps, parseHevcSps } from './flv/sps.ts';
import { readSequence } from './mpegts/mpeg2-sequence.ts';
import type { SpsReader } from './mpegts/stream-facts.ts';

/** Picture size and rate from a sequence parameter set of H.264 or HEVC, or a sequence header of MPEG-1 or MPEG-2. */
export const readSps: SpsReader = (codec, sps) => {
  if (codec.startsWith('mpeg')) return readSequence(sps);
  const format = codec === 'h264' ? parseH264Sps(sps) : parseHevcSps(sps);
  if (!format) return undefined;
  const { width, height, fps, interlaced } = format;
  return { width, height, ...(fps && { fps }), ...(interlaced && { interlaced }) };
};
