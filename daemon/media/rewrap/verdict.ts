/** Who can bring a publisher's streams into the other container: our re-wrapper, FFmpeg, or nobody. */
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { parseAudioTag, parseVideoTag } from '../flv/tag.ts';
import type { ElementaryStream } from '../mpegts/tables.ts';
import { readAacConfig } from './aac.ts';
import type { NalCodec } from './nal-units.ts';
import type { TsStreams } from './ts-to-flv.ts';

export type Verdict = 'own' | 'ffmpeg' | 'impossible';

/** Of a transport stream into FLV, by its first video and its first audio stream. */
export function verdictOnTs(streams: readonly ElementaryStream[]): { verdict: Verdict; own: TsStreams } {
  const video = streams.find(({ kind }) => kind === 'video');
  const audio = streams.find(({ kind }) => kind === 'audio');
  const codec = video && nalCodec(video.codec);
  if ((!video && !audio) || (video && !codec)) return { verdict: 'impossible', own: {} };
  if (audio && audio.codec !== 'aac') {
    // MPEG audio may be layer 3, which FLV takes; only a look at its frames tells. FFmpeg has no HEVC for FLV.
    return { verdict: audio.codec === 'mp2' && codec !== 'hevc' ? 'ffmpeg' : 'impossible', own: {} };
  }
  const own = {
    ...(video && codec && { video: { pid: video.pid, codec } }),
    ...(audio && { audio: { pid: audio.pid } }),
  };
  return { verdict: 'own', own };
}

function nalCodec(codec: string): NalCodec | undefined {
  return codec === 'h264' || codec === 'hevc' ? codec : undefined;
}

/** Follows what an FLV stream shows of its codecs. */
export class FlvVerdict {
  private video: { readonly verdict: Verdict; readonly codec: string } = { verdict: 'own', codec: '' };
  private audio: Verdict = 'own';

  get current(): Verdict {
    const both = [this.video.verdict, this.audio];
    if (both.includes('impossible')) return 'impossible';
    if (!both.includes('ffmpeg')) return 'own';
    return this.video.codec === 'hevc' ? 'impossible' : 'ffmpeg';
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
