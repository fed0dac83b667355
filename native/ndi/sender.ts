/** Offers a source on the network. The library copies or compresses each frame before a call returns. */
import { layouts, noTime } from './layout.ts';
import type { NdiLibrary } from './library.ts';
import { type Address, copyText, Struct } from './memory.ts';

type SendCalls = NonNullable<NdiLibrary['send']>;

const uyvy = 0x59565955;
const floatPlanes = 0x70544c46;
const progressive = 1;
/** Bytes of two pixels, which share their color. */
const pairBytes = 4;

export interface SentVideo {
  readonly width: number;
  readonly height: number;
  /** Frames per second, as a fraction. */
  readonly rate: { readonly numerator: number; readonly denominator: number };
  /** UYVY without gaps between lines, each of which has whole pairs of pixels; a whole ArrayBuffer. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** In 100 ns; by default the runtime uses the time at which it gets the frame. */
  readonly timecode?: bigint;
}

export interface SentAudio {
  readonly sampleRate: number;
  readonly channels: number;
  /** Per channel. */
  readonly samples: number;
  /** Floating-point samples from -1 to 1, one channel after the other; a whole ArrayBuffer. */
  readonly data: Uint8Array<ArrayBuffer>;
  readonly timecode?: bigint;
}

export class Sender {
  /** On the network: `MACHINE (name)`. */
  readonly fullName: string;
  readonly #calls: SendCalls;
  readonly #options: Struct<typeof layouts.sendCreate>;
  readonly #video = new Struct(layouts.videoFrame).number('fourCc', uyvy).number('format', progressive);
  readonly #audio = new Struct(layouts.audioFrame).number('fourCc', floatPlanes);
  #handle: Address | null;

  private constructor(calls: SendCalls, options: Struct<typeof layouts.sendCreate>, handle: Address) {
    this.#calls = calls;
    this.#options = options;
    this.#handle = handle;
    const source = calls.NDIlib_send_get_source_name(handle);
    this.fullName = source === null ? '' : copyText(source, layouts.source.fields.name.at);
  }

  /**
   * Returns undefined if the runtime refused, usually because another sender on this machine has the name. The caller
   * determines when frames are sent; the library does not wait.
   */
  static create(calls: SendCalls, name: string, groups: string): Sender | undefined {
    const options = new Struct(layouts.sendCreate).text('name', name).text('groups', groups || null);
    const handle = calls.NDIlib_send_create(options.memory);
    return handle === null ? undefined : new Sender(calls, options, handle);
  }

  video({ width, height, rate, data, timecode = noTime }: SentVideo): void {
    if (this.#handle === null) return;
    const stride = Math.ceil(width / 2) * pairBytes;
    if (data.length < stride * height) throw new RangeError('the video frame is too short for its size');
    this.#video
      .number('width', width)
      .number('height', height)
      .number('rateNumerator', rate.numerator)
      .number('rateDenominator', rate.denominator)
      .number('stride', stride)
      .long('timecode', timecode)
      .bytes('data', data);
    this.#calls.NDIlib_send_send_video_v2(this.#handle, this.#video.memory);
  }

  audio({ sampleRate, channels, samples, data, timecode = noTime }: SentAudio): void {
    if (this.#handle === null) return;
    if (data.length < channels * samples * 4) throw new RangeError('the audio frame is too short for its samples');
    this.#audio
      .number('sampleRate', sampleRate)
      .number('channels', channels)
      .number('samples', samples)
      .number('stride', samples * 4)
      .long('timecode', timecode)
      .bytes('data', data);
    this.#calls.NDIlib_send_send_audio_v3(this.#handle, this.#audio.memory);
  }

  /** How many receivers are connected. */
  receivers(): number {
    return this.#handle === null ? 0 : Math.max(0, this.#calls.NDIlib_send_get_no_connections(this.#handle, 0));
  }

  close(): void {
    if (this.#handle !== null) this.#calls.NDIlib_send_destroy(this.#handle);
    this.#handle = null;
    this.#options.text('name', null);
  }
}
