/**
 * The program config element of AAC (ISO/IEC 14496-3, table 4.2), which describes channel layouts that have no number.
 * It is part of the AudioSpecificConfig in FLV, and precedes a frame in a transport stream.
 */
import type { BitReader } from './bit-reader.ts';

export interface ProgramConfig {
  readonly channels: number;
  /** Fields up to the byte alignment, as values with their widths in bits. */
  readonly fields: readonly (readonly [value: number, width: number])[];
  readonly comment: Uint8Array;
}

/** The reader must be after the element ID. Byte alignment is relative to the beginning of its bytes. */
export function readProgramConfig(bits: BitReader): ProgramConfig | undefined {
  const fields: [number, number][] = [];
  const take = (width: number): number => {
    const value = bits.bits(width);
    fields.push([value, width]);
    return value;
  };
  // Instance, object type, sampling rate.
  for (const width of [4, 2, 4]) take(width);
  const [front, side, back] = [take(4), take(4), take(4)];
  const [low, data, coupling] = [take(2), take(3), take(4)];
  for (const width of [4, 4, 3]) if (take(1)) take(width);
  let channels = low;
  for (let i = 0; i < front + side + back; i++) {
    channels += take(1) ? 2 : 1;
    take(4);
  }
  for (let i = 0; i < low + data; i++) take(4);
  for (let i = 0; i < coupling; i++) take(5);
  bits.skip((8 - (bits.at % 8)) % 8);
  const comment = Uint8Array.from({ length: bits.bits(8) }, () => bits.bits(8));
  return bits.isExhausted || channels === 0 ? undefined : { channels, fields, comment };
}

/** Writes the element after the fields of `before`. Byte alignment is relative to the beginning of those. */
export function writeProgramConfig(
  before: readonly (readonly [value: number, width: number])[],
  { fields, comment }: ProgramConfig,
): Uint8Array {
  const digits = [...before, ...fields].map(([value, width]) => value.toString(2).padStart(width, '0')).join('');
  const bytes = digits.padEnd(Math.ceil(digits.length / 8) * 8, '0').match(/.{8}/g) ?? [];
  return Uint8Array.from([...bytes.map((byte) => Number.parseInt(byte, 2)), comment.length, ...comment]);
}
