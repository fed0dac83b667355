/** Reads the bits of a parameter set. Past the end it yields zeros (`isExhausted`), so truncated sets never throw. */
export class BitReader {
  /** Bits read so far. */
  at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Whether more bits were read than exist. */
  get isExhausted(): boolean {
    return this.at > this.bytes.length * 8;
  }

  bit(): number {
    const byte = this.bytes[this.at >> 3] ?? 0;
    const bit = (byte >> (7 - (this.at & 7))) & 1;
    this.at++;
    return bit;
  }

  /** Reads up to 32 bits, unsigned. */
  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 2 + this.bit();
    return value;
  }

  skip(count: number): void {
    this.at += count;
  }

  /** Reads an unsigned Exp-Golomb code. */
  ue(): number {
    let zeros = 0;
    while (this.bit() === 0) {
      if (++zeros > 32 || this.isExhausted) return 0;
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** Reads a signed Exp-Golomb code. */
  se(): number {
    const code = this.ue();
    return code & 1 ? (code + 1) / 2 : -code / 2;
  }
}

/** Removes the 0x03 bytes that keep start codes out of a NAL unit (H.264 and H.265, section 7.4.1). */
export function unescapeNal(nal: Uint8Array): Uint8Array {
  const out = new Uint8Array(nal.length);
  let length = 0;
  let zeros = 0;
  for (const byte of nal) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    out[length++] = byte;
  }
  return out.subarray(0, length);
}
