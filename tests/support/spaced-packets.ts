/** Transport packets as M2TS and DVB space them: 192 bytes apart with a time code in front, 204 with a code behind. */
export const spacings = [192, 204] as const;
export type Spacing = (typeof spacings)[number];

const packetSize = 188;

/** What stands between the packets looks like their beginning now and then. */
export function spaced(packets: Uint8Array, spacing: Spacing): Buffer {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < packets.length; at += packetSize) {
    const room = new Uint8Array(spacing - packetSize).map((_, i) => ((at / packetSize + i) % 5 === 0 ? 0x47 : i));
    const packet = packets.subarray(at, at + packetSize);
    pieces.push(...(spacing === 192 ? [room, packet] : [packet, room]));
  }
  return Buffer.concat(pieces);
}
