/** The clock of a transport stream: time stamps of PES headers and clock references, 90 kHz and 33 bits. */
import { signedDifference, tsClockModulus } from '../codec/unwrap.ts';
import { packetSize, payloadStart, syncByte } from './packet.ts';

export const clockRate = 90_000;
/** The clock wraps after about 26.5 hours. Milliseconds. */
export const pcrWrapMs = tsClockModulus / 90;

/** Returns the decode time of the access unit that begins in this packet; undefined if none or without a time. */
export function decodeTimeOf(data: Uint8Array, at: number): number | undefined {
  const start = payloadStart(data, at);
  const end = at + packetSize;
  if (start + 14 > end || data[start] !== 0 || data[start + 1] !== 0 || data[start + 2] !== 1) return undefined;
  const present = (data[start + 7] ?? 0) >> 6;
  // A lone presentation time is also the decode time.
  if (present === 2) return readTime(data, start + 9);
  return present === 3 && start + 19 <= end ? readTime(data, start + 14) : undefined;
}

/** Reads 33 bits from 5 bytes of a PES header, with marker bits in between (ISO/IEC 13818-1, 2.4.3.7). */
export function readTime(data: Uint8Array, at: number): number {
  const byte = (offset: number) => data[at + offset] ?? 0;
  const low = (byte(1) << 22) | ((byte(2) >> 1) << 15) | (byte(3) << 7) | (byte(4) >> 1);
  return ((byte(0) >> 1) & 7) * 2 ** 30 + low;
}

/** Returns the ticks from one time to the other, the short way around; negative if the clock went back. */
export const clockStep = (from: number, to: number): number => signedDifference(to, from, tsClockModulus);

/** Returns the milliseconds of a PCR's 90 kHz part (2.4.3.5), or undefined if the packet at `at` has no PCR. */
export function pcrOf(data: Uint8Array, at: number): number | undefined {
  const hasAdaptation = ((data[at + 3] ?? 0) & 0x20) !== 0;
  if (data[at] !== syncByte || !hasAdaptation || (data[at + 4] ?? 0) < 7 || ((data[at + 5] ?? 0) & 0x10) === 0) {
    return undefined;
  }
  const high = (data[at + 6] ?? 0) * 2 ** 25 + (data[at + 7] ?? 0) * 2 ** 17;
  const low = (data[at + 8] ?? 0) * 2 ** 9 + (data[at + 9] ?? 0) * 2 + ((data[at + 10] ?? 0) >> 7);
  return (high + low) / 90;
}
