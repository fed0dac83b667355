/** RTP packets (RFC 3550), and the sender reports that relate the clocks of the tracks. */

const rtpHeaderBytes = 12;
/** Precedes each packet interleaved in an RTSP connection (RFC 2326, section 10.12). */
export const frameHeaderBytes = 4;
/** Fits through tunnels, too. Includes the header. */
const maxPacketBytes = 1400;
export const maxPayloadBytes = maxPacketBytes - rtpHeaderBytes;

const version = 0x80;
const markerBit = 0x80;
const senderReport = 200;
const sourceDescription = 202;
const canonicalName = 1;
const dollar = 0x24;
/** Seconds from 1900, the NTP epoch, to 1970. */
const ntpEpoch = 2_208_988_800;

/** Position of one packet in a batch, including its header. */
export interface RtpPacket {
  readonly track: number;
  /** Channel time of its content, in milliseconds. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** Consecutive packets, each framed for an RTSP connection with channel 2 × track. */
export interface RtpPackets {
  readonly wire: Uint8Array;
  readonly packets: readonly RtpPacket[];
}

export interface PacketHead {
  readonly at: number;
  readonly timestamp: number;
  readonly isMarked: boolean;
}

/** The sending side of one track. */
export class RtpSender {
  readonly track: number;
  readonly payloadType: number;
  readonly ssrc: number;
  /** Sequence number of the next packet. */
  sequence: number;
  private readonly firstTime: number;
  private packetCount = 0;
  private payloadBytes = 0;

  /** Numbers start at random values, as required by section 5.1. */
  constructor(track: number, payloadType: number, random: () => number) {
    this.track = track;
    this.payloadType = payloadType;
    this.ssrc = random();
    this.sequence = random() & 0xffff;
    this.firstTime = random();
  }

  /** Returns the RTP timestamp for `ticks` of the track's clock. */
  timestamp(ticks: number): number {
    return (this.firstTime + Math.round(ticks)) >>> 0;
  }

  count(payloadBytes: number): number {
    this.packetCount++;
    this.payloadBytes += payloadBytes;
    const { sequence } = this;
    this.sequence = (sequence + 1) & 0xffff;
    return sequence;
  }

  /** Relates `timestamp` to `atMs` (milliseconds since 1970). Includes the CNAME that ties the tracks together. */
  report(atMs: number, timestamp: number, name: string): Buffer {
    const text = Buffer.from(name);
    // Item header, text, and at least one zero, padded to a multiple of four.
    const chunkBytes = 4 + (Math.floor((2 + text.length) / 4) + 1) * 4;
    const report = Buffer.alloc(28 + 4 + chunkBytes);
    report[0] = version;
    report[1] = senderReport;
    report.writeUInt16BE(6, 2);
    report.writeUInt32BE(this.ssrc, 4);
    report.writeUInt32BE((Math.floor(atMs / 1000) + ntpEpoch) % 2 ** 32, 8);
    report.writeUInt32BE(Math.floor(((atMs % 1000) / 1000) * 2 ** 32), 12);
    report.writeUInt32BE(timestamp, 16);
    report.writeUInt32BE(this.packetCount % 2 ** 32, 20);
    report.writeUInt32BE(this.payloadBytes % 2 ** 32, 24);
    report[28] = version | 1;
    report[29] = sourceDescription;
    report.writeUInt16BE(chunkBytes / 4, 30);
    report.writeUInt32BE(this.ssrc, 32);
    report[36] = canonicalName;
    report[37] = text.length;
    report.set(text, 38);
    return report;
  }
}

/** Collects packets in one block of memory. */
export class RtpBatch {
  private bytes = Buffer.allocUnsafeSlow(64 << 10);
  private used = 0;
  private packets: RtpPacket[] = [];

  /** `at` and `timestamp`: the same moment, in channel time and on the clock of the track. */
  add(sender: RtpSender, { at: moment, timestamp, isMarked }: PacketHead, payload: readonly Uint8Array[]): void {
    const payloadBytes = payload.reduce((sum, { length }) => sum + length, 0);
    const length = rtpHeaderBytes + payloadBytes;
    this.reserve(frameHeaderBytes + length);
    const { bytes } = this;
    const start = this.used + frameHeaderBytes;
    writeFrameHeader(bytes, this.used, sender.track * 2, length);
    bytes[start] = version;
    bytes[start + 1] = (isMarked ? markerBit : 0) | sender.payloadType;
    bytes.writeUInt16BE(sender.count(payloadBytes), start + 2);
    bytes.writeUInt32BE(timestamp, start + 4);
    bytes.writeUInt32BE(sender.ssrc, start + 8);
    let at = start + rtpHeaderBytes;
    for (const part of payload) {
      bytes.set(part, at);
      at += part.length;
    }
    this.packets.push({ track: sender.track, at: moment, start, end: at });
    this.used = at;
  }

  /** Returns the packets collected since the last call; undefined if there are none. */
  take(): RtpPackets | undefined {
    if (this.used === 0) return undefined;
    const { packets } = this;
    const wire = new Uint8Array(this.bytes.subarray(0, this.used));
    this.used = 0;
    this.packets = [];
    return { wire, packets };
  }

  private reserve(more: number): void {
    if (this.used + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.used + more));
    larger.set(this.bytes.subarray(0, this.used));
    this.bytes = larger;
  }
}

export function writeFrameHeader(bytes: Uint8Array, at: number, channel: number, length: number): void {
  bytes[at] = dollar;
  bytes[at + 1] = channel;
  bytes[at + 2] = length >> 8;
  bytes[at + 3] = length & 0xff;
}
