/** Reads from the PAT and PMT of a transport stream what a relay needs: which PID carries which kind of stream. */
import { packetSize, patPid, pidOf } from './packet.ts';
import { createSectionReader, isCurrent, withoutChecksum } from './psi.ts';

export const pmtId = 2;
const languageTag = 0x0a;

export interface ElementaryStream {
  readonly pid: number;
  readonly kind: 'video' | 'audio' | 'other';
  /** FFmpeg's name of the codec, such as `h264` or `aac_latm`; if unknown, the stream type as `0x..`. */
  readonly codec: string;
  /** Three-letter ISO 639 code, if the PMT contains one. */
  readonly language?: string;
}

/** Stream types of ISO/IEC 13818-1, table 2-34, and the user-private types that ATSC uses for AC-3 and E-AC-3. */
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

export interface Program {
  readonly number: number;
  /** PID of its PMT. */
  readonly pid: number;
}

/** Returns the programs of a PAT section, except number 0 (the network PID). `body` excludes the checksum. */
export function programsOf(body: Uint8Array): Program[] {
  const programs: Program[] = [];
  for (let i = 8; i + 4 <= body.length; i += 4) {
    const number = ((body[i] ?? 0) << 8) | (body[i + 1] ?? 0);
    const pid = (((body[i + 2] ?? 0) & 0x1f) << 8) | (body[i + 3] ?? 0);
    if (number !== 0) programs.push({ number, pid });
  }
  return programs;
}

export interface StreamEntry {
  readonly stream: ElementaryStream;
  /** Byte offsets of the entry in the section: its start, and the end, exclusive. */
  readonly from: number;
  readonly to: number;
}

/** Returns the elementary streams of a PMT section. `body` is the section without its checksum. */
export function streamsOf(body: Uint8Array): StreamEntry[] {
  const entries: StreamEntry[] = [];
  let from = streamsBegin(body);
  while (from + 5 <= body.length) {
    const type = body[from] ?? 0;
    const pid = (((body[from + 1] ?? 0) & 0x1f) << 8) | (body[from + 2] ?? 0);
    const to = from + 5 + ((((body[from + 3] ?? 0) & 0x0f) << 8) | (body[from + 4] ?? 0));
    const descriptors = body.subarray(from + 5, to);
    entries.push({ stream: { pid, ...nameOf(type, descriptors), ...languageIn(descriptors) }, from, to });
    from = to;
  }
  return entries;
}

/** Returns the byte offset of the first stream in a PMT section, after the program descriptors. */
export function streamsBegin(body: Uint8Array): number {
  return 12 + ((((body[10] ?? 0) & 0x0f) << 8) | (body[11] ?? 0));
}

/** Returns the streams listed in the packets of a PAT and the PMT that follows; none if the PMT is incomplete. */
export function streamsInPackets(tables: Uint8Array): ElementaryStream[] {
  const reader = createSectionReader();
  for (let at = 0; at + packetSize <= tables.length; at += packetSize) {
    if (pidOf(tables, at) === patPid) continue;
    const pmt = reader.read(tables, at).find((section) => isCurrent(section, pmtId));
    if (pmt) return streamsOf(withoutChecksum(pmt)).map(({ stream }) => stream);
  }
  return [];
}

/** Returns the first language of an ISO 639 language descriptor (2.6.18). */
function languageIn(descriptors: Uint8Array): { language: string } | undefined {
  for (let i = 0; i + 5 <= descriptors.length; i += 2 + (descriptors[i + 1] ?? 0)) {
    if (descriptors[i] !== languageTag || (descriptors[i + 1] ?? 0) < 3) continue;
    const language = String.fromCharCode(...descriptors.subarray(i + 2, i + 5)).toLowerCase();
    return /^[a-z]{3}$/.test(language) ? { language } : undefined;
  }
  return undefined;
}

/** Descriptors identify private streams (type 6): a registration descriptor, or DVB's for AC-3 and E-AC-3. */
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
