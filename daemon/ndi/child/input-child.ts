/** Turns the frames of a source into the stream that FFmpeg reads. */

import { isDeepStrictEqual } from 'node:util';
import { pipeWriter } from '../../../native/ndi/pipe.ts';
import { type AudioFrame, type FrameTaker, type VideoFrame, viewOf } from '../../../native/ndi/receiver.ts';
import type { Timing } from '../../timing.ts';
import type { RawAudio, RawVideo } from '../media/matroska.ts';
import { beginBlock, streamHead } from '../media/matroska-writer.ts';
import { MediaClock } from '../media/media-clock.ts';
import type { ChildMessage } from '../messages.ts';

const ticksPerSecond = 10_000_000;
/** Times in the stream are in 100 us. */
const ticksPerUnit = 1000;
/** A source that sends no audio for this long after its first video frame is treated as one without audio. */
const soundMs = 500;
/** At most this many audio channels are passed on; the others are dropped. */
const maxChannels = 8;

interface InputChildOptions {
  /** Descriptor. */
  readonly pipe: number;
  readonly timing: Pick<Timing['ndi'], 'unreadMs' | 'steadyMs' | 'stableMs'>;
  send(message: ChildMessage): void;
  /** Called at most once. */
  warn(text: string): void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Formats {
  readonly video: RawVideo;
  readonly audio: RawAudio | undefined;
}

export class InputChild implements FrameTaker {
  readonly #options: InputChildOptions;
  readonly #clock = new MediaClock();
  readonly #write: ReturnType<typeof pipeWriter>;
  #seen: { video?: RawVideo; audio?: RawAudio; pictureAt?: number } = {};
  /** The formats in the head of the stream, once it is written. */
  #formats: Formats | undefined;
  /** When the stream began, or the source last changed its format, and how long the new one must last before it counts. */
  #change = { at: 0, waitMs: 0 };
  #hasWarned = false;
  /** Whether reception has ended: the engine has been told why, or FFmpeg has ended. */
  isOver = false;

  constructor(options: InputChildOptions) {
    this.#options = options;
    this.#write = pipeWriter(options.pipe, options.timing.unreadMs);
  }

  video(frame: VideoFrame): void {
    const { fourCc, stride } = frame;
    // The encoder needs an even size. In UYVY, two pixels of a line share their color, so senders pad an odd line.
    const [width, height] = [even(frame.width), even(frame.height)];
    if (width === 0 || height === 0) return;
    const format: RawVideo = {
      ...{ width, height, fourCc: fourCc === 'BGRX' ? 'BGRA' : fourCc },
      ...{ rate: fairRate(frame.rate), aspect: fairAspect(frame.aspect) },
    };
    this.#see('video', format);
    this.#seen.pictureAt ??= this.#options.now();
    if (this.isOver || !this.#begin() || !this.#fits('video')) return;
    const lineBytes = width * (format.fourCc === 'UYVY' ? 2 : 4);
    const duration = Math.round((ticksPerSecond * format.rate.denominator) / format.rate.numerator);
    const data = stride === lineBytes ? frame.data : packed(frame, lineBytes, height);
    this.#pass('video', frame, duration, data, lineBytes * height);
  }

  audio(frame: AudioFrame): void {
    const channels = Math.min(frame.channels, maxChannels);
    this.#see('audio', { sampleRate: frame.sampleRate, channels });
    if (this.isOver || !this.#begin() || !this.#fits('audio')) return;
    const duration = Math.round((ticksPerSecond * frame.samples) / frame.sampleRate);
    this.#pass('audio', frame, duration, interleaved(frame, channels), frame.samples * channels * 4);
  }

  /** Begins the stream once its formats are known. Returns whether frames can follow. */
  #begin(): boolean {
    if (this.#formats) return true;
    const { video, audio, pictureAt } = this.#seen;
    if (!video || pictureAt === undefined) return false;
    if (!audio && this.#options.now() - pictureAt < soundMs) return false;
    this.#formats = { video, audio };
    const framesPerSecond = video.rate.numerator / video.rate.denominator;
    const { width, height } = video;
    this.#options.send({ type: 'receiving', width, height, framesPerSecond });
    const head = streamHead(video, audio);
    this.#change = { at: this.#options.now(), waitMs: 0 };
    return this.#put(head, head.length);
  }

  #see<Kind extends 'video' | 'audio'>(kind: Kind, format: Formats[Kind]): void {
    if (isDeepStrictEqual(this.#seen[kind], format)) return;
    this.#seen = { ...this.#seen, [kind]: format };
    const { now, timing } = this.#options;
    const isSteady = now() - this.#change.at >= timing.steadyMs;
    this.#change = { at: now(), waitMs: isSteady ? 0 : timing.stableMs };
  }

  /**
   * Whether the stream can carry a frame. If the source has changed its format, a new stream must begin, with another
   * encoder: at once if the format has rarely changed, otherwise as soon as it no longer changes.
   */
  #fits(kind: 'video' | 'audio'): boolean {
    const isSame = (each: 'video' | 'audio') => isDeepStrictEqual(this.#seen[each], this.#formats?.[each]);
    if (isSame('video') && isSame('audio')) return true;
    const { now, send, warn } = this.#options;
    if (now() - this.#change.at >= this.#change.waitMs) {
      this.isOver = true;
      send({ type: 'ended', cause: 'formatChanged' });
    } else if (!this.#hasWarned) {
      this.#hasWarned = true;
      warn('the source changes its format often; a new one is used once it is stable');
    }
    return !this.isOver && isSame(kind);
  }

  #pass(
    kind: 'video' | 'audio',
    { timecode, timestamp }: VideoFrame | AudioFrame,
    duration: number,
    data: VideoFrame['data'] | Uint8Array<ArrayBuffer>,
    bytes: number,
  ): void {
    const arrival = BigInt(Math.round(this.#options.now() * 10_000));
    const time = this.#clock.next(kind, { timecode, timestamp, arrival, duration });
    const head = beginBlock(kind, Math.round(time / ticksPerUnit), bytes);
    if (this.#put(head, head.length)) this.#put(data, bytes);
  }

  #put(data: VideoFrame['data'] | Uint8Array<ArrayBuffer>, bytes: number): boolean {
    const written = this.#write(data, bytes);
    if (written === 'stuck') this.#options.send({ type: 'ended', cause: 'notRead' });
    this.isOver = written !== 'all';
    return !this.isOver;
  }
}

const even = (side: number): number => side - (side % 2);

/** Returns 30 frames per second if the sender gives no rate, or an implausible one. */
function fairRate({ numerator, denominator }: VideoFrame['rate']): VideoFrame['rate'] {
  const rate = numerator / denominator;
  return rate >= 1 && rate <= 240 ? { numerator, denominator } : { numerator: 30, denominator: 1 };
}

/** Any number can come from a sender, and an infinite one has no form in the stream. */
const fairAspect = (aspect: number): number => (aspect >= 0.1 && aspect <= 10 ? aspect : 0);

function packed({ data, stride }: VideoFrame, lineBytes: number, height: number): Uint8Array<ArrayBuffer> {
  const from = viewOf(data, stride * height);
  const lines = new Uint8Array(new ArrayBuffer(lineBytes * height));
  for (let y = 0; y < height; y++) lines.set(from.subarray(y * stride, y * stride + lineBytes), y * lineBytes);
  return lines;
}

function interleaved({ data, stride, samples, channels: all }: AudioFrame, channels: number): Uint8Array<ArrayBuffer> {
  const planes = new DataView(viewOf(data, stride * all).buffer);
  const mixed = new Float32Array(new ArrayBuffer(samples * channels * 4));
  for (let channel = 0; channel < channels; channel++) {
    for (let at = 0; at < samples; at++) {
      mixed[at * channels + channel] = planes.getFloat32(channel * stride + at * 4, true);
    }
  }
  return new Uint8Array(mixed.buffer);
}
