/** Sections of tables (ISO/IEC 13818-1, 2.4.4): reassembled from packets, and packetized. */
import { continuityOf, hasPayload, packetSize, payloadStart, startsPayload, syncByte } from './packet.ts';

const checksumBytes = 4;
const payloadBytes = packetSize - 4;
const stuffing = 0xff;
const nothing = new Uint8Array(0);

/** Reads the packets of one PID. */
export function createSectionReader() {
  let held = nothing as Uint8Array;
  let counter = -1;
  /** The payload of the last packet that had whole sections and nothing else. Most packets repeat it. */
  let known = nothing as Uint8Array;
  let sections: readonly Uint8Array[] = [];

  function takeWhole(): Uint8Array[] {
    const found: Uint8Array[] = [];
    while (held.length >= 3 && held[0] !== stuffing) {
      const length = 3 + ((((held[1] ?? 0) & 0x0f) << 8) | (held[2] ?? 0));
      if (held.length < length) return found;
      const section = held.subarray(0, length);
      if (length >= 8 + checksumBytes && crc32(section) === 0) found.push(section);
      held = held.subarray(length);
    }
    if (held[0] === stuffing) held = nothing;
    return found;
  }

  return {
    /**
     * Returns the sections with a valid checksum that end in the packet at `at`. They stay valid after the call. A packet
     * that repeats the sections of the one before returns the same objects.
     */
    read(data: Uint8Array, at: number): readonly Uint8Array[] {
      const from = payloadStart(data, at);
      const end = at + packetSize;
      if (!hasPayload(data, at) || from >= end) return [];
      const isStart = startsPayload(data, at);
      const now = continuityOf(data, at);
      // A packet may be sent twice.
      if (now === counter && !isStart) return [];
      const follows = held.length > 0 && now === ((counter + 1) & 15);
      counter = now;
      if (!isStart) {
        held = follows ? Buffer.concat([held, data.subarray(from, end)]) : nothing;
        return takeWhole();
      }
      if (held.length === 0 && isAt(data, from, end, known)) return sections;
      const isFresh = held.length === 0;
      const begin = Math.min(from + 1 + (data[from] ?? 0), end);
      held = follows ? Buffer.concat([held, data.subarray(from + 1, begin)]) : nothing;
      const ended = takeWhole();
      held = data.slice(begin, end);
      const found = [...ended, ...takeWhole()];
      if (isFresh && held.length === 0) {
        known = data.slice(from, end);
        sections = found;
      }
      return found;
    },
  };
}

/** Whether these bytes are at `from` and end at `to`. */
function isAt(data: Uint8Array, from: number, to: number, bytes: Uint8Array): boolean {
  if (to - from !== bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) if (data[from + i] !== bytes[i]) return false;
  return true;
}

/** Returns the packets of a section; the first has this continuity counter. */
export function packetsOf(section: Uint8Array, pid: number, counter: number): Uint8Array<ArrayBuffer> {
  const count = Math.ceil((1 + section.length) / payloadBytes);
  const packets = new Uint8Array(count * packetSize).fill(stuffing);
  for (let i = 0; i < count; i++) {
    const at = i * packetSize;
    packets.set([syncByte, (i === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x10 | ((counter + i) & 15)], at);
    // The first packet begins with the pointer field.
    if (i === 0) packets[at + 4] = 0;
    const begin = i === 0 ? 0 : i * payloadBytes - 1;
    packets.set(section.subarray(begin, (i + 1) * payloadBytes - 1), at + (i === 0 ? 5 : 4));
  }
  return packets;
}

/** Appends the checksum that ends every such section. */
export function withChecksum(body: Uint8Array): Uint8Array {
  const section = Buffer.alloc(body.length + checksumBytes);
  section.set(body);
  section.writeUInt32BE(crc32(body), body.length);
  return section;
}

export function withoutChecksum(section: Uint8Array): Uint8Array {
  return section.subarray(0, -checksumBytes);
}

/** Whether the section belongs to this table and applies now, not in the future. */
export function isCurrent(section: Uint8Array, tableId: number): boolean {
  return section[0] === tableId && ((section[5] ?? 0) & 1) === 1;
}

/** A table may consist of several sections. */
export function sectionNumbers(section: Uint8Array): { readonly number: number; readonly last: number } {
  return { number: section[6] ?? 0, last: section[7] ?? 0 };
}

const crcOfByte = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

/** The MPEG-2 variant: not reflected, no final inversion (ISO/IEC 13818-1, annex A). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc << 8) ^ (crcOfByte[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  return crc >>> 0;
}
