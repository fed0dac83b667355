/** Media information of a channel, read from sequence headers, with gaps filled from the publisher's metadata. */

import type { MediaStatus } from '../../media/protocol/reported.ts';
import { parseAacConfig, parseOpusConfig, parseSoundFlags, type SoundFormat } from '../codec/audio-config.ts';
import { type PictureFormat, parseAvcConfig, parseH264Sps, parseHevcConfig, parseHevcSps } from '../codec/sps.ts';
import { type AmfObject, decodeAmf, isAmfObject } from './amf0.ts';
import type { AudioCodec, AudioTag, VideoCodec, VideoTag } from './tag.ts';

/** Even an SPS with all optional parts is smaller than a kilobyte. */
const maxSetBytes = 4096;

export interface VideoInfo {
  readonly codec: VideoCodec;
  /** Pixels; 0 if neither the decoder configuration nor the metadata contains it. */
  readonly width: number;
  readonly height: number;
  readonly fps?: number;
  readonly interlaced?: true;
  readonly profile?: string;
  readonly level?: string;
}

export interface AudioInfo {
  readonly codec: AudioCodec;
  /** Hertz; 0 if unknown. */
  readonly rate: number;
  readonly channels: number;
}

export interface MediaInfo {
  readonly video?: VideoInfo;
  readonly audio?: AudioInfo;
}

/** Returns the status for the hub; undefined while nothing is known. */
export function mediaStatus({ video, audio }: MediaInfo): MediaStatus | undefined {
  if (!video && !audio) return undefined;
  return {
    container: 'flv',
    ...(video && {
      video: {
        codec: video.codec,
        ...(video.width > 0 && { width: video.width, height: video.height }),
        ...(video.fps && { fps: video.fps }),
        ...(video.interlaced && { interlaced: true }),
      },
    }),
    ...(audio && {
      audio: {
        codec: audio.codec,
        ...(audio.rate > 0 && { sampleRate: audio.rate }),
        ...(audio.channels > 0 && { channels: audio.channels }),
      },
    }),
  };
}

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
export function videoInfo(tag: VideoTag, body: Uint8Array, metadata: AmfObject | undefined): VideoInfo {
  const picture = tag.kind === 'header' ? parsePicture(tag.codec, body.subarray(tag.dataOffset)) : undefined;
  return videoOf(tag.codec, picture, metadata);
}

/** `picture`: undefined if the codec does not provide it. */
export function videoOf(
  codec: VideoCodec,
  picture: PictureFormat | undefined,
  metadata: AmfObject | undefined,
): VideoInfo {
  const fps = picture?.fps ?? positive(metadata?.framerate) ?? positive(metadata?.fps);
  return {
    codec,
    width: picture?.width ?? positive(metadata?.width) ?? 0,
    height: picture?.height ?? positive(metadata?.height) ?? 0,
    ...(fps === undefined ? {} : { fps }),
    ...(picture?.interlaced && { interlaced: true }),
    ...(picture ? { profile: picture.profile, level: picture.level } : {}),
  };
}

export function audioInfo(tag: AudioTag, body: Uint8Array, metadata: AmfObject | undefined): AudioInfo {
  const sound = tag.kind === 'header' ? parseSound(tag.codec, body.subarray(tag.dataOffset)) : undefined;
  if (sound) return { codec: tag.codec, ...sound };
  const first = body[0] ?? 0;
  // In an ex-header the low bits are a packet type, not sound flags.
  const flags = first >> 4 === 9 ? { rate: 0, channels: 0 } : parseSoundFlags(first);
  const stereo = typeof metadata?.stereo === 'boolean' ? (metadata.stereo ? 2 : 1) : undefined;
  return {
    codec: tag.codec,
    rate: positive(metadata?.audiosamplerate) ?? flags.rate,
    channels: positive(metadata?.audiochannels) ?? stereo ?? flags.channels,
  };
}

function parsePicture(codec: VideoCodec, config: Uint8Array): PictureFormat | undefined {
  if (codec === 'h264') return parseAvcConfig(config);
  return codec === 'hevc' ? parseHevcConfig(config) : undefined;
}

/** Reads a sequence parameter set. */
export function parsePictureSet(codec: VideoCodec, sps: Uint8Array): PictureFormat | undefined {
  if (sps.length > maxSetBytes) return undefined;
  if (codec === 'h264') return parseH264Sps(sps);
  return codec === 'hevc' ? parseHevcSps(sps) : undefined;
}

function parseSound(codec: AudioCodec, config: Uint8Array): SoundFormat | undefined {
  if (codec === 'aac') return parseAacConfig(config);
  return codec === 'opus' ? parseOpusConfig(config) : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value * 1000) / 1000 : undefined;
}
