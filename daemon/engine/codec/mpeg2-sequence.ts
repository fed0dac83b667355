/** Picture size and rate from a sequence header of MPEG-1 or MPEG-2 with its extension (ISO/IEC 13818-2, 6.2.2). */
import { BitReader } from './bit-reader.ts';

interface SequenceFormat {
  readonly width: number;
  readonly height: number;
  readonly fps?: number;
  readonly interlaced?: true;
}

/** By `frame_rate_code`; 0 is forbidden. */
const frameRates = [0, 24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60];
const extension = Uint8Array.of(0, 0, 1, 0xb5);
const sequenceExtension = 1;

/** `bytes` begins with the header's start code value. */
export function readSequence(bytes: Uint8Array): SequenceFormat | undefined {
  const bits = new BitReader(bytes.subarray(1));
  const [width, height] = [bits.bits(12), bits.bits(12)];
  bits.skip(4);
  const rate = frameRates[bits.bits(4)] ?? 0;
  if (bits.isExhausted || width === 0 || height === 0) return undefined;
  const more = readExtension(bytes);
  const fps = Math.round(rate * (more?.rateFactor ?? 1) * 1000) / 1000;
  return {
    width: width + (more?.width ?? 0),
    height: height + (more?.height ?? 0),
    ...(fps > 0 && { fps }),
    ...(more?.isProgressive === false && { interlaced: true }),
  };
}

function readExtension(bytes: Uint8Array) {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(extension);
  if (at < 0) return undefined;
  const bits = new BitReader(bytes.subarray(at + extension.length));
  if (bits.bits(4) !== sequenceExtension) return undefined;
  bits.skip(8);
  const isProgressive = bits.bit() === 1;
  bits.skip(2);
  const [width, height] = [bits.bits(2) << 12, bits.bits(2) << 12];
  bits.skip(22);
  const rateFactor = (bits.bits(2) + 1) / (bits.bits(5) + 1);
  // Trailing zeros may have been removed as padding; the reader yields zeros in their place.
  return { isProgressive, width, height, rateFactor };
}
