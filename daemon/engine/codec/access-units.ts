/** Access units of H.264 and HEVC in a transport stream: boundaries, keyframes, several in a PES packet. */
import { BitReader, unescapeNal } from './bit-reader.ts';
import { isRecoveryPoint, type NalCodec, type NalRole } from './nal-units.ts';
import { maxSetBytes, readH264UpToVui } from './sps.ts';

/** Units that may precede the first slice of a picture (H.264, 7.4.1.2.3; H.265, 7.4.2.4.4). */
const leading: ReadonlySet<NalRole> = new Set(['delimiter', 'vps', 'sps', 'pps', 'sei']);
const startCode = Uint8Array.of(0, 0, 0, 1);
/** Access unit delimiters for any slice type. */
const delimiters = {
  h264: Uint8Array.of(0, 0, 0, 1, 0x09, 0xf0),
  hevc: Uint8Array.of(0, 0, 0, 1, 0x46, 0x01, 0x50),
} as const;
/** Enough for a slice header up to its field flags, including emulation prevention bytes. */
const sliceLookBytes = 24;

interface Field {
  /** `frame_num`, which is the same in both fields of a frame. */
  readonly frame: number;
  readonly isBottom: boolean;
}

/**
 * Returns the index of the first unit of each picture in a PES packet (ISO/IEC 13818-1, 2.4.3.6 allows any number of
 * pictures): [0] for nearly every packet. The two fields of an H.264 frame are separate pictures that players expect
 * together; `sps` shows whether there are any.
 */
export function pictureStarts(
  codec: NalCodec,
  units: readonly Uint8Array[],
  roles: readonly NalRole[],
  sps: Uint8Array | undefined,
): number[] {
  const starts = [0];
  /** The first slice of the previous picture. */
  let before: Uint8Array | undefined;
  /** Index of the first unit after the last slice that may belong to the next picture, or -1. */
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

/**
 * Returns the bytes of an access unit: a delimiter (2.14.1 and 2.17.1), then `sets` and the units, each after a start
 * code. `sets`: parameter sets that the access unit lacks.
 */
export function annexBParts(
  codec: NalCodec,
  units: readonly Uint8Array[],
  roles: readonly NalRole[],
  sets: readonly Uint8Array[],
): Uint8Array[] {
  const parts: Uint8Array[] = [delimiters[codec]];
  for (const set of sets) parts.push(startCode, set);
  units.forEach((unit, i) => {
    if (roles[i] !== 'delimiter') parts.push(startCode, unit);
  });
  return parts;
}

/** Whether a decoder can start with a picture. `isMarked`: its container marks it as a random access point. */
export function isKeyPicture(
  codec: NalCodec,
  units: readonly Uint8Array[],
  roles: readonly NalRole[],
  isMarked: boolean,
): boolean {
  if (roles.includes('keySlice')) return true;
  if (codec !== 'h264') return false;
  if (isMarked && roles.includes('sps')) return true;
  return units.some((unit, i) => roles[i] === 'sei' && isRecoveryPoint(unit));
}

/** Whether a slice is the first of its picture: `first_mb_in_slice` is 0 or `first_slice_segment_in_pic_flag` set. */
export function opensPicture(codec: NalCodec, unit: Uint8Array): boolean {
  if (codec === 'h264') return ((unit[1] ?? 0) & 0x80) !== 0;
  const layer = (((unit[0] ?? 0) & 1) << 5) | ((unit[1] ?? 0) >> 3);
  return layer === 0 && ((unit[2] ?? 0) & 0x80) !== 0;
}

/** Returns a function that tests whether a picture is not the second field of the previous frame. */
function createFrameTest(codec: NalCodec, sps: Uint8Array | undefined) {
  /** Read only when a packet has a second picture. */
  let frameBits: number | undefined;
  let isPaired = false;
  return (before: Uint8Array | undefined, unit: Uint8Array): boolean => {
    if (codec !== 'h264' || !before) return true;
    frameBits ??= frameBitsOf(sps);
    const [first, second] = [readField(before, frameBits), readField(unit, frameBits)];
    isPaired = !isPaired && !!first && !!second && first.frame === second.frame && first.isBottom !== second.isBottom;
    return !isPaired;
  };
}

/** Returns the length of `frame_num` in bits, or 0 if every picture is a frame. */
function frameBitsOf(sps: Uint8Array | undefined): number {
  if (!sps || sps.length > maxSetBytes) return 0;
  const { framesOnly, frameBits } = readH264UpToVui(new BitReader(unescapeNal(sps.subarray(1))));
  return framesOnly ? 0 : frameBits;
}

/** Reads a slice header (H.264, 7.3.3). Returns undefined if the slice belongs to a frame. */
function readField(slice: Uint8Array, frameBits: number): Field | undefined {
  if (frameBits === 0) return undefined;
  const bits = new BitReader(unescapeNal(slice.subarray(1, sliceLookBytes)));
  for (let skipped = 0; skipped < 3; skipped++) bits.ue();
  const frame = bits.bits(frameBits);
  return bits.bit() === 1 ? { frame, isBottom: bits.bit() === 1 } : undefined;
}
