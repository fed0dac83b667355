/** Chooses the depacketizer for the media of a session description. */
import type { StreamCodec } from '../remux/ts-tables.ts';
import type { Depacketizer, OnUnit } from './depacketizer.ts';
import {
  aacFormat,
  ac3Format,
  eac3Format,
  FrameDepacketizer,
  type FrameFormat,
  latmFormat,
  mpeg4Format,
  mpegAudioFormat,
  mpegVideoFormat,
  opusFormat,
  type Parameters,
} from './frame-depacketizers.ts';
import { NalDepacketizer } from './nal-depacketizer.ts';
import type { SdpMedia } from './sdp.ts';

type Open = (parameters: Parameters, onUnit: OnUnit) => Depacketizer | undefined;

const frames =
  (codec: StreamCodec, formatOf: (parameters: Parameters) => FrameFormat | undefined): Open =>
  (parameters, onUnit) => {
    const format = formatOf(parameters);
    return format && new FrameDepacketizer(format, codec, onUnit);
  };

/** By encoding name in `a=rtpmap`, upper case. */
const openers: Readonly<Record<SdpMedia['kind'], Readonly<Record<string, Open>>>> = {
  video: {
    H264: (parameters, onUnit) => new NalDepacketizer('h264', setsOf(parameters, ['sprop-parameter-sets']), onUnit),
    H265: (parameters, onUnit) =>
      new NalDepacketizer('hevc', setsOf(parameters, ['sprop-vps', 'sprop-sps', 'sprop-pps']), onUnit),
    MPV: frames('mpeg2video', () => mpegVideoFormat),
    'MP4V-ES': frames('mpeg4', mpeg4Format),
  },
  audio: {
    'MPEG4-GENERIC': frames('aac', aacFormat),
    'MP4A-LATM': frames('aac', latmFormat),
    MPA: frames('mpeg1audio', mpegAudioFormat),
    AC3: frames('ac3', () => ac3Format),
    EAC3: frames('eac3', () => eac3Format),
    OPUS: frames('opus', () => opusFormat),
  },
};

/** Returns undefined for media that a transport stream can't carry, and for MP2T, which needs no depacketizer. */
export function openDepacketizer({ kind, encoding, parameters }: SdpMedia, onUnit: OnUnit): Depacketizer | undefined {
  return openers[kind][encoding]?.(parameters, onUnit);
}

/** Decodes comma-separated parameter sets in base64 (RFC 6184, 8.1; RFC 7798, 7.1). */
function setsOf(parameters: Parameters, names: readonly string[]): Uint8Array[] {
  const texts = names.flatMap((name) => parameters.get(name)?.split(',') ?? []);
  return texts.filter(Boolean).map((text) => new Uint8Array(Buffer.from(text, 'base64')));
}
