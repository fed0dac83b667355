/** Inspects the beginning of a video access unit: whether it is a keyframe, and where its sequence parameter set is. */
import { isNalCodec, type NalRole, nalRole } from '../codec/nal-units.ts';
import { packetSize, payloadStart, pidOf } from './packet.ts';

/** Returns the offset of the elementary stream after the PES header, or -1 if no PES packet begins here. */
export function elementaryStart(data: Uint8Array, at: number): number {
  const start = payloadStart(data, at);
  const end = at + packetSize;
  if (start + 9 > end || data[start] !== 0 || data[start + 1] !== 0 || data[start + 2] !== 1) return -1;
  const from = start + 9 + (data[start + 8] ?? 0);
  return from < end ? from : -1;
}

/** Calls `visit` for each NAL unit that begins between `from` and `to`, until it returns false. */
function eachNal(data: Uint8Array, from: number, to: number, visit: (start: number) => boolean): void {
  for (let at = nextNal(data, from, to); at >= 0; at = nextNal(data, at + 1, to)) if (!visit(at)) return;
}

/** Returns where the next NAL unit begins, after its start code, which ends before `to - 1`; -1 if there is none. */
function nextNal(data: Uint8Array, from: number, to: number): number {
  for (let i = from; i + 3 < to; i++) {
    // No start code contains a byte above 1, so none begins at this byte or the two before it.
    if ((data[i + 2] ?? 0) > 1) i += 2;
    else if (data[i] === 0 && data[i + 1] === 0 && data[i + 2] === 1) return i + 3;
  }
  return -1;
}

/** Whether a decoder can start at a start code: gets the byte after it and two more. */
type OpensDecoding = (code: number, next: number, second: number) => boolean;

const sequenceCode = 0xb3;

/** A sequence or group header, or an I picture: its type follows the ten-bit temporal reference. */
const opensMpeg2: OpensDecoding = (code, _, type) =>
  code === sequenceCode || code === 0xb8 || (code === 0 && ((type >> 3) & 7) === 1);

/** MPEG-2: an extension of the header before it. */
const extensionCode = 0xb5;

const opensNal: ReadonlySet<NalRole> = new Set(['vps', 'sps', 'keySlice']);

const opens: Readonly<Record<string, OpensDecoding>> = {
  h264: (code) => opensNal.has(nalRole('h264', code)),
  hevc: (code) => opensNal.has(nalRole('hevc', code)),
  mpeg1video: opensMpeg2,
  mpeg2video: opensMpeg2,
  /** Visual object sequence, video object layer, I-VOP. */
  mpeg4: (code, type) => code === 0xb0 || (code >= 0x20 && code <= 0x2f) || (code === 0xb6 && type >> 6 === 0),
  /** Sequence header OBU. */
  av1: (code) => (code & 0xf8) === 0x08,
};

/**
 * Whether the first packet of an access unit starts a keyframe, for streams whose muxer does not set the random access
 * indicator. One packet is enough, because parameter sets precede the slices.
 */
export function startsWithKeyframe(data: Uint8Array, at: number, codec: string): boolean {
  const isOpening = opens[codec];
  const from = isOpening ? elementaryStart(data, at) : -1;
  if (!isOpening || from < 0) return false;
  const end = at + packetSize;
  for (let code = nextNal(data, from, end); code >= 0; code = nextNal(data, code + 1, end)) {
    // Bytes beyond this packet count as all ones.
    const next = code + 1 < end ? (data[code + 1] ?? 0xff) : 0xff;
    const second = code + 2 < end ? (data[code + 2] ?? 0xff) : 0xff;
    if (isOpening(data[code] ?? 0xff, next, second)) return true;
  }
  return false;
}

/**
 * Finds the sequence parameter set, or for MPEG-1 and MPEG-2 the sequence header with its extension, in a run of
 * elementary stream bytes. `bytes` in the result begin after the start code prefix. `isWhole`: the next start code ends
 * them, rather than the end of the available bytes.
 */
export function findFormat(bytes: Uint8Array, codec: string) {
  const isHeader = codec === 'mpeg1video' || codec === 'mpeg2video';
  if (!isHeader && !isNalCodec(codec)) return undefined;
  const isFormat = (code: number) => (isHeader ? code === sequenceCode : nalRole(codec, code) === 'sps');
  let start = -1;
  let end = -1;
  eachNal(bytes, 0, bytes.length, (code) => {
    const isExtension = isHeader && bytes[code] === extensionCode;
    if (start >= 0 && !isExtension) {
      end = code - 3;
      return false;
    }
    if (start < 0 && isFormat(bytes[code] ?? 0)) start = code;
    return true;
  });
  if (start < 0) return undefined;
  const isWhole = end >= 0;
  while (end > start && bytes[end - 1] === 0) end--;
  return { bytes: bytes.subarray(start, isWhole ? end : bytes.length), isWhole };
}

/** Returns the elementary stream bytes of one PID in a run of packets, up to about `limit` bytes. */
export function gather(data: Uint8Array, from: number, pid: number, limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let at = from; at + packetSize <= data.length && total < limit; at += packetSize) {
    if (pidOf(data, at) !== pid) continue;
    const begin = parts.length === 0 ? elementaryStart(data, at) : payloadStart(data, at);
    if (begin < 0) return new Uint8Array(0);
    parts.push(data.subarray(begin, at + packetSize));
    total += at + packetSize - begin;
  }
  return Buffer.concat(parts);
}
