/** PAT and PMT of a transport stream, as far as a relay needs them: which PIDs carry what. */
import { packetSize, payloadStart } from './packet.ts';

export interface ElementaryStream {
  readonly pid: number;
  readonly kind: 'video' | 'audio' | 'other';
  /** `h264`, `hevc`, `mpeg2video`, `aac`, `aac_latm`, `mp2`, `ac3`, `eac3`, `opus`, `av1`, or `0x..` for one we don't name. */
  readonly codec: string;
}

/** Stream types of ISO/IEC 13818-1 table 2-34 and of the registrations in common use. */
const streamTypes: Readonly<Record<number, readonly ['video' | 'audio', string]>> = {
  1: ['video', 'mpeg1video'],
  2: ['video', 'mpeg2video'],
  3: ['audio', 'mp2'],
  4: ['audio', 'mp2'],
  15: ['audio', 'aac'],
  16: ['video', 'mpeg4'],
  17: ['audio', 'aac_latm'],
  27: ['video', 'h264'],
  36: ['video', 'hevc'],
  51: ['video', 'vvc'],
  129: ['audio', 'ac3'],
  135: ['audio', 'eac3'],
};

/** One section that fits into one packet, or undefined. Longer tables (over 180 bytes) are not needed to relay. */
function section(data: Uint8Array, at: number, tableId: number): Uint8Array | undefined {
  const start = payloadStart(data, at);
  const begin = start + 1 + (data[start] ?? 0);
  const end = at + packetSize;
  if (begin + 8 > end || data[begin] !== tableId) return undefined;
  const length = (((data[begin + 1] ?? 0) & 0x0f) << 8) | (data[begin + 2] ?? 0);
  const last = begin + 3 + length - 4; // without the checksum
  if (last > end || last < begin + 8) return undefined;
  return data.subarray(begin, last);
}

/** PID of the first programme's PMT. */
export function parsePat(data: Uint8Array, at: number): number | undefined {
  const body = section(data, at, 0);
  if (!body) return undefined;
  for (let i = 8; i + 4 <= body.length; i += 4) {
    const programme = ((body[i] ?? 0) << 8) | (body[i + 1] ?? 0);
    if (programme !== 0) return (((body[i + 2] ?? 0) & 0x1f) << 8) | (body[i + 3] ?? 0);
  }
  return undefined;
}

export function parsePmt(data: Uint8Array, at: number): ElementaryStream[] | undefined {
  const body = section(data, at, 2);
  if (!body || body.length < 12) return undefined;
  const streams: ElementaryStream[] = [];
  let i = 12 + ((((body[10] ?? 0) & 0x0f) << 8) | (body[11] ?? 0));
  while (i + 5 <= body.length && streams.length < 32) {
    const type = body[i] ?? 0;
    const pid = (((body[i + 1] ?? 0) & 0x1f) << 8) | (body[i + 2] ?? 0);
    const infoLength = (((body[i + 3] ?? 0) & 0x0f) << 8) | (body[i + 4] ?? 0);
    streams.push({ pid, ...nameOf(type, body.subarray(i + 5, i + 5 + infoLength)) });
    i += 5 + infoLength;
  }
  return streams;
}

/** Private streams (type 6) are named by their descriptors: a registration, or DVB's AC-3 and E-AC-3 tags. */
function nameOf(type: number, descriptors: Uint8Array): Omit<ElementaryStream, 'pid'> {
  const known = streamTypes[type];
  if (known) return { kind: known[0], codec: known[1] };
  for (let i = 0; i + 2 <= descriptors.length; i += 2 + (descriptors[i + 1] ?? 0)) {
    const tag = descriptors[i] ?? 0;
    if (tag === 0x6a) return { kind: 'audio', codec: 'ac3' };
    if (tag === 0x7a) return { kind: 'audio', codec: 'eac3' };
    if (tag !== 0x05) continue;
    const name = String.fromCharCode(...descriptors.subarray(i + 2, i + 6));
    if (name === 'Opus') return { kind: 'audio', codec: 'opus' };
    if (name === 'AC-3') return { kind: 'audio', codec: 'ac3' };
    if (name === 'AV01') return { kind: 'video', codec: 'av1' };
    if (name === 'HEVC') return { kind: 'video', codec: 'hevc' };
  }
  return { kind: 'other', codec: `0x${type.toString(16)}` };
}
