/** Who can bring a publisher's streams into the other container: our re-wrapper, FFmpeg, or nobody. */
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { parseAudioTag, parseVideoTag } from '../flv/tag.ts';
import type { ElementaryStream } from '../mpegts/tables.ts';
import { readAacConfig } from './aac.ts';
import type { NalCodec } from './nal-units.ts';
import type { TsStreams } from './ts-to-flv.ts';

export type Verdict = 'own' | 'ffmpeg' | 'impossible';

export interface TsVerdict {
  readonly verdict: Verdict;
  readonly own: TsStreams;
  /** There is sound, and none that FLV takes. */
  readonly leavesOutSound: boolean;
}

/** Of a transport stream into FLV: its first video stream and the first audio stream that FLV takes. */
export function verdictOnTs(streams: readonly ElementaryStream[]): TsVerdict {
  const video = streams.find(({ kind }) => kind === 'video');
  const sounds = streams.filter(({ kind }) => kind === 'audio');
  const codec = video && nalCodec(video.codec);
  const audio = sounds.find((one) => one.codec === 'aac');
  // Layer 3 has a place in FLV; only a look at the frames tells. FFmpeg has no HEVC for FLV.
  const mpeg = audio || codec === 'hevc' ? undefined : sounds.find((one) => one.codec === 'mp2');
  if ((video && !codec) || (!video && !audio && !mpeg)) {
    return { verdict: 'impossible', own: {}, leavesOutSound: false };
  }
  const own = {
    ...(video && codec && { video: { pid: video.pid, codec } }),
    ...(audio && { audio: { pid: audio.pid } }),
    ...(mpeg && { mpegAudio: { pid: mpeg.pid } }),
  };
  return { verdict: 'own', own, leavesOutSound: !audio && sounds.length > 0 };
}

function nalCodec(codec: string): NalCodec | undefined {
  return codec === 'h264' || codec === 'hevc' ? codec : undefined;
}

/** Follows what an FLV stream shows of its codecs. */
export class FlvVerdict {
  private video: { readonly verdict: Verdict; readonly codec: string } = { verdict: 'own', codec: '' };
  private audio: Verdict = 'own';

  get current(): Verdict {
    if (this.video.verdict === 'impossible') return 'impossible';
    if (this.leavesOutSound) return 'own';
    return this.audio;
  }

  /** There is a picture, and sound that the transport stream of our own or FFmpeg's has no place for. */
  get leavesOutSound(): boolean {
    const { codec } = this.video;
    return codec !== '' && (this.audio === 'impossible' || (this.audio === 'ffmpeg' && codec === 'hevc'));
  }

  see({ type, payload }: FlvMessage): void {
    if (type === messageType.video) this.seeVideo(payload);
    else if (type === messageType.audio) this.seeAudio(payload);
  }

  private seeVideo(payload: Uint8Array): void {
    const tag = parseVideoTag(payload);
    if (!tag || tag.kind === 'other' || (tag.track ?? 0) !== 0 || tag.codec === this.video.codec) return;
    const { codec } = tag;
    this.video = { codec, verdict: nalCodec(codec) ? 'own' : 'impossible' };
  }

  private seeAudio(payload: Uint8Array): void {
    const tag = parseAudioTag(payload);
    if (!tag || tag.kind === 'other' || (tag.track ?? 0) !== 0) return;
    if (tag.codec !== 'aac') this.audio = tag.codec === 'mp3' ? 'ffmpeg' : 'impossible';
    // FFmpeg sends an empty header first when it doesn't know the configuration yet.
    else if (tag.kind === 'header' && payload.length > tag.dataOffset) {
      this.audio = aacVerdict(payload.subarray(tag.dataOffset));
    }
  }
}

function aacVerdict(config: Uint8Array): Verdict {
  const format = readAacConfig(config);
  if (!format) return 'impossible';
  // Channels that are described in the configuration itself have to move into the frames.
  return format.channels === 0 ? 'ffmpeg' : 'own';
}
