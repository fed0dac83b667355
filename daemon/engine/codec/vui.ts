/** Video usability information of sequence parameter sets (H.264, E.1.1; H.265, E.2.1). */
import type { BitReader } from './bit-reader.ts';

const explicitRatio = 255;
const maxBuffers = 32;

/** Skips the first part, which is the same in H.264 and HEVC: aspect ratio, overscan, signal type, chroma location. */
export function skipDisplay(bits: BitReader): void {
  if (bits.bit() && bits.bits(8) === explicitRatio) bits.skip(32);
  if (bits.bit()) bits.skip(1);
  if (bits.bit()) {
    bits.skip(4);
    if (bits.bit()) bits.skip(24);
  }
  if (bits.bit()) {
    bits.ue();
    bits.ue();
  }
}

/** Reads the timing of H.264. The reader must be after the display part. */
export function readH264Timing(bits: BitReader): { unitsInTick: number; timeScale: number } | undefined {
  if (!bits.bit()) return undefined;
  const timing = { unitsInTick: bits.bits(32), timeScale: bits.bits(32) };
  bits.skip(1);
  return timing;
}

/** Reads `max_num_reorder_frames` of H.264; returns undefined if absent. The reader must be after the timing. */
export function readH264ReorderDepth(bits: BitReader): number | undefined {
  const hasNalBuffer = skipBuffer(bits);
  const hasVclBuffer = skipBuffer(bits);
  if (hasNalBuffer || hasVclBuffer) bits.skip(1);
  bits.skip(1);
  if (!bits.bit()) return undefined;
  bits.skip(1);
  for (let i = 0; i < 4; i++) bits.ue();
  const depth = bits.ue();
  return bits.isExhausted ? undefined : depth;
}

/** Skips the hypothetical decoder's buffer parameters (E.1.2). Returns whether there were any. */
function skipBuffer(bits: BitReader): boolean {
  if (!bits.bit()) return false;
  const count = Math.min(bits.ue() + 1, maxBuffers);
  bits.skip(8);
  for (let i = 0; i < count; i++) {
    bits.ue();
    bits.ue();
    bits.skip(1);
  }
  bits.skip(20);
  return true;
}
