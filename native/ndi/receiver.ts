/** Receives one source. Its frames are memory of the library, which is valid only while `FrameTaker` is called. */
import { toArrayBuffer } from 'bun:ffi';
import { layouts } from './layout.ts';
import type { NdiLibrary } from './library.ts';
import { type Address, Struct } from './memory.ts';

type ReceiveCalls = NonNullable<NdiLibrary['receive']>;

/** `low`: a picture of reduced size and rate, with the same sound. */
export type Bandwidth = 'low' | 'full';
const bandwidths: Readonly<Record<Bandwidth, number>> = { low: 0, full: 100 };
/** `yuv`: UYVY, and BGRA for pictures with transparency. `bgr`: BGRX and BGRA. */
type Color = 'yuv' | 'bgr';
const colors: Readonly<Record<Color, number>> = { bgr: 0, yuv: 1 };

interface Frame {
  /** In the memory of the library. */
  readonly data: Address;
  /** From one line of a picture to the next, or from one channel to the next, in bytes. */
  readonly stride: number;
  /** The timecode that the sender gave the frame, in 100 ns; or `noTime` of layout.ts. */
  readonly timecode: bigint;
  /** When the sender submitted the frame, in 100 ns since 1970; or `noTime` of layout.ts. */
  readonly timestamp: bigint;
}

export interface VideoFrame extends Frame {
  readonly width: number;
  readonly height: number;
  /** `UYVY`, `BGRA` or `BGRX`. */
  readonly fourCc: string;
  /** Frames per second, as a fraction. */
  readonly rate: { readonly numerator: number; readonly denominator: number };
  /** Of the picture, not of its pixels; 0 for square pixels. */
  readonly aspect: number;
}

/** Floating-point samples from -1 to 1, one channel after the other. */
export interface AudioFrame extends Frame {
  readonly sampleRate: number;
  readonly channels: number;
  /** Per channel. */
  readonly samples: number;
}

/** The frames are valid until these functions return. */
export interface FrameTaker {
  video(frame: VideoFrame): void;
  audio?(frame: AudioFrame): void;
}

/** `changed`: the routed output that is received has another source now. `lost`: the connection broke. */
export type Captured = 'none' | 'video' | 'audio' | 'metadata' | 'lost' | 'changed';
const types: Readonly<Record<number, Captured>> = { 1: 'video', 2: 'audio', 3: 'metadata', 4: 'lost', 101: 'changed' };

/** Values beyond these are a fault of the library or of the sender. */
const limits = { side: 16_384, channels: 64, samples: 192_000, sampleRate: { min: 1000, max: 384_000 } };

export interface ReceiverOptions {
  /** `MACHINE (source)`; it may be offline, and is received as soon as it appears. */
  readonly source: string;
  readonly bandwidth: Bandwidth;
  /** By default `yuv`. */
  readonly color?: Color;
  /** Shown to the sender. */
  readonly name: string;
}

export class Receiver {
  readonly #calls: ReceiveCalls;
  readonly #video = new Struct(layouts.videoFrame);
  readonly #audio = new Struct(layouts.audioFrame);
  readonly #metadata = new Struct(layouts.metadataFrame);
  /** Kept as long as the receiver exists, in case the library does not copy the options. */
  readonly #options: Struct<typeof layouts.receiveCreate>;
  #handle: Address | null;

  /** Throws if the runtime refused. */
  constructor(calls: ReceiveCalls, { source, bandwidth, color = 'yuv', name }: ReceiverOptions) {
    this.#calls = calls;
    this.#options = new Struct(layouts.receiveCreate)
      .text('sourceName', source)
      .number('colorFormat', colors[color])
      .number('bandwidth', bandwidths[bandwidth])
      .text('name', name);
    this.#handle = calls.NDIlib_recv_create_v3(this.#options.memory);
    if (this.#handle === null) throw new Error('the NDI runtime did not create a receiver');
  }

  /** Waits up to `waitMs` for the next frame, blocks this thread meanwhile, and hands the frame over. */
  capture(waitMs: number, taker: FrameTaker): Captured {
    const handle = this.#handle;
    if (handle === null) return 'none';
    const [video, audio, metadata] = [this.#video, this.#audio, this.#metadata];
    // Without a place for audio, the library drops it.
    const audioMemory = taker.audio ? audio.memory : null;
    const type = this.#calls.NDIlib_recv_capture_v3(handle, video.memory, audioMemory, metadata.memory, waitMs);
    const captured = types[type] ?? 'none';
    try {
      if (captured === 'video') {
        const frame = videoOf(video);
        if (frame) taker.video(frame);
      } else if (captured === 'audio') {
        const frame = audioOf(audio);
        if (frame) taker.audio?.(frame);
      }
    } finally {
      if (captured === 'video') this.#calls.NDIlib_recv_free_video_v2(handle, video.memory);
      else if (captured === 'audio') this.#calls.NDIlib_recv_free_audio_v3(handle, audio.memory);
      else if (captured === 'metadata') this.#calls.NDIlib_recv_free_metadata(handle, metadata.memory);
    }
    return captured;
  }

  close(): void {
    if (this.#handle !== null) this.#calls.NDIlib_recv_destroy(this.#handle);
    this.#handle = null;
    this.#options.text('sourceName', null);
  }
}

/** Bytes of the library's memory without a copy. Must not be used after the frame. */
export function viewOf(data: Address, bytes: number): Uint8Array {
  return new Uint8Array(toArrayBuffer(data as Parameters<typeof toArrayBuffer>[0], 0, bytes));
}

const textOf = (fourCc: number): string =>
  String.fromCharCode(...[0, 8, 16, 24].map((shift) => (fourCc >>> shift) & 0xff));

/** Undefined for a frame without a picture. */
function videoOf(struct: Struct<typeof layouts.videoFrame>): VideoFrame | undefined {
  const data = struct.readPointer('data');
  const [width, height, stride] = [
    struct.readNumber('width'),
    struct.readNumber('height'),
    struct.readNumber('stride'),
  ];
  if (data === null || width < 1 || height < 1 || width > limits.side || height > limits.side) return undefined;
  const fourCc = textOf(struct.readNumber('fourCc'));
  const bytesPerPixel = fourCc === 'UYVY' ? 2 : 4;
  if (!['UYVY', 'BGRA', 'BGRX'].includes(fourCc) || stride < width * bytesPerPixel) return undefined;
  return {
    ...{ data, stride, width, height, fourCc, aspect: struct.readFloat('aspect') },
    rate: { numerator: struct.readNumber('rateNumerator'), denominator: struct.readNumber('rateDenominator') },
    ...{ timecode: struct.readLong('timecode'), timestamp: struct.readLong('timestamp') },
  };
}

function audioOf(struct: Struct<typeof layouts.audioFrame>): AudioFrame | undefined {
  const data = struct.readPointer('data');
  const [channels, samples, stride, sampleRate] = [
    struct.readNumber('channels'),
    struct.readNumber('samples'),
    struct.readNumber('stride'),
    struct.readNumber('sampleRate'),
  ];
  const isSize = channels >= 1 && channels <= limits.channels && samples >= 1 && samples <= limits.samples;
  const isRate = sampleRate >= limits.sampleRate.min && sampleRate <= limits.sampleRate.max;
  if (data === null || !isSize || !isRate || stride < samples * 4) return undefined;
  return {
    ...{ data, stride, channels, samples, sampleRate },
    ...{ timecode: struct.readLong('timecode'), timestamp: struct.readLong('timestamp') },
  };
}
