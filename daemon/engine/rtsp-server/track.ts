/** Tracks of a stream: read from its FLV headers, written into a session description (RFC 4566). */
import { parametricStereo, samplesPerFrame, spectralBandReplication } from '../codec/aac.ts';
import { parseAacConfig } from '../codec/audio-config.ts';
import { parseConfig } from '../codec/decoder-config.ts';
import { isNalCodec, type NalCodec, nalRole } from '../codec/nal-units.ts';
import type { FlvMessage } from '../flv/flv-bus.ts';
import { parseAudioTag, parseVideoTag } from '../flv/tag.ts';

export interface VideoTrack {
  readonly codec: NalCodec;
  /** Size in bytes of the length field before each NAL unit. */
  readonly lengthSize: number;
  /** Parameter sets. */
  readonly sets: readonly Uint8Array[];
}
export interface AudioTrack {
  readonly rate: number;
  readonly channels: number;
  /** AudioSpecificConfig. */
  readonly config: Uint8Array;
  /** Samples per frame, on the clock of `rate`. */
  readonly samplesPerFrame: number;
}
export interface Tracks {
  readonly video?: VideoTrack;
  readonly audio?: AudioTrack;
}
export type TrackName = keyof Tracks;

/** Track numbers in addresses, and payload types. */
export const trackNumbers = { video: 0, audio: 1 } as const;
export const trackNames = ['video', 'audio'] as const;
export const payloadTypes = { video: 96, audio: 97 } as const;
export const videoClock = 90_000;

/** Reads a sequence header. Returns undefined for an unsupported codec or an unreadable header. */
export function videoTrackOf({ payload }: FlvMessage): VideoTrack | undefined {
  const tag = parseVideoTag(payload);
  if (tag?.kind !== 'header' || !isNalCodec(tag.codec)) return undefined;
  const config = parseConfig(tag.codec, payload.subarray(tag.dataOffset));
  return config && { codec: tag.codec, ...config };
}

export function audioTrackOf({ payload }: FlvMessage): AudioTrack | undefined {
  const tag = parseAudioTag(payload);
  if (tag?.kind !== 'header' || tag.codec !== 'aac') return undefined;
  const config = payload.subarray(tag.dataOffset);
  const sound = parseAacConfig(config);
  if (!sound) return undefined;
  const objectType = (config[0] ?? 0) >> 3;
  const isDoubled = objectType === spectralBandReplication || objectType === parametricStereo;
  // If the channels are described within the configuration, decoders look there.
  const channels = sound.channels || 2;
  return { rate: sound.rate, channels, config, samplesPerFrame: isDoubled ? 2 * samplesPerFrame : samplesPerFrame };
}

/** Sessions of a track can continue while this stays the same; parameter sets are also sent among the frames. */
export function signatureOf(tracks: Tracks, name: TrackName): string | undefined {
  if (name === 'video') return tracks.video?.codec;
  return tracks.audio && `aac ${Buffer.from(tracks.audio.config).toString('hex')}`;
}

/** `address`: our address as the player reached it. */
export function describeTracks({ video, audio }: Tracks, address: string, id: number): string {
  const isV6 = address.includes(':');
  const lines = [
    ...['v=0', `o=- ${id} 1 IN ${isV6 ? 'IP6' : 'IP4'} ${address}`, 's=Signalbox'],
    ...[`c=IN ${isV6 ? 'IP6 ::' : 'IP4 0.0.0.0'}`, 't=0 0', 'a=control:*'],
    ...(video ? videoLines(video) : []),
    ...(audio ? audioLines(audio) : []),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function videoLines({ codec, sets }: VideoTrack): string[] {
  const type = payloadTypes.video;
  return [
    `m=video 0 RTP/AVP ${type}`,
    `a=rtpmap:${type} ${codec === 'h264' ? 'H264' : 'H265'}/${videoClock}`,
    `a=fmtp:${type} ${codec === 'h264' ? avcParameters(sets) : hevcParameters(sets)}`,
    `a=control:trackID=${trackNumbers.video}`,
  ];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function avcParameters(sets: readonly Uint8Array[]): string {
  const sps = sets.find((set) => nalRole('h264', set[0] ?? 0) === 'sps');
  const profile = sps ? `;profile-level-id=${Buffer.from(sps.subarray(1, 4)).toString('hex')}` : '';
  return `packetization-mode=1${profile};sprop-parameter-sets=${sets.map(base64).join(',')}`;
}

function hevcParameters(sets: readonly Uint8Array[]): string {
  return (['vps', 'sps', 'pps'] as const)
    .map((role) => [role, sets.filter((set) => nalRole('hevc', set[0] ?? 0) === role)] as const)
    .filter(([, found]) => found.length > 0)
    .map(([role, found]) => `sprop-${role}=${found.map(base64).join(',')}`)
    .join(';');
}

function audioLines({ rate, channels, config }: AudioTrack): string[] {
  const type = payloadTypes.audio;
  const layout = 'sizelength=13;indexlength=3;indexdeltalength=3';
  const hex = Buffer.from(config).toString('hex');
  return [
    `m=audio 0 RTP/AVP ${type}`,
    `a=rtpmap:${type} MPEG4-GENERIC/${rate}/${channels}`,
    `a=fmtp:${type} streamtype=5;profile-level-id=1;mode=AAC-hbr;${layout};config=${hex}`,
    `a=control:trackID=${trackNumbers.audio}`,
  ];
}
