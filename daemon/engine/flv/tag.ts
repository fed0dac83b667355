/**
 * Parses the beginning of an FLV tag body: codec, packet kind, keyframe, composition time.
 * Legacy tags follow the FLV 10.1 specification, section E.4; ex-headers follow Veovera's Enhanced RTMP v2.
 */

export type VideoCodec = 'h264' | 'hevc' | 'vvc' | 'av1' | 'vp9' | 'vp8' | 'vp6' | 'h263' | 'screen' | 'unknown';
export type AudioCodec =
  | 'aac'
  | 'mp3'
  | 'opus'
  | 'flac'
  | 'ac3'
  | 'eac3'
  | 'speex'
  | 'g711a'
  | 'g711u'
  | 'nellymoser'
  | 'pcm'
  | 'unknown';

/** `header`: decoder configuration. `frame`: coded media. `other`: end of sequence, metadata, command, channel layout. */
type PacketKind = 'header' | 'frame' | 'other';

export interface VideoTag {
  readonly codec: VideoCodec;
  readonly kind: PacketKind;
  /** A coded frame that a decoder can start with. */
  readonly isKeyframe: boolean;
  /** Presentation time minus decoding time, milliseconds. */
  readonly compositionMs: number;
  /** Track number of a multitrack packet (-1: several tracks), else undefined. */
  readonly track: number | undefined;
  /** Offset of the codec data. */
  readonly dataOffset: number;
}

export interface AudioTag {
  readonly codec: AudioCodec;
  readonly kind: PacketKind;
  readonly track: number | undefined;
  readonly dataOffset: number;
}

const legacyVideoCodecs: Readonly<Record<number, VideoCodec>> = {
  2: 'h263',
  3: 'screen',
  4: 'vp6',
  5: 'vp6',
  6: 'screen',
  7: 'h264',
  // 12 and 13 are not in the specification; encoders and CDNs in Asia have used them for years.
  12: 'hevc',
  13: 'av1',
};

const legacyAudioCodecs: Readonly<Record<number, AudioCodec>> = {
  0: 'pcm',
  1: 'pcm',
  2: 'mp3',
  3: 'pcm',
  4: 'nellymoser',
  5: 'nellymoser',
  6: 'nellymoser',
  7: 'g711a',
  8: 'g711u',
  10: 'aac',
  11: 'speex',
  14: 'mp3',
};

const fourCc = (text: string): number =>
  ((text.charCodeAt(0) << 24) | (text.charCodeAt(1) << 16) | (text.charCodeAt(2) << 8) | text.charCodeAt(3)) >>> 0;

const videoFourCcs = new Map<number, VideoCodec>([
  [fourCc('avc1'), 'h264'],
  [fourCc('hvc1'), 'hevc'],
  [fourCc('vvc1'), 'vvc'],
  [fourCc('av01'), 'av1'],
  [fourCc('vp09'), 'vp9'],
  [fourCc('vp08'), 'vp8'],
]);

const audioFourCcs = new Map<number, AudioCodec>([
  [fourCc('mp4a'), 'aac'],
  [fourCc('.mp3'), 'mp3'],
  [fourCc('Opus'), 'opus'],
  [fourCc('fLaC'), 'flac'],
  [fourCc('ac-3'), 'ac3'],
  [fourCc('ec-3'), 'eac3'],
]);

const frameType = { key: 1, generatedKey: 4, command: 5 } as const;
const exPacket = { start: 0, codedFrames: 1, codedFramesX: 3, tsStart: 5, multitrack: 6, modEx: 7 } as const;
const exVideoKinds: Readonly<Record<number, PacketKind>> = {
  [exPacket.start]: 'header',
  [exPacket.tsStart]: 'header',
  [exPacket.codedFrames]: 'frame',
  [exPacket.codedFramesX]: 'frame',
};
const exAudioPacket = { start: 0, codedFrames: 1, multitrack: 5, modEx: 7 } as const;
const manyTracksManyCodecs = 2;
const exAudioFormat = 9;

/** Common part of the ex-headers of video and audio. */
interface ExHeader {
  readonly packet: number;
  readonly fourCc: number;
  readonly track: number | undefined;
  readonly offset: number;
}

/** Returns undefined if the tag is too short. */
export function parseVideoTag(body: Uint8Array): VideoTag | undefined {
  const first = body[0];
  if (first === undefined) return undefined;
  return first & 0x80 ? parseExVideo(body, first) : parseLegacyVideo(body, first);
}

export function parseAudioTag(body: Uint8Array): AudioTag | undefined {
  const first = body[0];
  if (first === undefined) return undefined;
  const format = first >> 4;
  if (format === exAudioFormat) return parseExAudio(body, first);
  const codec = legacyAudioCodecs[format] ?? 'unknown';
  if (format !== 10) return { codec, kind: 'frame', track: undefined, dataOffset: 1 };
  const packet = body[1];
  if (packet === undefined) return undefined;
  return { codec, kind: packet === 0 ? 'header' : 'frame', track: undefined, dataOffset: 2 };
}

function parseLegacyVideo(body: Uint8Array, first: number): VideoTag | undefined {
  const frame = first >> 4;
  const codec = legacyVideoCodecs[first & 0x0f] ?? 'unknown';
  if (frame === frameType.command) return videoTag(codec, 'other', frame, { dataOffset: 1 });
  const hasAvcHeader = codec === 'h264' || codec === 'hevc' || codec === 'av1';
  if (!hasAvcHeader) return videoTag(codec, 'frame', frame, { dataOffset: 1 });
  if (body.length < 5) return undefined;
  const kind = body[1] === 0 ? 'header' : body[1] === 1 ? 'frame' : 'other';
  return videoTag(codec, kind, frame, { compositionMs: int24(body, 2), dataOffset: 5 });
}

function parseExVideo(body: Uint8Array, first: number): VideoTag | undefined {
  const frame = (first >> 4) & 7;
  const ex = parseExHeader(body, first & 0x0f, exPacket.modEx, exPacket.multitrack);
  if (!ex) return undefined;
  const codec = videoFourCcs.get(ex.fourCc) ?? 'unknown';
  const { packet, track, offset } = ex;
  const kind = frame === frameType.command ? 'other' : (exVideoKinds[packet] ?? 'other');
  const isTimed = kind === 'frame' && packet === exPacket.codedFrames && track !== -1;
  if (!isTimed || !(codec === 'h264' || codec === 'hevc' || codec === 'vvc')) {
    return videoTag(codec, kind, frame, { dataOffset: offset, track });
  }
  if (body.length < offset + 3) return undefined;
  return videoTag(codec, kind, frame, { compositionMs: int24(body, offset), dataOffset: offset + 3, track });
}

function parseExAudio(body: Uint8Array, first: number): AudioTag | undefined {
  const ex = parseExHeader(body, first & 0x0f, exAudioPacket.modEx, exAudioPacket.multitrack);
  if (!ex) return undefined;
  const kind =
    ex.packet === exAudioPacket.start ? 'header' : ex.packet === exAudioPacket.codedFrames ? 'frame' : 'other';
  return { codec: audioFourCcs.get(ex.fourCc) ?? 'unknown', kind, track: ex.track, dataOffset: ex.offset };
}

function parseExHeader(body: Uint8Array, firstPacket: number, modEx: number, multitrack: number): ExHeader | undefined {
  let packet = firstPacket;
  let offset = 1;
  // Each ModEx block contains its own size and ends with the next packet type.
  while (packet === modEx) {
    let size = (body[offset++] ?? 0) + 1;
    if (size === 256) {
      size = uint16(body, offset) + 1;
      offset += 2;
    }
    offset += size;
    const next = body[offset++];
    if (next === undefined) return undefined;
    packet = next & 0x0f;
  }
  let track: number | undefined;
  if (packet === multitrack) {
    const kind = body[offset++];
    if (kind === undefined) return undefined;
    packet = kind & 0x0f;
    track = kind >> 4 === 0 ? body[offset + 4] : -1;
    if (kind >> 4 === manyTracksManyCodecs) return { packet, fourCc: 0, track: -1, offset };
    if (track === undefined) return undefined;
  }
  if (body.length < offset + 4) return undefined;
  const code = uint32(body, offset);
  const isOneTrack = track !== undefined && track >= 0;
  return { packet, fourCc: code, track, offset: offset + (isOneTrack ? 5 : 4) };
}

function videoTag(
  codec: VideoCodec,
  kind: PacketKind,
  frame: number,
  { compositionMs = 0, track, dataOffset }: Partial<VideoTag> & Pick<VideoTag, 'dataOffset'>,
): VideoTag {
  const isKeyframe = kind === 'frame' && (frame === frameType.key || frame === frameType.generatedKey);
  return { codec, kind, isKeyframe, compositionMs, track, dataOffset };
}

function uint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function int24(bytes: Uint8Array, at: number): number {
  return ((uint16(bytes, at) << 16) >> 8) | (bytes[at + 2] ?? 0);
}

function uint32(bytes: Uint8Array, at: number): number {
  return ((uint16(bytes, at) << 16) | uint16(bytes, at + 2)) >>> 0;
}
