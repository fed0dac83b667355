/**
 * Parses the chunk stream (RTMP 1.0, section 5.3) and assembles messages, each in its own buffer: one copy out of the
 * socket's buffer, none after that. Everything that a peer can make us allocate is limited.
 */
import { defaultChunkBytes, messageTypeId, ProtocolError } from './protocol.ts';

export type OnMessage = (type: number, streamId: number, timestamp: number, payload: Uint8Array) => void;

export const chunkLimits = {
  /** A chunk size above the largest message is pointless; clients that announce one are broken or hostile. */
  chunkBytes: 16 << 20,
  chunkStreams: 64,
  /** Buffers of unfinished messages over all chunk streams, relative to the largest message allowed. */
  inFlightFactor: 1.5,
} as const;

/** Maximum initial size of a message's buffer, which doubles as bytes arrive, since announcing costs nothing. */
const firstBufferBytes = 256 << 10;
/** Basic header 3, message header 11, extended timestamp 4. */
const maxHeaderBytes = 18;
const messageHeaderBytes = [11, 7, 3, 0] as const;
const extendedMark = 0xffffff;
const noBytes = new Uint8Array(0);

/** What another parser needs to continue between two messages. */
export interface ChunkState {
  /** Size of the peer's chunks. */
  readonly chunk: number;
  readonly streams: readonly {
    readonly id: number;
    readonly timestamp: number;
    readonly delta: number;
    readonly extended: boolean;
    readonly length: number;
    readonly type: number;
  }[];
}

interface ChunkStream {
  timestamp: number;
  /** The last timestamp field: a type 3 chunk that begins a message adds it again. */
  delta: number;
  hasExtended: boolean;
  length: number;
  type: number;
  streamId: number;
  /** The unfinished message; `noBytes` when there is none. */
  buffer: Uint8Array;
  filled: number;
}

export class ChunkReader {
  /** Size limit of one message. Starts small: only an accepted publisher may send large ones. */
  maxMessageBytes: number;
  /** Bytes allocated for messages that are not complete. */
  inFlightBytes = 0;
  private readonly onMessage: OnMessage;
  private readonly streams = new Map<number, ChunkStream>();
  private readonly scratch = Buffer.alloc(maxHeaderBytes);
  private scratchBytes = 0;
  private chunkBytes: number = defaultChunkBytes;
  private current: ChunkStream | undefined;
  /** The chunk stream of the last chunk. */
  private last: ChunkStream | undefined;
  /** Payload bytes still missing from the current chunk. */
  private chunkLeft = 0;
  private isStopped = false;

  constructor(onMessage: OnMessage, maxMessageBytes: number) {
    this.onMessage = onMessage;
    this.maxMessageBytes = maxMessageBytes;
  }

  /** Bytes that the message of the last chunk still lacks, with the headers of its chunks; 0 if it is complete. */
  get missingBytes(): number {
    const { last, chunkLeft } = this;
    if (!last || last.buffer === noBytes) return 0;
    const missing = last.length - last.filled;
    return missing + Math.ceil((missing - chunkLeft) / this.chunkBytes);
  }

  /** Undefined inside a message. */
  get state(): ChunkState | undefined {
    if (this.current || this.scratchBytes > 0) return undefined;
    const streams = [...this.streams];
    if (streams.some(([, stream]) => stream.buffer !== noBytes)) return undefined;
    return {
      chunk: this.chunkBytes,
      streams: streams.map(([id, { timestamp, delta, hasExtended: extended, length, type }]) => {
        return { id, timestamp, delta, extended, length, type };
      }),
    };
  }

  /** Reads on between two messages, where another parser stopped. */
  continueFrom({ chunk, streams }: ChunkState): void {
    this.chunkBytes = chunk;
    this.scratchBytes = this.chunkLeft = this.inFlightBytes = 0;
    this.current = this.last = undefined;
    this.streams.clear();
    for (const { id, extended: hasExtended, ...stream } of streams) {
      this.streams.set(id, { ...stream, hasExtended, streamId: 0, buffer: noBytes, filled: 0 });
    }
  }

  /** Throws ProtocolError, after which the reader must not be used. */
  feed(input: Buffer): void {
    let at = 0;
    while (at < input.length && !this.isStopped) {
      at = this.current ? this.readPayload(this.current, input, at) : this.readHeader(input, at);
    }
  }

  /** Stops delivery, even of the rest of the bytes being fed. */
  stop(): void {
    this.isStopped = true;
    this.current = undefined;
    this.last = undefined;
    this.streams.clear();
    this.inFlightBytes = 0;
  }

  private readHeader(input: Buffer, at: number): number {
    if (this.scratchBytes === 0) {
      const used = this.parseHeader(input, at, input.length);
      if (used > 0) return at + used;
      this.scratchBytes = input.copy(this.scratch, 0, at, input.length);
      return input.length;
    }
    const before = this.scratchBytes;
    const added = input.copy(this.scratch, before, at, Math.min(input.length, at + maxHeaderBytes - before));
    const used = this.parseHeader(this.scratch, 0, before + added);
    if (used === 0) {
      this.scratchBytes += added;
      return at + added;
    }
    this.scratchBytes = 0;
    if (used >= before) return at + used - before;
    // What looked like an extended timestamp is payload, part of which came with an earlier read.
    if (this.current) this.readPayload(this.current, this.scratch.subarray(0, before), used);
    return at;
  }

  /** Returns the size of the header, or 0 if it is not complete yet; then nothing is changed. */
  private parseHeader(bytes: Buffer, start: number, end: number): number {
    const first = bytes[start] ?? 0;
    const format = first >> 6;
    let id = first & 0x3f;
    let at = start + 1;
    if (id < 2) {
      const idBytes = id + 1;
      if (end - at < idBytes) return 0;
      id = 64 + (bytes[at] ?? 0) + (idBytes === 2 ? (bytes[at + 1] ?? 0) * 256 : 0);
      at += idBytes;
    }
    const size = messageHeaderBytes[format] ?? 0;
    if (end - at < size) return 0;
    const stream = this.streams.get(id);
    if (format === 3) return this.parseContinuation(stream, id, bytes, at, end, start);
    const field = bytes.readUIntBE(at, 3);
    const isExtended = field === extendedMark;
    if (isExtended && end - at - size < 4) return 0;
    const time = isExtended ? bytes.readUInt32BE(at + size) : field;
    this.beginMessage(stream ?? this.addStream(id, format), format, bytes, at, time, isExtended);
    return at + size + (isExtended ? 4 : 0) - start;
  }

  private parseContinuation(
    stream: ChunkStream | undefined,
    id: number,
    bytes: Buffer,
    at: number,
    end: number,
    start: number,
  ): number {
    if (!stream) throw new ProtocolError(`chunk stream ${id} begins without a header`);
    let used = at - start;
    if (stream.hasExtended) {
      if (end - at < 4) return 0;
      // Some encoders do not repeat the extended timestamp in later chunks, so it is only taken when it matches.
      if (bytes.readUInt32BE(at) === stream.delta) used += 4;
      else if (this.nextChunkBytes(stream) < 4) throw new ProtocolError('extended timestamp expected');
    }
    if (stream.buffer === noBytes) {
      stream.timestamp = (stream.timestamp + stream.delta) >>> 0;
      this.allocate(stream);
    }
    this.beginChunk(stream);
    return used;
  }

  private beginMessage(
    stream: ChunkStream,
    format: number,
    bytes: Buffer,
    at: number,
    time: number,
    isExtended: boolean,
  ): void {
    if (stream.buffer !== noBytes) throw new ProtocolError('a message begins inside an unfinished one');
    stream.timestamp = format === 0 ? time : (stream.timestamp + time) >>> 0;
    stream.delta = time;
    stream.hasExtended = isExtended;
    if (format <= 1) {
      stream.length = bytes.readUIntBE(at + 3, 3);
      stream.type = bytes[at + 6] ?? 0;
    }
    if (format === 0) stream.streamId = bytes.readUInt32LE(at + 7);
    this.allocate(stream);
    this.beginChunk(stream);
  }

  private addStream(id: number, format: number): ChunkStream {
    // librtmp opens chunk streams with type 1.
    if (format > 1) throw new ProtocolError(`chunk stream ${id} begins without a full header`);
    if (this.streams.size >= chunkLimits.chunkStreams) {
      throw new ProtocolError(`more than ${chunkLimits.chunkStreams} chunk streams`);
    }
    const stream: ChunkStream = {
      timestamp: 0,
      delta: 0,
      hasExtended: false,
      length: 0,
      type: 0,
      streamId: 0,
      buffer: noBytes,
      filled: 0,
    };
    this.streams.set(id, stream);
    return stream;
  }

  private allocate(stream: ChunkStream): void {
    if (stream.length > this.maxMessageBytes) {
      throw new ProtocolError(`message of ${stream.length} bytes (limit ${this.maxMessageBytes})`);
    }
    stream.buffer = new Uint8Array(this.reserve(Math.min(stream.length, firstBufferBytes)));
    stream.filled = 0;
  }

  private reserve(bytes: number): number {
    this.inFlightBytes += bytes;
    const limit = this.maxMessageBytes * chunkLimits.inFlightFactor;
    if (this.inFlightBytes > limit) throw new ProtocolError(`more than ${limit} bytes in unfinished messages`);
    return bytes;
  }

  private nextChunkBytes(stream: ChunkStream): number {
    const filled = stream.buffer === noBytes ? 0 : stream.filled;
    return Math.min(this.chunkBytes, stream.length - filled);
  }

  private beginChunk(stream: ChunkStream): void {
    this.last = stream;
    this.chunkLeft = this.nextChunkBytes(stream);
    if (this.chunkLeft > 0) this.current = stream;
    else this.deliver(stream);
  }

  private readPayload(stream: ChunkStream, input: Buffer, at: number): number {
    const count = Math.min(this.chunkLeft, input.length - at);
    while (stream.filled + count > stream.buffer.length) this.grow(stream);
    input.copy(stream.buffer, stream.filled, at, at + count);
    stream.filled += count;
    this.chunkLeft -= count;
    if (this.chunkLeft === 0) {
      this.current = undefined;
      if (stream.filled === stream.length) this.deliver(stream);
    }
    return at + count;
  }

  private grow(stream: ChunkStream): void {
    const size = Math.min(stream.length, stream.buffer.length * 2);
    const bigger = new Uint8Array(this.reserve(size));
    bigger.set(stream.buffer);
    this.inFlightBytes -= stream.buffer.length;
    stream.buffer = bigger;
  }

  private deliver(stream: ChunkStream): void {
    const payload = stream.buffer;
    this.inFlightBytes -= payload.length;
    stream.buffer = noBytes;
    if (stream.type === messageTypeId.setChunkSize) this.setChunkSize(payload);
    else if (stream.type === messageTypeId.abort) this.abort(payload);
    else this.onMessage(stream.type, stream.streamId, stream.timestamp, payload);
  }

  private setChunkSize(payload: Uint8Array): void {
    if (payload.length < 4) throw new ProtocolError('chunk size message too short');
    const size = new DataView(payload.buffer, payload.byteOffset).getUint32(0);
    // RTMP 1.0, section 5.4.1. No message is longer than 2^24 bytes, so a larger chunk size makes no difference.
    if (size < 1 || size > 0x7fffffff) throw new ProtocolError(`chunk size of ${size} bytes`);
    this.chunkBytes = Math.min(size, chunkLimits.chunkBytes);
  }

  private abort(payload: Uint8Array): void {
    if (payload.length < 4) throw new ProtocolError('abort message too short');
    const stream = this.streams.get(new DataView(payload.buffer, payload.byteOffset).getUint32(0));
    if (!stream || stream.buffer === noBytes) return;
    this.inFlightBytes -= stream.buffer.length;
    stream.buffer = noBytes;
  }
}
