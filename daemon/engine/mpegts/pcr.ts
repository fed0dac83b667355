/** The program clock reference of a transport stream packet (ISO 13818-1, section 2.4.3.5). */
import { syncByte } from './packet.ts';

/** The clock wraps after about 26.5 hours. Milliseconds. */
export const pcrWrapMs = 2 ** 33 / 90;

/** Returns the milliseconds of the 90 kHz part, or undefined if the packet at `at` has no PCR. */
export function pcrOf(data: Uint8Array, at: number): number | undefined {
  const hasAdaptation = ((data[at + 3] ?? 0) & 0x20) !== 0;
  if (data[at] !== syncByte || !hasAdaptation || (data[at + 4] ?? 0) < 7 || ((data[at + 5] ?? 0) & 0x10) === 0) {
    return undefined;
  }
  const high = (data[at + 6] ?? 0) * 2 ** 25 + (data[at + 7] ?? 0) * 2 ** 17;
  const low = (data[at + 8] ?? 0) * 2 ** 9 + (data[at + 9] ?? 0) * 2 + ((data[at + 10] ?? 0) >> 7);
  return (high + low) / 90;
}
