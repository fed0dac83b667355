/** RTP payloads of pictures, H.264 (RFC 6184, packetization mode 1) and HEVC (RFC 7798), and of AAC (RFC 3640). */
import type { NalCodec } from '../codec/nal-units.ts';

/** Receives one payload in parts, in order. `isLast`: it is the last payload of the picture. */
export type EmitPayload = (parts: readonly Uint8Array[], isLast: boolean) => void;

interface Wrapping {
  /** Size of the NAL unit header. */
  readonly headerBytes: number;
  /** From this type on, types have another meaning in RTP than in the stream. */
  readonly firstOwnType: number;
  typeOf(unit: Uint8Array): number;
  /** Returns the header of a payload with several units. */
  aggregate(units: readonly Uint8Array[]): Uint8Array;
  /** Returns the header of a fragment of one unit. */
  fragment(unit: Uint8Array, isFirst: boolean, isLast: boolean): Uint8Array;
}

const singleTimeAggregate = 24;
const fragmentUnit = 28;
const hevcAggregate = 48;
const hevcFragment = 49;
const lengthBytes = 2;
/** The frame size field has 13 bits. */
const maxAacBytes = 8191;
const aacHeaderBytes = 4;
const aacHeadersLengthBits = 16;
const startBit = 0x80;
const endBit = 0x40;

const edges = (isFirst: boolean, isLast: boolean): number => (isFirst ? startBit : 0) | (isLast ? endBit : 0);

const avc: Wrapping = {
  headerBytes: 1,
  firstOwnType: singleTimeAggregate,
  typeOf: (unit) => (unit[0] ?? 0) & 0x1f,
  aggregate(units) {
    const importance = Math.max(...units.map((unit) => (unit[0] ?? 0) & 0x60));
    return Uint8Array.of(importance | singleTimeAggregate);
  },
  fragment(unit, isFirst, isLast) {
    const header = unit[0] ?? 0;
    return Uint8Array.of((header & 0xe0) | fragmentUnit, edges(isFirst, isLast) | (header & 0x1f));
  },
};

const hevc: Wrapping = {
  headerBytes: 2,
  firstOwnType: hevcAggregate,
  typeOf: (unit) => ((unit[0] ?? 0) >> 1) & 0x3f,
  aggregate(units) {
    const layer = Math.min(...units.map(([first = 0, second = 0]) => ((first & 1) << 5) | (second >> 3)));
    const sublayer = Math.min(...units.map(([, second = 0]) => second & 7));
    return Uint8Array.of((hevcAggregate << 1) | (layer >> 5), ((layer & 31) << 3) | sublayer);
  },
  fragment(unit, isFirst, isLast) {
    const [first = 0, second = 0] = unit;
    return Uint8Array.of((first & 0x81) | (hevcFragment << 1), second, edges(isFirst, isLast) | ((first >> 1) & 0x3f));
  },
};

/** Small units share a payload, large ones are fragmented. Units that RTP cannot represent are omitted. */
export function packPicture(codec: NalCodec, units: readonly Uint8Array[], maxBytes: number, emit: EmitPayload): void {
  const wrapping = codec === 'h264' ? avc : hevc;
  const { headerBytes, firstOwnType, typeOf } = wrapping;
  const sendable = units.filter((unit) => unit.length > headerBytes && typeOf(unit) < firstOwnType);
  let together: Uint8Array[] = [];
  let bytes = headerBytes;
  const flush = (isLast: boolean) => {
    if (together.length > 1) emit(aggregated(wrapping, together), isLast);
    else if (together.length === 1) emit(together, isLast);
    together = [];
    bytes = headerBytes;
  };
  for (const [at, unit] of sendable.entries()) {
    if (bytes + lengthBytes + unit.length > maxBytes) flush(false);
    if (unit.length > maxBytes) {
      cut(wrapping, unit, maxBytes, (parts, isEnd) => emit(parts, isEnd && at === sendable.length - 1));
    } else {
      together.push(unit);
      bytes += lengthBytes + unit.length;
    }
  }
  flush(true);
}

function aggregated(wrapping: Wrapping, units: readonly Uint8Array[]): Uint8Array[] {
  const parts = [wrapping.aggregate(units)];
  for (const unit of units) parts.push(Uint8Array.of(unit.length >> 8, unit.length & 0xff), unit);
  return parts;
}

function cut(wrapping: Wrapping, unit: Uint8Array, maxBytes: number, emit: EmitPayload): void {
  const { headerBytes } = wrapping;
  const room = maxBytes - headerBytes - 1;
  for (let at = headerBytes; at < unit.length; at += room) {
    const isEnd = at + room >= unit.length;
    emit([wrapping.fragment(unit, at === headerBytes, isEnd), unit.subarray(at, at + room)], isEnd);
  }
}

/** Mode AAC-hbr, one frame or one fragment per payload. Ignores a frame that is too long for the format. */
export function packSound(frame: Uint8Array, maxBytes: number, emit: EmitPayload): void {
  if (frame.length === 0 || frame.length > maxAacBytes) return;
  // Every fragment contains the size of the whole frame; the index after it is 0.
  const header = Uint8Array.of(0, aacHeadersLengthBits, frame.length >> 5, (frame.length & 31) << 3);
  const room = maxBytes - aacHeaderBytes;
  for (let at = 0; at < frame.length; at += room) {
    emit([header, frame.subarray(at, at + room)], at + room >= frame.length);
  }
}
