/** RTP packets (RFC 3550, section 5.1), and the reports of both ends (sections 6.4 and 6.5). */

export interface RtpPacket {
  readonly payloadType: number;
  readonly isMarked: boolean;
  readonly sequence: number;
  /** Ticks of the track's clock, 32 bits. */
  readonly timestamp: number;
  /** SSRC of the sender. */
  readonly source: number;
  /** A view of the packet. */
  readonly payload: Uint8Array;
}

const fixedBytes = 12;
const version = 2;
const senderReport = 200;
const receiverReport = 201;
const sourceDescription = 202;
const canonicalName = 1;
/** Seconds from 1900, the NTP epoch, to 1970. */
const ntpEpoch = 2_208_988_800;
const senderReportBytes = 20;

/** Returns undefined if the bytes are not an RTP packet. */
export function readRtp(bytes: Uint8Array): RtpPacket | undefined {
  if (bytes.length < fixedBytes || (bytes[0] ?? 0) >> 6 !== version) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = view.getUint8(0);
  let from = fixedBytes + (first & 0x0f) * 4;
  const hasExtension = (first & 0x10) !== 0;
  if (hasExtension && from + 4 <= bytes.length) from += 4 + view.getUint16(from + 2) * 4;
  const padding = first & 0x20 ? (bytes.at(-1) ?? 0) : 0;
  const to = bytes.length - padding;
  if (from > to) return undefined;
  return {
    payloadType: view.getUint8(1) & 0x7f,
    isMarked: view.getUint8(1) >> 7 === 1,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    source: view.getUint32(8),
    payload: bytes.subarray(from, to),
  };
}

/** The time on the sender's clock at a timestamp of the track. */
export interface SenderTime {
  readonly source: number;
  readonly timestamp: number;
  /** NTP time in seconds. */
  readonly seconds: number;
  /** The middle 32 bits of the NTP timestamp, which receivers return in their reports. */
  readonly mark: number;
}

/** Returns the sender report of a compound RTCP packet; undefined if it contains none. */
export function readSenderReport(bytes: Uint8Array): SenderTime | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 4 <= bytes.length; at += 4 + view.getUint16(at + 2) * 4) {
    if (view.getUint8(at) >> 6 !== version) return undefined;
    if (view.getUint8(at + 1) !== senderReport || at + 4 + senderReportBytes > bytes.length) continue;
    return {
      source: view.getUint32(at + 4),
      timestamp: view.getUint32(at + 16),
      seconds: view.getUint32(at + 8) + view.getUint32(at + 12) / 2 ** 32,
      mark: view.getUint32(at + 10),
    };
  }
  return undefined;
}

/** Reception statistics of one sender. */
export interface ReceptionFigures {
  readonly source: number;
  /** Highest sequence number received, with the count of wraps in the upper 16 bits. */
  readonly highestSequence: number;
  readonly lost: number;
  /** Fraction of packets lost since the last report, 0 to 1. */
  readonly lostShare: number;
  /** Ticks of the track's clock. */
  readonly jitter: number;
  /** `mark` of the last sender report, and the seconds since it arrived; 0 without one. */
  readonly lastReport: number;
  readonly sinceReport: number;
}

/** Writes a receiver report with the canonical name that RFC 3550 (section 6.1) requires. */
export function writeReceiverReport(self: number, figures: ReceptionFigures): Uint8Array {
  const report = Buffer.alloc(32);
  report[0] = (version << 6) | 1;
  report[1] = receiverReport;
  report.writeUInt16BE(7, 2);
  report.writeUInt32BE(self, 4);
  report.writeUInt32BE(figures.source, 8);
  report[12] = Math.min(255, Math.floor(figures.lostShare * 256));
  report.writeUIntBE(Math.min(figures.lost, 0x7fffff), 13, 3);
  report.writeUInt32BE(figures.highestSequence % 2 ** 32, 16);
  report.writeUInt32BE(Math.round(figures.jitter) % 2 ** 32, 20);
  report.writeUInt32BE(figures.lastReport, 24);
  report.writeUInt32BE(Math.round(figures.sinceReport * 2 ** 16) % 2 ** 32, 28);
  return Buffer.concat([report, describeSource(self, 'play')]);
}

/** What the sender of a track has sent at a moment. */
export interface SentFigures {
  readonly source: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The same moment on the track's clock. */
  readonly timestamp: number;
  readonly packets: number;
  readonly payloadBytes: number;
}

/** Writes a sender report, which relates the clocks. `name`: the CNAME that ties the tracks together. */
export function writeSenderReport(
  { source, atMs, timestamp, packets, payloadBytes }: SentFigures,
  name: string,
): Buffer {
  const report = Buffer.alloc(28);
  report[0] = version << 6;
  report[1] = senderReport;
  report.writeUInt16BE(6, 2);
  report.writeUInt32BE(source, 4);
  report.writeUInt32BE((Math.floor(atMs / 1000) + ntpEpoch) % 2 ** 32, 8);
  report.writeUInt32BE(Math.floor(((atMs % 1000) / 1000) * 2 ** 32), 12);
  report.writeUInt32BE(timestamp, 16);
  report.writeUInt32BE(packets % 2 ** 32, 20);
  report.writeUInt32BE(payloadBytes % 2 ** 32, 24);
  return Buffer.concat([report, describeSource(source, name)]);
}

/** Returns a source description with one chunk: the SSRC and its canonical name. */
function describeSource(source: number, name: string): Buffer {
  const text = Buffer.from(name);
  // Item header, text, and at least one zero, padded to a multiple of four.
  const chunkBytes = 4 + (Math.floor((2 + text.length) / 4) + 1) * 4;
  const description = Buffer.alloc(4 + chunkBytes);
  description[0] = (version << 6) | 1;
  description[1] = sourceDescription;
  description.writeUInt16BE(chunkBytes / 4, 2);
  description.writeUInt32BE(source, 4);
  description[8] = canonicalName;
  description[9] = text.length;
  description.set(text, 10);
  return description;
}
