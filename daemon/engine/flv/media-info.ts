/** Media facts of an FLV stream, read from sequence headers, with gaps filled from the publisher's metadata. */

import type { MediaStatus } from '../../media/protocol/reported.ts';
import { parseAacConfig, parseOpusConfig, parseSoundFlags, type SoundFormat } from '../codec/audio-config.ts';
import { firstSps, lengthSizeOf } from '../codec/decoder-config.ts';
import { isNalCodec, nalRole } from '../codec/nal-units.ts';
import { type PictureFormat, readSps } from '../codec/sps.ts';
import { type AmfObject, decodeAmf, isAmfObject } from './amf0.ts';
import type { AudioCodec, AudioTag, VideoCodec, VideoTag } from './tag.ts';

/** In a keyframe, delimiter, other parameter sets and SEI units may precede the SPS; slices follow it. */
const maxUnitsBefore = 8;

/** Returns the object of an onMetaData message (without @setDataFrame); undefined if there is none that is readable. */
export function parseMetadata(payload: Uint8Array): AmfObject | undefined {
  try {
    const [name, values] = decodeAmf(payload);
    return name === 'onMetaData' && isAmfObject(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** `body` is the whole tag body that `tag` was parsed from. */
export function videoInfo(tag: VideoTag, body: Uint8Array, metadata: AmfObject | undefined) {
  const { codec, kind, dataOffset } = tag;
  const sps = kind === 'header' && isNalCodec(codec) ? firstSps(codec, body.subarray(dataOffset)) : undefined;
  return videoOf(codec, sps && readSps(codec, sps), metadata);
}

/** `picture`: undefined if the codec does not provide it. */
export function videoOf(codec: VideoCodec, picture: PictureFormat | undefined, metadata: AmfObject | undefined) {
  const fps = picture?.fps ?? positive(metadata?.framerate) ?? positive(metadata?.fps);
  const width = picture?.width ?? positive(metadata?.width);
  const height = picture?.height ?? positive(metadata?.height) ?? 0;
  const video: MediaStatus['video'] = {
    codec,
    ...(width !== undefined && { width, height }),
    ...(fps !== undefined && { fps }),
    ...(picture?.interlaced && { interlaced: true }),
  };
  return video;
}

/** Returns the SPS within a keyframe. `config`: the decoder configuration record of the sequence header. */
export function inBandSps(tag: VideoTag, body: Uint8Array, config: Uint8Array): Uint8Array | undefined {
  const { codec } = tag;
  if (!isNalCodec(codec)) return undefined;
  const lengthSize = lengthSizeOf(codec, config);
  let at = tag.dataOffset;
  for (let unit = 0; unit <= maxUnitsBefore; unit++) {
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + (body[at + i] ?? 0);
    at += lengthSize;
    if (at + length > body.length) return undefined;
    if (length > 0 && nalRole(codec, body[at] ?? 0) === 'sps') return body.subarray(at, at + length);
    at += length;
  }
  return undefined;
}

export function audioInfo(tag: AudioTag, body: Uint8Array, metadata: AmfObject | undefined) {
  const { rate, channels } = soundOf(tag, body, metadata);
  const audio: MediaStatus['audio'] = {
    codec: tag.codec,
    ...(rate > 0 && { sampleRate: rate }),
    ...(channels > 0 && { channels }),
  };
  return audio;
}

function soundOf(tag: AudioTag, body: Uint8Array, metadata: AmfObject | undefined): SoundFormat {
  const sound = tag.kind === 'header' ? parseSound(tag.codec, body.subarray(tag.dataOffset)) : undefined;
  if (sound) return sound;
  const first = body[0] ?? 0;
  // In an ex-header the low bits are a packet type, not sound flags.
  const flags = first >> 4 === 9 ? { rate: 0, channels: 0 } : parseSoundFlags(first);
  const stereo = typeof metadata?.stereo === 'boolean' ? (metadata.stereo ? 2 : 1) : undefined;
  return {
    rate: positive(metadata?.audiosamplerate) ?? flags.rate,
    channels: positive(metadata?.audiochannels) ?? stereo ?? flags.channels,
  };
}

function parseSound(codec: AudioCodec, config: Uint8Array): SoundFormat | undefined {
  if (codec === 'aac') return parseAacConfig(config);
  return codec === 'opus' ? parseOpusConfig(config) : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value * 1000) / 1000 : undefined;
}
