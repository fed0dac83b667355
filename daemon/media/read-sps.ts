import { parseH264Sps, parseHevcSps } from './flv/sps.ts';
import type { SpsReader } from './mpegts/ts-sink.ts';

/** Picture size and rate from a sequence parameter set of H.264 or HEVC. */
export const readSps: SpsReader = (codec, sps) => {
  const format = codec === 'h264' ? parseH264Sps(sps) : parseHevcSps(sps);
  if (!format) return undefined;
  const { width, height, fps } = format;
  return { width, height, ...(fps && { fps }) };
};
