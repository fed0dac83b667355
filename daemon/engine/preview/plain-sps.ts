/**
 * Sequence parameter sets without reordering. A decoder delays pictures by as many as may be shown before them. If it
 * gets keyframes only, none are, and each picture would come several keyframes late.
 */
import { BitReader, unescapeNal } from '../codec/bit-reader.ts';
import type { NalCodec } from '../codec/nal-units.ts';
import { readH264UpToVui, readHevcUpToDepths } from '../codec/sps.ts';

/** Returns the set unchanged if it cannot be parsed. */
export function plainSps(codec: NalCodec, sps: Uint8Array): Uint8Array {
  return (codec === 'h264' ? plainAvc(sps) : plainHevc(sps)) ?? sps;
}

/** Drops the whole video usability information (H.264, annex E): decoding depends on nothing in it but reordering. */
function plainAvc(sps: Uint8Array): Uint8Array | undefined {
  const body = unescapeNal(sps.subarray(1));
  const bits = new BitReader(body);
  readH264UpToVui(bits);
  if (bits.isExhausted) return undefined;
  const writer = new BitWriter();
  copy(body, 0, bits.at, writer);
  writer.bits(0, 1);
  return finished(sps.subarray(0, 1), writer, true);
}

/** H.265, 7.3.2.2.1: sps_max_num_reorder_pics and sps_max_latency_increase_plus1 become 0. */
function plainHevc(sps: Uint8Array): Uint8Array | undefined {
  const body = unescapeNal(sps.subarray(2));
  const bits = new BitReader(body);
  const { maxSubLayersMinus1 } = readHevcUpToDepths(bits);
  for (let field = 0; field < 3; field++) bits.ue();
  const isForEach = bits.bit() === 1;
  const writer = new BitWriter();
  copy(body, 0, bits.at, writer);
  for (let layer = isForEach ? 0 : maxSubLayersMinus1; layer <= maxSubLayersMinus1; layer++) {
    writer.ue(bits.ue());
    bits.ue();
    bits.ue();
    writer.ue(0);
    writer.ue(0);
  }
  if (bits.isExhausted) return undefined;
  copy(body, bits.at, endOf(body), writer);
  return finished(sps.subarray(0, 2), writer, false);
}

/** Returns the number of bits up to and including the stop bit. */
function endOf(body: Uint8Array): number {
  let last = body.length - 1;
  while (last > 0 && body[last] === 0) last--;
  const byte = body[last] ?? 0;
  const zeros = 31 - Math.clz32(byte & -byte);
  return last * 8 + 8 - zeros;
}

function copy(from: Uint8Array, start: number, end: number, to: BitWriter): void {
  for (let at = start; at < end; at++) to.bits(((from[at >> 3] ?? 0) >> (7 - (at & 7))) & 1, 1);
}

function finished(header: Uint8Array, writer: BitWriter, needsStop: boolean): Uint8Array {
  if (needsStop) writer.bits(1, 1);
  return Uint8Array.from([...header, ...escaped(writer.bytes())]);
}

/** Inserts emulation prevention bytes (H.264 and H.265, section 7.4.1). */
function escaped(body: Uint8Array): number[] {
  const out: number[] = [];
  let zeros = 0;
  for (const byte of body) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return out;
}

class BitWriter {
  private readonly out: number[] = [];
  private count = 0;

  bits(value: number, width: number): void {
    for (let at = width - 1; at >= 0; at--) {
      if ((this.count & 7) === 0) this.out.push(0);
      const last = this.out.length - 1;
      this.out[last] = (this.out[last] ?? 0) | (((value >> at) & 1) << (7 - (this.count & 7)));
      this.count++;
    }
  }

  /** Writes an unsigned Exp-Golomb code. */
  ue(value: number): void {
    const width = 32 - Math.clz32(value + 1);
    this.bits(0, width - 1);
    this.bits(value + 1, width);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.out);
  }
}
