/** Fields of MPEG-TS packets (ISO/IEC 13818-1, section 2.4). Offsets are into a buffer at a packet's first byte. */

export const packetSize = 188;
export const syncByte = 0x47;
export const nullPid = 0x1fff;
export const patPid = 0;

export function pidOf(data: Uint8Array, at: number): number {
  return (((data[at + 1] ?? 0) & 0x1f) << 8) | (data[at + 2] ?? 0);
}

/** Whether a PES packet or section begins in this packet. */
export function startsPayload(data: Uint8Array, at: number): boolean {
  return ((data[at + 1] ?? 0) & 0x40) !== 0;
}

export function hasPayload(data: Uint8Array, at: number): boolean {
  return ((data[at + 3] ?? 0) & 0x10) !== 0;
}

export function continuityOf(data: Uint8Array, at: number): number {
  return (data[at + 3] ?? 0) & 0x0f;
}

/** Adaptation field flags, or 0: bit 7 discontinuity, bit 6 random access. */
export function adaptationFlags(data: Uint8Array, at: number): number {
  const present = ((data[at + 3] ?? 0) & 0x20) !== 0;
  return present && (data[at + 4] ?? 0) > 0 ? (data[at + 5] ?? 0) : 0;
}
export const discontinuityFlag = 0x80;
export const randomAccessFlag = 0x40;

/** Offset of the payload, at most the packet's end. */
export function payloadStart(data: Uint8Array, at: number): number {
  const adaptation = ((data[at + 3] ?? 0) & 0x20) !== 0 ? 1 + (data[at + 4] ?? 0) : 0;
  return Math.min(at + 4 + adaptation, at + packetSize);
}
