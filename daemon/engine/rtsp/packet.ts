/** Reads RTP packets and sender reports (RFC 3550, sections 5.1 and 6.4.1), and writes receiver reports. */

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
  const report = Buffer.alloc(48);
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
  // One chunk: our SSRC, item 1 (CNAME) of 4 bytes, and terminating zeros.
  report[32] = (version << 6) | 1;
  report[33] = sourceDescription;
  report.writeUInt16BE(3, 34);
  report.writeUInt32BE(self, 36);
  report.set([1, 4, ...Buffer.from('play'), 0, 0], 40);
  return report;
}
