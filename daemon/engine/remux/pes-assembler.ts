/** Reassembles the PES packets of one PID (ISO/IEC 13818-1, 2.4.3.6). A packet that lost a part is dropped. */
import { readTime } from '../mpegts/clock.ts';
import {
  adaptationFlags,
  continuityOf,
  discontinuityFlag,
  hasPayload,
  packetSize,
  payloadStart,
  randomAccessFlag,
  startsPayload,
} from '../mpegts/packet.ts';

export interface PesPacket {
  /** Elementary stream data; a view, valid only during the call. */
  readonly data: Buffer;
  /** 90 kHz ticks, 33 bits; undefined if the packet has none. */
  readonly pts: number | undefined;
  readonly dts: number | undefined;
  /** The muxer has marked that a decoder can start here. */
  readonly isRandomAccess: boolean;
}

interface PesEvents {
  packet(packet: PesPacket): void;
  /** A packet was dropped. */
  broken(isRandomAccess: boolean): void;
}

export const pesLimits = {
  /** The limit of an RTMP message, far larger than a keyframe at any bitrate. */
  videoBytes: 8 << 20,
  /** Audio PES packets must declare a length of at most 64 KiB, but some muxers send longer ones of unknown length. */
  audioBytes: 256 << 10,
} as const;
const firstBufferBytes = 64 << 10;
/** A larger buffer, grown for one large picture, is released. */
const keptBufferBytes = 1 << 20;
const fixedHeaderBytes = 9;
/** Number of packets that must have ended with stuffing before stuffing counts as an end. */
const trustAfter = 16;

export class PesAssembler {
  private readonly events: PesEvents;
  private readonly maxBytes: number;
  private buffer = Buffer.allocUnsafe(firstBufferBytes);
  /** Bytes of the current packet; -1 while waiting for one to begin. */
  private length = -1;
  private isRandomAccess = false;
  private continuity = -1;
  /**
   * Most video packets declare no length: they end where the next one begins, one frame later. Muxers stuff the last
   * transport packet of each, though, and no other. Once that has held long enough, stuffing ends the packet at once.
   */
  private stuffedEnds = 0;
  private endedByStuffing = false;
  private wasStuffed = false;

  constructor(events: PesEvents, maxBytes: number) {
    this.events = events;
    this.maxBytes = maxBytes;
  }

  /** Discards the packet in progress: the bytes that follow do not continue it. */
  reset(): void {
    this.length = -1;
    this.continuity = -1;
    this.endedByStuffing = false;
    this.wasStuffed = false;
  }

  /** Takes a transport packet of this PID. */
  push(data: Uint8Array, at: number): void {
    const flags = adaptationFlags(data, at);
    if (!hasPayload(data, at)) {
      if (flags & discontinuityFlag) this.continuity = -1;
      return;
    }
    const counter = continuityOf(data, at);
    if (!this.follows(counter, flags)) {
      if (counter === this.continuity) return;
      this.breakOff();
    }
    this.continuity = counter;
    if (isUnusable(data, at)) this.breakOff();
    else if (startsPayload(data, at)) this.begin(data, at, flags);
    else this.goOn(data, at);
  }

  private follows(counter: number, flags: number): boolean {
    return this.continuity < 0 || (flags & discontinuityFlag) !== 0 || counter === ((this.continuity + 1) & 15);
  }

  private begin(data: Uint8Array, at: number, flags: number): void {
    if (this.wasStuffed) this.stuffedEnds++;
    if (this.length >= 0) this.finish();
    this.endedByStuffing = false;
    this.length = 0;
    this.isRandomAccess = (flags & randomAccessFlag) !== 0;
    this.append(data, at);
  }

  private goOn(data: Uint8Array, at: number): void {
    // Stuffing in the middle of a packet: with this muxer, it does not mark an end.
    if (this.wasStuffed || this.endedByStuffing) this.stuffedEnds = Number.NEGATIVE_INFINITY;
    if (this.length >= 0) this.append(data, at);
  }

  private append(data: Uint8Array, at: number): void {
    const from = payloadStart(data, at);
    const count = at + packetSize - from;
    if (this.length + count > this.maxBytes) {
      this.breakOff();
      return;
    }
    this.reserve(this.length + count);
    this.buffer.set(data.subarray(from, at + packetSize), this.length);
    this.length += count;
    this.wasStuffed = hasStuffing(data, at);
    const declared = this.declaredBytes();
    if (declared > 0 && this.length >= declared) {
      // Muxers that declare the length of small pictures can't declare that of large ones.
      if (this.wasStuffed) this.stuffedEnds++;
      this.finish();
    } else if (declared === 0 && this.wasStuffed && this.stuffedEnds >= trustAfter) {
      this.finish();
      this.endedByStuffing = true;
    }
  }

  /** Returns the size of the whole packet; 0 if it declares none, -1 if that isn't known yet. */
  private declaredBytes(): number {
    if (this.length < 6) return -1;
    const length = this.buffer.readUInt16BE(4);
    return length === 0 ? 0 : length + 6;
  }

  private finish(): void {
    const declared = this.declaredBytes();
    const packet = this.length >= declared ? this.read(declared > 0 ? declared : this.length) : undefined;
    this.length = -1;
    this.wasStuffed = false;
    if (packet) this.events.packet(packet);
    else this.events.broken(this.isRandomAccess);
    if (this.buffer.length > keptBufferBytes) this.buffer = Buffer.allocUnsafe(firstBufferBytes);
  }

  private breakOff(): void {
    const wasOpen = this.length >= 0;
    this.length = -1;
    this.wasStuffed = false;
    this.endedByStuffing = false;
    if (wasOpen) this.events.broken(this.isRandomAccess);
  }

  private read(length: number): PesPacket | undefined {
    const { buffer } = this;
    if (length < fixedHeaderBytes || buffer.readUIntBE(0, 3) !== 1 || ((buffer[6] ?? 0) & 0xc0) !== 0x80) {
      return undefined;
    }
    const from = fixedHeaderBytes + (buffer[8] ?? 0);
    if (from > length) return undefined;
    const has = (buffer[7] ?? 0) >> 6;
    const pts = has >= 2 && from >= fixedHeaderBytes + 5 ? readTime(buffer, fixedHeaderBytes) : undefined;
    const dts = has === 3 && from >= fixedHeaderBytes + 10 ? readTime(buffer, fixedHeaderBytes + 5) : pts;
    return { data: buffer.subarray(from, length), pts, dts, isRandomAccess: this.isRandomAccess };
  }

  private reserve(bytes: number): void {
    if (bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.min(this.maxBytes, Math.max(bytes, this.buffer.length * 2)));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}

/** Whether the packet is marked as damaged or is scrambled. */
function isUnusable(data: Uint8Array, at: number): boolean {
  return ((data[at + 1] ?? 0) & 0x80) !== 0 || ((data[at + 3] ?? 0) & 0xc0) !== 0;
}

/** Whether the adaptation field is longer than its contents (2.4.3.4). */
function hasStuffing(data: Uint8Array, at: number): boolean {
  if (((data[at + 3] ?? 0) & 0x20) === 0) return false;
  const length = data[at + 4] ?? 0;
  if (length === 0) return true;
  const flags = data[at + 5] ?? 0;
  let used = 1;
  for (const [flag, bytes] of [
    [0x10, 6],
    [0x08, 6],
    [0x04, 1],
  ] as const) {
    if (flags & flag) used += bytes;
  }
  for (const flag of [0x02, 0x01]) if (flags & flag) used += 1 + (data[at + 5 + used] ?? 0);
  return length > used;
}
