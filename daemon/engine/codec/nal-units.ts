/** NAL units of H.264 and HEVC: their types, and their two stream formats. */
import { unescapeNal } from './bit-reader.ts';

export type NalCodec = 'h264' | 'hevc';
export const isNalCodec = (codec: string): codec is NalCodec => codec === 'h264' || codec === 'hevc';
/** `keySlice`: a slice of a picture that a decoder can start with. */
export type NalRole = 'vps' | 'sps' | 'pps' | 'delimiter' | 'filler' | 'sei' | 'keySlice' | 'slice' | 'other';

/** H.264, table 7-1. */
const avcRoles: Readonly<Record<number, NalRole>> = {
  1: 'slice',
  2: 'slice',
  3: 'slice',
  4: 'slice',
  5: 'keySlice',
  6: 'sei',
  7: 'sps',
  8: 'pps',
  9: 'delimiter',
  12: 'filler',
};
/** H.265, table 7-1; slices are 0 to 31, of which 16 to 21 belong to random access pictures. */
const hevcRoles: Readonly<Record<number, NalRole>> = {
  32: 'vps',
  33: 'sps',
  34: 'pps',
  35: 'delimiter',
  38: 'filler',
  39: 'sei',
};
const recoveryPoint = 6;
/** The recovery point is among the first messages; user data after it may be long. */
const seiLookBytes = 256;
const startCode = Uint8Array.of(0, 0, 1);
/** More units than any encoder splits a picture into. */
const maxUnits = 2048;

export function nalRole(codec: NalCodec, header: number): NalRole {
  if (codec === 'h264') return avcRoles[header & 0x1f] ?? 'other';
  const type = (header >> 1) & 0x3f;
  if (type >= 16 && type <= 21) return 'keySlice';
  return type < 32 ? 'slice' : (hevcRoles[type] ?? 'other');
}

/** Returns the units between start codes (H.264 and H.265, annex B) as views; undefined if there are too many. */
export function splitAnnexB(bytes: Buffer): Uint8Array[] | undefined {
  const units: Uint8Array[] = [];
  let start = bytes.indexOf(startCode);
  while (start >= 0) {
    const from = start + startCode.length;
    start = bytes.indexOf(startCode, from);
    let end = start < 0 ? bytes.length : start;
    // Removes the first zero of a four-byte start code, and padding: a unit never ends with zero.
    while (end > from && bytes[end - 1] === 0) end--;
    if (end > from) units.push(bytes.subarray(from, end));
    if (units.length > maxUnits) return undefined;
  }
  return units;
}

/** Returns length-prefixed units (ISO/IEC 14496-15) as views; undefined if the lengths don't add up. */
export function splitLengthPrefixed(bytes: Uint8Array, lengthSize: number): Uint8Array[] | undefined {
  const units: Uint8Array[] = [];
  let at = 0;
  for (let count = 0; at < bytes.length; count++) {
    if (at + lengthSize > bytes.length || count > maxUnits) return undefined;
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + (bytes[at + i] ?? 0);
    at += lengthSize;
    if (at + length > bytes.length) return undefined;
    if (length > 0) units.push(bytes.subarray(at, at + length));
    at += length;
  }
  return units;
}

/** Whether an H.264 SEI unit holds a recovery point (D.2.8): streams with open GOPs have no other mark. */
export function isRecoveryPoint(sei: Uint8Array): boolean {
  const body = unescapeNal(sei.subarray(1, seiLookBytes));
  let at = 0;
  const number = () => {
    let value = 0;
    while (body[at] === 0xff) value += body[at++] ?? 0;
    return value + (body[at++] ?? 0);
  };
  // One byte is left for the trailing bits.
  while (at + 2 < body.length) {
    if (number() === recoveryPoint) return true;
    at += number();
  }
  return false;
}
