/** Finds the pictures in a PES packet that holds several (ISO/IEC 13818-1, 2.4.3.6 allows any number). */
import { BitReader, unescapeNal } from '../flv/bit-reader.ts';
import { readH264UpToVui } from '../flv/sps.ts';
import type { NalCodec, NalRole } from './nal-units.ts';
import { maxSetBytes } from './parameter-sets.ts';

/** What may stand in front of the first slice of a picture (H.264, 7.4.1.2.3; H.265, 7.4.2.4.4). */
const leading: ReadonlySet<NalRole> = new Set(['delimiter', 'vps', 'sps', 'pps', 'sei']);
/** A slice header up to the flags of its field, escapes included. */
const sliceLookBytes = 24;

interface Field {
  /** `frame_num`: both fields of a frame have the same. */
  readonly frame: number;
  readonly isBottom: boolean;
}

interface FieldFormat {
  /** Length of `frame_num`. */
  readonly frameBits: number;
}

/**
 * Returns where each picture begins, as indexes of its first unit: [0] for nearly every packet. The two fields of a frame
 * of H.264 are pictures of their own that players expect together; `sps` tells whether there are any.
 */
export function pictureStarts(
  codec: NalCodec,
  units: readonly Uint8Array[],
  roles: readonly NalRole[],
  sps: Uint8Array | undefined,
): number[] {
  const starts = [0];
  /** The first slice of the picture before. */
  let before: Uint8Array | undefined;
  /** Of the units behind the last slice, the first that may belong to the next picture. */
  let next = -1;
  let hasSlices = false;
  const isFrame = createFrameTest(codec, sps);
  for (const [i, unit] of units.entries()) {
    const role = roles[i] ?? 'other';
    if (role !== 'slice' && role !== 'keySlice') {
      if (next < 0 && leading.has(role)) next = i;
      continue;
    }
    if (opensPicture(codec, unit)) {
      if (hasSlices && isFrame(before, unit)) starts.push(next < 0 ? i : next);
      before = unit;
    }
    hasSlices = true;
    next = -1;
  }
  return starts;
}

/** Whether a slice is the first of its picture: `first_mb_in_slice` is 0, or `first_slice_segment_in_pic_flag` is set. */
function opensPicture(codec: NalCodec, unit: Uint8Array): boolean {
  if (codec === 'h264') return ((unit[1] ?? 0) & 0x80) !== 0;
  const layer = (((unit[0] ?? 0) & 1) << 5) | ((unit[1] ?? 0) >> 3);
  return layer === 0 && ((unit[2] ?? 0) & 0x80) !== 0;
}

/** Tells whether a picture is not the second field of the frame before. */
function createFrameTest(codec: NalCodec, sps: Uint8Array | undefined) {
  /** Read when a packet has a second picture. */
  let format: FieldFormat | undefined;
  let isPaired = false;
  return (before: Uint8Array | undefined, unit: Uint8Array): boolean => {
    if (codec !== 'h264' || !before) return true;
    format ??= fieldFormat(sps);
    const [first, second] = [readField(before, format), readField(unit, format)];
    isPaired = !isPaired && !!first && !!second && first.frame === second.frame && first.isBottom !== second.isBottom;
    return !isPaired;
  };
}

/** `frameBits` is 0 where every picture is a frame. */
function fieldFormat(sps: Uint8Array | undefined): FieldFormat {
  if (!sps || sps.length > maxSetBytes) return { frameBits: 0 };
  const { framesOnly, frameBits } = readH264UpToVui(new BitReader(unescapeNal(sps.subarray(1))));
  return { frameBits: framesOnly ? 0 : frameBits };
}

/** From a slice header (H.264, 7.3.3); undefined for one of a frame. */
function readField(slice: Uint8Array, { frameBits }: FieldFormat): Field | undefined {
  if (frameBits === 0) return undefined;
  const bits = new BitReader(unescapeNal(slice.subarray(1, sliceLookBytes)));
  for (let skipped = 0; skipped < 3; skipped++) bits.ue();
  const frame = bits.bits(frameBits);
  return bits.bit() === 1 ? { frame, isBottom: bits.bit() === 1 } : undefined;
}
