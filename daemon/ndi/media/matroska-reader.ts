/** Reads raw frames and their times from the Matroska stream that FFmpeg writes into a pipe. */
import { read } from 'node:fs';
import { elements, type RawAudio, trackTypes } from './matroska.ts';

/** 8K frames are smaller. */
const maxFrameBytes = 1 << 28;
const maxHeadBytes = 1 << 16;

/** The streams, in the head of the file. */
export interface RawStreams {
  readonly video?: { readonly width: number; readonly height: number; readonly frameNs: number };
  readonly audio?: RawAudio;
}

export interface RawFrame {
  readonly kind: 'video' | 'audio';
  /** Milliseconds from the beginning of the stream. */
  readonly time: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

interface Track {
  readonly number: number;
  readonly streams: RawStreams;
}

interface Element {
  readonly id: number;
  /** Undefined if it extends to the next element of its kind. */
  readonly bytes: number | undefined;
}

/** Elements whose content is read one by one; other elements are read as a whole. */
const containers: readonly number[] = [elements.segment, elements.cluster, elements.blockGroup];

export class MatroskaReader {
  readonly #descriptor: number;
  readonly #tracks = new Map<number, 'video' | 'audio'>();
  #streams: RawStreams = {};
  #cluster = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Known with the first frame. */
  get streams(): RawStreams {
    return this.#streams;
  }

  /** Returns undefined at the end of the stream. Throws if the data is not such a stream. */
  async next(): Promise<RawFrame | undefined> {
    for (;;) {
      const element = await this.#element();
      if (!element) return undefined;
      const { id, bytes } = element;
      if (containers.includes(id)) continue;
      if (bytes === undefined || bytes > maxFrameBytes) throw new Error('FFmpeg sent an element of invalid length');
      if (id === elements.simpleBlock || id === elements.block) {
        const frame = await this.#frame(bytes);
        if (frame) return frame;
        continue;
      }
      if (bytes > maxHeadBytes) throw new Error('FFmpeg sent an element that is too long');
      const body = await this.#bytes(bytes);
      if (!body) return undefined;
      if (id === elements.timestamp) this.#cluster = unsigned(body);
      else if (id === elements.tracks) this.#readTracks(body);
    }
  }

  async #frame(bytes: number): Promise<RawFrame | undefined> {
    const head = await this.#bytes(4);
    // There is data only if there was a head.
    const data = head && (await this.#bytes(bytes - 4));
    if (!head || !data) return undefined;
    const kind = this.#tracks.get((head[0] ?? 0) & 0x7f);
    const time = this.#cluster + new DataView(head.buffer).getInt16(1);
    return kind && { kind, time, data };
  }

  #readTracks(body: Uint8Array): void {
    for (const [id, content] of elementsIn(body)) {
      const track = id === elements.trackEntry ? trackIn(content) : undefined;
      if (!track) continue;
      this.#tracks.set(track.number, track.streams.video ? 'video' : 'audio');
      this.#streams = { ...this.#streams, ...track.streams };
    }
  }

  async #element(): Promise<Element | undefined> {
    const first = await this.#bytes(1);
    if (!first) return undefined;
    const id = await this.#rest(first[0] ?? 0);
    const sizeFirst = await this.#bytes(1);
    if (!id || !sizeFirst) return undefined;
    const size = await this.#rest(sizeFirst[0] ?? 0);
    return size && { id: unsigned(id), bytes: sizeOf(size) };
  }

  /** The bytes of a number of variable length, whose first byte is known. */
  async #rest(first: number): Promise<Uint8Array | undefined> {
    const length = Math.clz32(first) - 24;
    if (length > 7) throw new Error('the output of FFmpeg is not a Matroska stream');
    const rest = await this.#bytes(length);
    return rest && new Uint8Array([first, ...rest]);
  }

  /** Returns undefined if the stream ends before. */
  async #bytes(count: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const target = new Uint8Array(new ArrayBuffer(count));
    for (let done = 0; done < count; ) {
      const taken = await readSome(this.#descriptor, target, done);
      if (taken === 0) return undefined;
      done += taken;
    }
    return target;
  }
}

function readSome(descriptor: number, target: Uint8Array, at: number): Promise<number> {
  return new Promise((resolve, reject) =>
    read(descriptor, target, at, target.length - at, null, (error, taken) => (error ? reject(error) : resolve(taken))),
  );
}

function trackIn(entry: Uint8Array): Track | undefined {
  const parts = new Map(elementsIn(entry));
  const number = unsigned(parts.get(elements.trackNumber));
  const type = unsigned(parts.get(elements.trackType));
  if (type === trackTypes.video) {
    const video = new Map(elementsIn(parts.get(elements.video) ?? new Uint8Array()));
    const [width, height] = [unsigned(video.get(elements.pixelWidth)), unsigned(video.get(elements.pixelHeight))];
    const frameNs = unsigned(parts.get(elements.defaultDuration));
    return { number, streams: { video: { width, height, frameNs } } };
  }
  if (type !== trackTypes.audio) return undefined;
  const audio = new Map(elementsIn(parts.get(elements.audio) ?? new Uint8Array()));
  const sampleRate = float(audio.get(elements.samplingFrequency));
  return { number, streams: { audio: { sampleRate, channels: unsigned(audio.get(elements.channels)) || 1 } } };
}

/** Ends at the first element that is incomplete. */
function* elementsIn(body: Uint8Array): Generator<[id: number, content: Uint8Array]> {
  for (let at = 0; at < body.length; ) {
    const idEnd = at + lengthAt(body, at);
    const sizeEnd = idEnd + lengthAt(body, idEnd);
    const bytes = sizeOf(body.subarray(idEnd, sizeEnd));
    if (bytes === undefined || sizeEnd + bytes > body.length) return;
    yield [unsigned(body.subarray(at, idEnd)), body.subarray(sizeEnd, sizeEnd + bytes)];
    at = sizeEnd + bytes;
  }
}

const lengthAt = (body: Uint8Array, at: number) => Math.clz32(body[at] ?? 0) - 23;

/** Returns undefined for an unknown size. */
function sizeOf(bytes: Uint8Array): number | undefined {
  const mask = 0xff >> bytes.length;
  const isUnknown = bytes.every((byte, at) => (at === 0 ? (byte & mask) === mask : byte === 0xff));
  return isUnknown ? undefined : unsigned(new Uint8Array([(bytes[0] ?? 0) & mask, ...bytes.subarray(1)]));
}

function unsigned(bytes: Uint8Array = new Uint8Array()): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function float(bytes: Uint8Array = new Uint8Array()): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length === 4) return view.getFloat32(0);
  return bytes.length === 8 ? view.getFloat64(0) : 0;
}
