/** Timestamps of PES headers (ISO/IEC 13818-1, section 2.4.3.7): a clock of 90 kHz that wraps at 33 bits. */
import { packetSize, payloadStart } from './packet.ts';

export const clockRate = 90_000;
const clockRange = 2 ** 33;

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

function readTime(data: Uint8Array, at: number): number {
  const byte = (offset: number) => data[at + offset] ?? 0;
  const low = (byte(1) << 22) | ((byte(2) >> 1) << 15) | (byte(3) << 7) | (byte(4) >> 1);
  return ((byte(0) >> 1) & 7) * 2 ** 30 + low;
}

/** Returns the ticks from one time to the other, the short way around; negative if the clock went back. */
export function clockStep(from: number, to: number): number {
  const forward = (to - from + clockRange) % clockRange;
  return forward < clockRange / 2 ? forward : forward - clockRange;
}
