/**
 * Finds the packets of a transport stream and removes what is between them. Packets may be 192 bytes apart, each
 * preceded by a time code of 4 bytes (M2TS), or 204 bytes, each followed by 16 bytes of Reed-Solomon code or padding
 * (DVB). `native/common/ts_sync.c` does the same for SRT, UDP and RTP.
 */
import { packetSize, syncByte } from './packet.ts';

const nothing = new Uint8Array(0);
const strides = [packetSize, 192, 204] as const;

/**
 * Returns the distance between packets if one begins at `at`: 0 if none does, -1 if there are too few bytes to tell. It
 * takes three packets, since a byte between packets may look like the beginning of one.
 */
export function strideAt(data: Uint8Array, at: number): number {
  if (data[at] !== syncByte) return 0;
  let isOpen = false;
  for (const stride of strides) {
    if ((data[at + stride] ?? syncByte) !== syncByte) continue;
    if (at + 2 * stride >= data.length) isOpen = true;
    else if (data[at + 2 * stride] === syncByte) return stride;
  }
  return isOpen ? -1 : 0;
}

export class PacketAligner {
  /** Noise bytes in excess of the packets found among them. */
  discarded = 0;
  private readonly onRun: (packets: Uint8Array<ArrayBuffer>) => void;
  private rest = nothing;
  private stride: number = packetSize;
  private isInStep = false;
  /** Bytes between packets that have not arrived yet. */
  private skip = 0;

  /** `onRun`: receives whole packets of 188 bytes, in memory of their own. */
  constructor(onRun: (packets: Uint8Array<ArrayBuffer>) => void) {
    this.onRun = onRun;
  }

  /** Bytes that wait for the rest of their packet. */
  get heldBytes(): number {
    return this.rest.length;
  }

  /** Copies the input, because the output outlives the caller's buffer. */
  write(input: Uint8Array): void {
    const data = new Uint8Array(this.rest.length + input.length);
    if (this.rest.length > 0) data.set(this.rest, 0);
    data.set(input, this.rest.length);
    let at = Math.min(this.skip, data.length);
    this.skip -= at;
    while (at < data.length) {
      const found = this.isInStep ? at : this.findStep(data, at);
      this.discarded += found - at;
      at = found;
      const count = this.isInStep ? this.countFrom(data, at) : 0;
      if (count === 0 && (!this.isInStep || data[at] === syncByte)) break;
      this.isInStep = count > 0;
      at += this.takeRun(data, at, count);
    }
    this.skip += Math.max(0, at - data.length);
    this.rest = at < data.length ? data.slice(at) : nothing;
  }

  private findStep(data: Uint8Array, from: number): number {
    for (let at = data.indexOf(syncByte, from); at >= 0; at = data.indexOf(syncByte, at + 1)) {
      const stride = strideAt(data, at);
      if (stride === 0) continue;
      this.isInStep = stride > 0;
      if (this.isInStep) this.stride = stride;
      return at;
    }
    return data.length;
  }

  private countFrom(data: Uint8Array, from: number): number {
    let at = from;
    while (at + packetSize <= data.length && data[at] === syncByte) at += this.stride;
    return (at - from) / this.stride;
  }

  /** Returns how many input bytes the packets occupy, which may be more than are available. */
  private takeRun(data: Uint8Array<ArrayBuffer>, from: number, count: number): number {
    if (count === 0) return 0;
    const { stride } = this;
    const bytes = count * packetSize;
    // Noise contains a packet by chance now and then: every 64 KiB, and every 4 KiB if it is text.
    this.discarded = Math.max(0, this.discarded - bytes);
    if (stride === packetSize) {
      this.onRun(bytes === data.length ? data : data.subarray(from, from + bytes));
      return bytes;
    }
    const packets = new Uint8Array(bytes);
    for (let i = 0; i < count; i++) {
      packets.set(data.subarray(from + i * stride, from + i * stride + packetSize), i * packetSize);
    }
    this.onRun(packets);
    return count * stride;
  }
}
