/** Transport packets with M2TS and DVB spacing: 192 bytes apart with a time code before, 204 with a code after each. */
export const spacings = [192, 204] as const;
export type Spacing = (typeof spacings)[number];

const packetSize = 188;

/** The bytes between the packets sometimes look like a packet start. */
export function spaced(packets: Uint8Array, spacing: Spacing): Buffer {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < packets.length; at += packetSize) {
    const room = new Uint8Array(spacing - packetSize).map((_, i) => ((at / packetSize + i) % 5 === 0 ? 0x47 : i));
    const packet = packets.subarray(at, at + packetSize);
    pieces.push(...(spacing === 192 ? [room, packet] : [packet, room]));
  }
  return Buffer.concat(pieces);
}
