/**
 * Writes a transport stream with one program (ISO/IEC 13818-1): tables, clock references and PES packets, in packets of
 * 188 bytes. Times are 90 kHz ticks on a timeline that doesn't wrap.
 */

import { tsClockModulus } from '../codec/unwrap.ts';
import { packetSize, syncByte } from '../mpegts/packet.ts';
import { type ProgramStreams, pids, programTables, streamIdOf } from './ts-tables.ts';

interface PesContent {
  readonly kind: 'video' | 'audio';
  readonly pts: number;
  readonly dts: number;
  /** A decoder can start here. */
  readonly isRandomAccess: boolean;
  readonly parts: readonly Uint8Array[];
}

/**
 * The clock reference runs this far behind the decoding times. Receivers that obey it wait this long; audio that comes
 * later than its picture by more than this is late. RTMP encoders keep the two within some tens of milliseconds.
 */
export const clockLeadTicks = 9000;
/** DVB allows 40 ms between clock references (ETSI TR 101 290, 5.2.2). */
const clockEveryTicks = 3240;
/** Checked at least every 40 ms, so that tables are at most 100 ms apart. */
const tablesEveryTicks = 5400;
/** A longer gap is a pause of the publisher and is not filled. */
const longestFilledTicks = 90_000;
/** Audio may arrive before its picture; the clock then stays this far behind the decoding time of the last picture. */
const leastLeadTicks = 1800;
const payloadBytes = packetSize - 4;
const maxPesLength = 0xffff;
const firstBufferBytes = 256 << 10;
const keptBufferBytes = 1 << 20;
const flagsFieldBytes = 2;
const clockFieldBytes = 8;

export class TsMuxer {
  private streams: ProgramStreams = {};
  private version = 0;
  private program = programTables(this.streams, this.version);
  private out = Buffer.allocUnsafe(firstBufferBytes);
  private used = 0;
  private pes = Buffer.allocUnsafe(firstBufferBytes);
  private readonly continuity = new Map<number, number>();
  private clock = Number.NEGATIVE_INFINITY;
  private tablesAt = Number.NEGATIVE_INFINITY;
  private videoAt = Number.NEGATIVE_INFINITY;
  /** PIDs whose next packet signals a discontinuity. */
  private readonly broken = new Set<number>();

  /** Sets the streams of the program. The next `prepare` writes new tables. */
  setStreams(streams: ProgramStreams): void {
    if (streams.video === this.streams.video && streams.audio === this.streams.audio) return;
    this.streams = streams;
    this.version = (this.version + 1) & 31;
    this.program = programTables(streams, this.version);
    this.tablesAt = Number.NEGATIVE_INFINITY;
  }

  /** The current tables, for receivers that join. */
  get tables(): Uint8Array {
    return Buffer.concat([this.program.pat, this.program.pmt]);
  }

  /** Starts a new timeline. Packets of another source may have been sent in between. */
  restartClock(): void {
    this.clock = Number.NEGATIVE_INFINITY;
    this.tablesAt = Number.NEGATIVE_INFINITY;
    this.videoAt = Number.NEGATIVE_INFINITY;
    for (const pid of [pids.video, pids.audio]) this.broken.add(pid);
  }

  /** Writes the tables and clock references that are due before a PES packet with this decoding time. */
  prepare({ kind, dts, isRandomAccess }: Pick<PesContent, 'kind' | 'dts' | 'isRandomAccess'>): void {
    if (kind === 'video') this.videoAt = dts;
    const hasVideo = dts - this.videoAt < longestFilledTicks;
    const target = Math.min(dts - clockLeadTicks, hasVideo ? this.videoAt - leastLeadTicks : dts);
    const gap = target - this.clock;
    if (gap >= longestFilledTicks) {
      // A PES packet of `clockKind` carries the clock itself.
      if (kind !== this.clockKind) this.writeClock(target, true);
    } else {
      for (let at = this.clock + clockEveryTicks; at < target; at += clockEveryTicks) {
        if (at + clockLeadTicks - this.tablesAt >= tablesEveryTicks) this.writeTables(at + clockLeadTicks);
        this.writeClock(at);
      }
    }
    if (isRandomAccess || dts - this.tablesAt >= tablesEveryTicks) this.writeTables(dts);
  }

  /** Writes an access unit or audio frames as a PES packet. Call `prepare` first. */
  write({ kind, pts, dts, isRandomAccess, parts }: PesContent): void {
    const length = this.fillPes(kind, pts, dts, parts);
    const pid = pids[kind];
    const carriesClock = kind === this.clockKind;
    const clock = carriesClock ? Math.max(dts - clockLeadTicks, this.clock) : undefined;
    const isBreak = clock !== undefined && clock - this.clock >= longestFilledTicks;
    if (clock !== undefined) this.clock = clock;
    const flags =
      (this.broken.delete(pid) || isBreak ? 0x80 : 0) | (isRandomAccess ? 0x40 : 0) | (carriesClock ? 0x10 : 0);
    let at = this.writePacket(pid, { flags, clock }, 0, length);
    while (at < length) at += this.writePacket(pid, undefined, at, length);
    if (this.pes.length > keptBufferBytes) this.pes = Buffer.allocUnsafe(firstBufferBytes);
  }

  /** Returns a copy of the packets written since the last call; undefined if there are none. */
  take(): Uint8Array<ArrayBuffer> | undefined {
    if (this.used === 0) return undefined;
    // Not from the pool: the bytes stay in the ring for seconds.
    const bytes = Buffer.allocUnsafeSlow(this.used);
    this.out.copy(bytes, 0, 0, this.used);
    this.used = 0;
    if (this.out.length > keptBufferBytes) this.out = Buffer.allocUnsafe(firstBufferBytes);
    return bytes;
  }

  private get clockKind(): 'video' | 'audio' {
    return this.streams.video ? 'video' : 'audio';
  }

  private writeTables(at: number): void {
    this.tablesAt = at;
    for (const name of ['pat', 'pmt'] as const) {
      const start = this.reserve();
      this.out.set(this.program[name], start);
      this.out[start + 3] = 0x10 | this.count(pids[name]);
    }
  }

  /** Writes a packet with only a clock reference. The continuity counter stays. `isBreak`: the clock has jumped. */
  private writeClock(clock: number, isBreak = false): void {
    this.clock = clock;
    const at = this.reserve();
    const pid = pids[this.clockKind];
    this.writeHead(at, pid, false, 0x20, this.continuity.get(pid) ?? 0);
    this.out[at + 4] = payloadBytes - 1;
    this.out[at + 5] = isBreak ? 0x90 : 0x10;
    writeClockField(this.out, at + 6, clock);
    this.out.fill(0xff, at + 12, at + packetSize);
  }

  /** `first`: adaptation field of a packet that begins a PES packet. Returns the number of PES bytes written. */
  private writePacket(
    pid: number,
    first: { readonly flags: number; readonly clock: number | undefined } | undefined,
    from: number,
    length: number,
  ): number {
    const { flags = 0, clock } = first ?? {};
    const field = flags === 0 ? 0 : clock === undefined ? flagsFieldBytes : clockFieldBytes;
    const count = Math.min(payloadBytes - field, length - from);
    const at = this.reserve();
    const start = at + packetSize - count;
    const hasField = start > at + 4;
    this.writeHead(at, pid, first !== undefined, hasField ? 0x30 : 0x10, this.count(pid));
    if (hasField) {
      this.out.fill(0xff, at + 4, start);
      this.out[at + 4] = start - at - 5;
      if (start > at + 5) this.out[at + 5] = flags;
      if (clock !== undefined) writeClockField(this.out, at + 6, clock);
    }
    // Not `set` with a view: making one for every packet costs more than copying it.
    this.pes.copy(this.out, start, from, from + count);
    return count;
  }

  private writeHead(at: number, pid: number, isStart: boolean, control: number, counter: number): void {
    this.out[at] = syncByte;
    this.out[at + 1] = (isStart ? 0x40 : 0) | (pid >> 8);
    this.out[at + 2] = pid & 0xff;
    this.out[at + 3] = control | counter;
  }

  private count(pid: number): number {
    const counter = ((this.continuity.get(pid) ?? -1) + 1) & 15;
    this.continuity.set(pid, counter);
    return counter;
  }

  /** Reserves space for one packet. Returns its offset. */
  private reserve(): number {
    const at = this.used;
    this.used += packetSize;
    if (this.used > this.out.length) this.out = grown(this.out, at, this.used);
    return at;
  }

  private fillPes(kind: 'video' | 'audio', pts: number, dts: number, parts: readonly Uint8Array[]): number {
    const codec = this.streams[kind];
    const hasDts = pts !== dts;
    const head = hasDts ? 19 : 14;
    let size = head;
    for (const part of parts) size += part.length;
    if (size > this.pes.length) this.pes = grown(this.pes, 0, size);
    const { pes } = this;
    pes.writeUInt32BE(0x100 | streamIdOf(codec ?? (kind === 'video' ? 'h264' : 'aac')), 0);
    // Only video may omit the length. With it, receivers need not wait for the next packet.
    pes.writeUInt16BE(size - 6 > maxPesLength ? 0 : size - 6, 4);
    // Marker bits, and data_alignment_indicator: an access unit begins here.
    pes[6] = 0x84;
    pes[7] = hasDts ? 0xc0 : 0x80;
    pes[8] = head - 9;
    writeTime(pes, 9, hasDts ? 3 : 2, pts);
    if (hasDts) writeTime(pes, 14, 1, dts);
    let at = head;
    for (const part of parts) {
      pes.set(part, at);
      at += part.length;
    }
    return size;
  }
}

function grown(buffer: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(needed, buffer.length * 2));
  larger.set(buffer.subarray(0, used));
  return larger;
}

/** Writes 33 bits at 90 kHz, six reserved bits, and an extension of zero (2.4.3.5). */
function writeClockField(out: Buffer, at: number, clock: number): void {
  const ticks = wrapped(clock);
  out.writeUInt32BE(Math.floor(ticks / 2), at);
  out[at + 4] = ((ticks % 2) << 7) | 0x7e;
  out[at + 5] = 0;
}

function writeTime(out: Buffer, at: number, prefix: number, time: number): void {
  const ticks = wrapped(time);
  const high = Math.floor(ticks / 2 ** 30);
  const low = ticks % 2 ** 30;
  out[at] = (prefix << 4) | (high << 1) | 1;
  out[at + 1] = low >> 22;
  out[at + 2] = ((low >> 14) & 0xfe) | 1;
  out[at + 3] = (low >> 7) & 0xff;
  out[at + 4] = ((low << 1) & 0xfe) | 1;
}

function wrapped(time: number): number {
  return ((time % tsClockModulus) + tsClockModulus) % tsClockModulus;
}
