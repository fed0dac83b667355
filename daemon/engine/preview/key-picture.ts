/** The newest keyframe of a channel, in the format of FFmpeg's raw demuxers. */

import { parseConfig } from '../codec/decoder-config.ts';
import {
  isNalCodec,
  type NalCodec,
  type NalRole,
  nalRole,
  splitAnnexB,
  splitLengthPrefixed,
} from '../codec/nal-units.ts';
import { maxSetBytes } from '../codec/sps.ts';
import type { FlvBus, FlvUnit } from '../flv/flv-bus.ts';
import { messageType } from '../flv/flv-bus.ts';
import { parseVideoTag } from '../flv/tag.ts';
import { packetSize, pidOf } from '../mpegts/packet.ts';
import { streamsInPackets } from '../mpegts/tables.ts';
import type { TsBus } from '../mpegts/ts-bus.ts';
import { PesAssembler, type PesPacket, pesLimits } from '../remux/pes-assembler.ts';
import { plainSps } from './plain-sps.ts';

export interface KeyPicture {
  readonly codec: NalCodec;
  /** Annex B, with its parameter sets, and a delimiter at the end: a parser waits for the end of the picture. */
  readonly bytes: Uint8Array;
  /** Identifies the parameter sets: a decoder can continue while they stay the same. */
  readonly format: string;
}
/** The buses of a channel, and which of them its publisher fills. */
export interface PictureSource {
  readonly shape: 'flv' | 'ts' | undefined;
  readonly flv: FlvBus;
  readonly ts: TsBus;
}

/** No keyframe of a stream that can be relayed is larger. */
const maxBytes = 4 << 20;
/** Distinct parameter sets: more than encoders send, and few enough to rewrite without delaying other streams. */
const maxSets = 64;
const maxSequenceSets = 16;
const startCode = Uint8Array.of(0, 0, 0, 1);
const delimiters = { h264: Uint8Array.of(0, 0, 0, 1, 0x09, 0xf0), hevc: Uint8Array.of(0, 0, 0, 1, 0x46, 0x01, 0x50) };

/** Returns a name for the newest random access point, different for each picture; undefined while there is none. */
export function entryOf({ shape, flv, ts }: PictureSource): string | undefined {
  if (!shape) return undefined;
  const { ring } = shape === 'flv' ? flv : ts;
  ring.look();
  const { newestEntry, epoch } = ring;
  return newestEntry < 0 ? undefined : `${shape} ${epoch.count} ${newestEntry}`;
}

/** Returns `wait` while the keyframe is incomplete, and `none` if it cannot be shown. */
export function keyPictureOf({ shape, flv, ts }: PictureSource): KeyPicture | 'wait' | 'none' {
  if (!shape) return 'wait';
  return shape === 'flv' ? fromFlv(flv) : fromTs(ts);
}

function fromFlv(bus: FlvBus): KeyPicture | 'wait' | 'none' {
  const unit = bus.ring.at(bus.ring.newestEntry);
  if (!unit) return 'wait';
  const header = (unit.headers ?? bus.headers).video?.payload;
  const head = header && parseVideoTag(header);
  const frame = keyFrameOf(unit);
  if (!head || !frame || !isNalCodec(head.codec)) return 'none';
  const config = parseConfig(head.codec, header.subarray(head.dataOffset));
  const units = config && splitLengthPrefixed(frame, config.lengthSize);
  return units ? assemble(head.codec, [...config.sets, ...units]) : 'none';
}

function keyFrameOf({ messages }: FlvUnit): Uint8Array | undefined {
  for (const { type, payload } of messages) {
    const tag = type === messageType.video ? parseVideoTag(payload) : undefined;
    if (tag?.kind === 'frame' && tag.isKeyframe && (tag.track ?? 0) === 0) return payload.subarray(tag.dataOffset);
  }
  return undefined;
}

function fromTs({ ring, tables }: TsBus): KeyPicture | 'wait' | 'none' {
  const video = streamsInPackets(tables).find(isVideo);
  if (!video || !isNalCodec(video.codec)) return 'none';
  const { codec, pid } = video;
  let found: KeyPicture | 'wait' | 'none' = 'wait';
  let isOver = false;
  const events = {
    packet({ data }: PesPacket) {
      if (!isOver) found = assemble(codec, splitAnnexB(data) ?? []);
      isOver = true;
    },
    broken() {
      found = 'none';
      isOver = true;
    },
  };
  const pes = new PesAssembler(events, pesLimits.videoBytes);
  for (let seq = ring.newestEntry; seq >= 0 && seq < ring.next && !isOver; seq++) {
    const data = ring.at(seq)?.data;
    for (let at = 0; data && at < data.length && !isOver; at += packetSize) {
      if (pidOf(data, at) === pid) pes.push(data, at);
    }
  }
  return found;
}

/** Decoders need the sets in this order. */
const order = { vps: '0', sps: '1', pps: '2' } as const;
const isSet = (role: NalRole): role is keyof typeof order => Object.hasOwn(order, role);
const isVideo = ({ kind }: { kind: string }) => kind === 'video';

function assemble(codec: NalCodec, units: readonly Uint8Array[]): KeyPicture | 'none' {
  const sets = new Map<string, Uint8Array>();
  const slices: Uint8Array[] = [];
  for (const unit of units) {
    const role = nalRole(codec, unit[0] ?? 0);
    if (role === 'sei' || role === 'slice' || role === 'keySlice') slices.push(unit);
    else if (isSet(role) && unit.length <= maxSetBytes && sets.size < maxSets) sets.set(order[role] + hex(unit), unit);
  }
  const names = [...sets.keys()].toSorted();
  for (const name of names.filter((one) => one.startsWith(order.sps)).slice(0, maxSequenceSets)) {
    sets.set(name, plainSps(codec, sets.get(name) ?? startCode));
  }
  const size = slices.reduce((sum, { length }) => sum + length, 0);
  if (slices.length === 0 || size > maxBytes || !names.some((name) => name.startsWith(order.sps))) return 'none';
  const all = [...names.map((name) => sets.get(name) ?? startCode), ...slices];
  const bytes = Buffer.concat([...all.flatMap((unit) => [startCode, unit]), delimiters[codec]]);
  return { codec, bytes, format: `${codec} ${names.join(' ')}` };
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
