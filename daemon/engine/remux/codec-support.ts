/** Whether the other container can carry a publisher's streams. */

import { readAacConfig } from '../codec/aac.ts';
import { isNalCodec } from '../codec/nal-units.ts';
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { parseAudioTag, parseVideoTag } from '../flv/tag.ts';
import type { ElementaryStream } from '../mpegts/tables.ts';
import type { TsStreams } from './ts-to-flv.ts';

export type CodecSupport = 'possible' | 'impossible';
/** `leavesOutSound`: only video is remuxed. */
export type OnSupport = (support: CodecSupport, leavesOutSound: boolean) => void;

/** Fills one bus from the other until it is closed. */
export interface RemuxRun {
  close(): void;
}

/** Returns a function that reports changes of the support, and starts and ends the conversion accordingly. */
export function followSupport(onSupport: OnSupport, conversion: { begin(): void; end(): void }): OnSupport {
  let support: CodecSupport | undefined;
  let isSilent = false;
  return (next, leavesOutSound) => {
    const isSame = next === support;
    if (isSame && leavesOutSound === isSilent) return;
    support = next;
    isSilent = leavesOutSound;
    if (!isSame) conversion.end();
    onSupport(next, leavesOutSound);
    if (!isSame && next === 'possible') conversion.begin();
  };
}

interface TsCodecSupport {
  readonly support: CodecSupport;
  readonly own: TsStreams;
  /** There is audio, but none that FLV can carry. */
  readonly leavesOutSound: boolean;
}

/** Selects what FLV can carry: the first video stream, and the first AAC or else the first MPEG audio stream. */
export function tsCodecSupport(streams: readonly ElementaryStream[]): TsCodecSupport {
  const video = streams.find(({ kind }) => kind === 'video');
  const sounds = streams.filter(({ kind }) => kind === 'audio');
  const codec = video && isNalCodec(video.codec) ? video.codec : undefined;
  const aac = sounds.find((one) => one.codec === 'aac');
  // Only its frames show whether MPEG audio is layer 3.
  const mpeg = sounds.find((one) => one.codec === 'mp2');
  const audio = aac ?? mpeg;
  if ((video && !codec) || (!video && !audio)) {
    return { support: 'impossible', own: {}, leavesOutSound: false };
  }
  const own: TsStreams = {
    ...(video && codec && { video: { pid: video.pid, codec } }),
    ...(audio && { audio: { pid: audio.pid, codec: aac ? 'aac' : 'mpeg' } }),
  };
  return { support: 'possible', own, leavesOutSound: !audio && sounds.length > 0 };
}

/** Tracks whether a transport stream can carry the codecs of an FLV stream. */
export class FlvCodecSupport {
  private video: { readonly support: CodecSupport; readonly codec: string } = { support: 'possible', codec: '' };
  private audio: CodecSupport = 'possible';

  get current(): CodecSupport {
    if (this.video.support === 'impossible') return 'impossible';
    return this.leavesOutSound ? 'possible' : this.audio;
  }

  /** There is video, and audio that a transport stream can't carry. */
  get leavesOutSound(): boolean {
    return this.video.codec !== '' && this.audio === 'impossible';
  }

  see({ type, payload }: FlvMessage): void {
    if (type === messageType.video) this.seeVideo(payload);
    else if (type === messageType.audio) this.seeAudio(payload);
  }

  private seeVideo(payload: Uint8Array): void {
    const tag = parseVideoTag(payload);
    if (!tag || tag.kind === 'other' || (tag.track ?? 0) !== 0 || tag.codec === this.video.codec) return;
    const { codec } = tag;
    this.video = { codec, support: isNalCodec(codec) ? 'possible' : 'impossible' };
  }

  private seeAudio(payload: Uint8Array): void {
    const tag = parseAudioTag(payload);
    if (!tag || tag.kind === 'other' || (tag.track ?? 0) !== 0) return;
    if (tag.codec !== 'aac') this.audio = tag.codec === 'mp3' ? 'possible' : 'impossible';
    // FFmpeg sends an empty header first when it doesn't know the configuration yet.
    else if (tag.kind === 'header' && payload.length > tag.dataOffset) {
      this.audio = readAacConfig(payload.subarray(tag.dataOffset)) ? 'possible' : 'impossible';
    }
  }
}
