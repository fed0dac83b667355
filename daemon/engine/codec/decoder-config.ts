/** Builds and parses decoder configuration records of H.264 and HEVC (avcC and hvcC, ISO/IEC 14496-15). */
import { BitReader, unescapeNal } from './bit-reader.ts';
import { type NalCodec, nalRole } from './nal-units.ts';
import { readHevcUpToDepths } from './sps.ts';

/** Parameter sets as NAL units, the newest of each ID. H.264 has no `vps`. */
export interface ParameterSetList {
  readonly vps: readonly Uint8Array[];
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
}

export interface DecoderConfig {
  /** Bytes of the length before each NAL unit, 1 to 4. */
  readonly lengthSize: number;
  /** Parameter sets, in the order that decoders expect. */
  readonly sets: readonly Uint8Array[];
}

/** Baseline, Main and Extended imply 4:2:0 with 8 bits; their record does not contain the format. */
const profilesWithoutFormat = new Set([66, 77, 88]);
/** H.264 allows 32 sequence and 256 picture parameter sets, HEVC fewer. */
const maxSets = 320;
const hevcArrayTypes = { vps: 32, sps: 33, pps: 34 } as const;
/** Far larger than a record with all its parameter sets. An RTMP message may be up to 16 MB. */
const maxConfigBytes = 256 << 10;

/** Returns undefined if a set is missing or can't be read. */
export function buildConfig(codec: NalCodec, sets: ParameterSetList): Uint8Array | undefined {
  return codec === 'h264' ? buildAvc(sets) : buildHevc(sets);
}

export function parseConfig(codec: NalCodec, record: Uint8Array): DecoderConfig | undefined {
  const sets: Uint8Array[] = [];
  if (record[0] !== 1 || !readRecord(codec, record, sets) || sets.length === 0) return undefined;
  return { lengthSize: lengthSizeOf(codec, record), sets };
}

/** Returns the size in bytes of the length before each NAL unit, even if the rest of the record is damaged. */
export function lengthSizeOf(codec: NalCodec, record: Uint8Array): number {
  return ((record[codec === 'h264' ? 4 : 21] ?? 3) & 3) + 1;
}

/** Returns the first sequence parameter set of a record; what follows it may be damaged. */
export function firstSps(codec: NalCodec, record: Uint8Array): Uint8Array | undefined {
  const sets: Uint8Array[] = [];
  readRecord(codec, record, sets);
  return sets.find((set) => nalRole(codec, set[0] ?? 0) === 'sps');
}

function buildAvc({ sps, pps }: ParameterSetList): Uint8Array | undefined {
  const first = sps[0];
  if (!first || first.length < 4 || pps.length === 0 || sps.length > 31 || pps.length > 255) return undefined;
  const [, profile = 0, compatibility = 0, level = 0] = first;
  const parts: Uint8Array[] = [Uint8Array.of(1, profile, compatibility, level, 0xff, 0xe0 | sps.length)];
  for (const set of sps) parts.push(lengthOf(set), set);
  parts.push(Uint8Array.of(pps.length));
  for (const set of pps) parts.push(lengthOf(set), set);
  if (!profilesWithoutFormat.has(profile)) {
    const { chroma, lumaDepth, chromaDepth } = avcFormat(first);
    parts.push(Uint8Array.of(0xfc | chroma, 0xf8 | lumaDepth, 0xf8 | chromaDepth, 0));
  }
  return Buffer.concat(parts);
}

function avcFormat(sps: Uint8Array) {
  const bits = new BitReader(unescapeNal(sps.subarray(4)));
  bits.ue();
  const chroma = bits.ue() & 3;
  if (chroma === 3) bits.skip(1);
  return { chroma, lumaDepth: bits.ue() & 7, chromaDepth: bits.ue() & 7 };
}

function buildHevc({ vps, sps, pps }: ParameterSetList): Uint8Array | undefined {
  const first = sps[0];
  if (!first || first.length < 16 || vps.length === 0 || pps.length === 0) return undefined;
  const plain = unescapeNal(first);
  const bits = new BitReader(plain.subarray(2));
  const chroma = readHevcUpToDepths(bits).chroma & 3;
  const [lumaDepth, chromaDepth] = [bits.ue() & 7, bits.ue() & 7];
  const layers = (((plain[2] ?? 0) >> 1) & 7) + 1;
  const isNested = (plain[2] ?? 0) & 1;
  const parts: Uint8Array[] = [
    Uint8Array.of(1),
    // Profile space, tier, profile, compatibility, constraints and level are in the same order in both.
    plain.subarray(3, 15),
    Uint8Array.of(0xf0, 0, 0xfc, 0xfc | chroma, 0xf8 | lumaDepth, 0xf8 | chromaDepth, 0, 0),
    Uint8Array.of((layers << 3) | (isNested << 2) | 3, 3),
  ];
  for (const [kind, list] of [['vps', vps] as const, ['sps', sps] as const, ['pps', pps] as const]) {
    parts.push(Uint8Array.of(0x80 | hevcArrayTypes[kind], list.length >> 8, list.length & 0xff));
    for (const set of list) parts.push(lengthOf(set), set);
  }
  return Buffer.concat(parts);
}

/** Adds the sets of a record. Returns false if they go past its end. */
function readRecord(codec: NalCodec, record: Uint8Array, into: Uint8Array[]): boolean {
  if (record.length > maxConfigBytes) return false;
  if (codec === 'h264') {
    const afterSps = readSets(record, 6, (record[5] ?? 0) & 0x1f, into);
    const count = afterSps < 0 ? undefined : record[afterSps];
    return count !== undefined && readSets(record, afterSps + 1, count, into) >= 0;
  }
  if (record.length < 23) return false;
  let at = 23;
  for (let array = 0; array < (record[22] ?? 0); array++) {
    const count = ((record[at + 1] ?? 0) << 8) | (record[at + 2] ?? 0);
    at = readSets(record, at + 3, count, into);
    if (at < 0) return false;
  }
  return true;
}

/** Reads `count` sets with 16-bit lengths. Returns the offset after them, or -1 if they go past the end. */
function readSets(record: Uint8Array, from: number, count: number, into: Uint8Array[]): number {
  let at = from;
  for (let i = 0; i < count; i++) {
    const end = at + 2 + (((record[at] ?? 0) << 8) | (record[at + 1] ?? 0));
    if (end > record.length || into.length > maxSets) return -1;
    if (end > at + 2) into.push(record.subarray(at + 2, end));
    at = end;
  }
  return at;
}

function lengthOf(set: Uint8Array): Uint8Array {
  return Uint8Array.of(set.length >> 8, set.length & 0xff);
}
