/** Reads an HEVC sequence parameter set from after the picture size up to the picture rate (H.265, 7.3.2.2.1). */
import type { BitReader } from './bit-reader.ts';
import { skipDisplay } from './vui.ts';

interface HevcTiming {
  /** Pictures per second; undefined if the set does not contain it. */
  readonly rate?: number;
  /** Each picture is a field. */
  readonly isFields: boolean;
}

/** Limits of H.265, 7.4.3.2 and 7.4.8. */
const maxReferenceSets = 64;
const maxLongTermPictures = 32;
const maxReferences = 16;

/** The reader must be at the bit depths. Returns undefined if the set violates a limit or is truncated. */
export function readHevcTiming(bits: BitReader, maxSubLayersMinus1: number): HevcTiming | undefined {
  const { countBits } = readHevcOrder(bits, maxSubLayersMinus1);
  // Block sizes and transform depths.
  for (let i = 0; i < 6; i++) bits.ue();
  if (bits.bit() && bits.bit()) skipScalingLists(bits);
  bits.skip(2);
  if (bits.bit()) skipPcm(bits);
  if (countBits > maxReferences || !skipReferenceSets(bits) || !skipLongTerm(bits, countBits)) return undefined;
  bits.skip(2);
  const timing = bits.bit() ? readUsability(bits) : { isFields: false };
  return bits.isExhausted ? undefined : timing;
}

/** The reader must be at the bit depths. `countBits`: length of picture order counts; `depth`: of the highest layer. */
export function readHevcOrder(bits: BitReader, maxSubLayersMinus1: number): { countBits: number; depth: number } {
  bits.ue();
  bits.ue();
  const countBits = bits.ue() + 4;
  const layers = bits.bit() ? maxSubLayersMinus1 + 1 : 1;
  let depth = 0;
  for (let i = 0; i < layers; i++) {
    bits.ue();
    depth = bits.ue();
    bits.ue();
  }
  return { countBits, depth };
}

/** H.265, 7.3.4. */
function skipScalingLists(bits: BitReader): void {
  for (let size = 0; size < 4; size++) {
    for (let matrix = 0; matrix < 6 && !bits.isExhausted; matrix += size === 3 ? 3 : 1) {
      if (bits.bit() === 0) {
        bits.ue();
        continue;
      }
      const coefficients = Math.min(64, 16 << (size * 2));
      for (let i = size > 1 ? -1 : 0; i < coefficients && !bits.isExhausted; i++) bits.se();
    }
  }
}

function skipPcm(bits: BitReader): void {
  bits.skip(8);
  bits.ue();
  bits.ue();
  bits.skip(1);
}

/** H.265, 7.3.7. */
function skipReferenceSets(bits: BitReader): boolean {
  const count = bits.ue();
  if (count > maxReferenceSets) return false;
  let before = 0;
  for (let i = 0; i < count; i++) {
    const references = i > 0 && bits.bit() ? skipPredictedSet(bits, before) : skipOwnSet(bits);
    if (references > maxReferences || bits.isExhausted) return false;
    before = references;
  }
  return true;
}

/** Returns the number of pictures that the set references. */
function skipPredictedSet(bits: BitReader, before: number): number {
  bits.skip(1);
  bits.ue();
  let references = 0;
  for (let i = 0; i <= before; i++) if (bits.bit() || bits.bit()) references++;
  return references;
}

function skipOwnSet(bits: BitReader): number {
  const references = bits.ue() + bits.ue();
  for (let i = 0; i < references && i <= maxReferences; i++) {
    bits.ue();
    bits.skip(1);
  }
  return references;
}

function skipLongTerm(bits: BitReader, countBits: number): boolean {
  if (!bits.bit()) return true;
  const count = bits.ue();
  if (count > maxLongTermPictures) return false;
  bits.skip(count * (countBits + 1));
  return true;
}

/** Usability information up to its timing (H.265, E.2.1). */
function readUsability(bits: BitReader): HevcTiming {
  skipDisplay(bits);
  bits.skip(1);
  const isFields = bits.bit() === 1;
  bits.skip(1);
  if (bits.bit()) for (let side = 0; side < 4; side++) bits.ue();
  if (!bits.bit()) return { isFields };
  const unitsInTick = bits.bits(32);
  const timeScale = bits.bits(32);
  return unitsInTick === 0 ? { isFields } : { isFields, rate: timeScale / unitsInTick };
}
