/** FLV as a byte stream (FLV 10.1 specification, annex E.2-E.4), as FFmpeg reads and writes it through a pipe. */
import { type FlvMessage, isMediaType } from './flv-bus.ts';

const fileHeaderBytes = 9;
const tagHeaderBytes = 11;
const sizeFieldBytes = 4;
/** The size field has 24 bits; half of that range is far above a keyframe at any rate this engine relays. */
const maxTagBytes = 8 << 20;
const maxFileHeaderBytes = 1024;

export class FlvFileError extends Error {
  override readonly name = 'FlvFileError';
}

/** Returns the file header with its first back pointer; send it once, before any tag. */
export function flvFileHeader(has: { readonly video: boolean; readonly audio: boolean }): Uint8Array {
  const flags = (has.audio ? 4 : 0) | (has.video ? 1 : 0);
  return Uint8Array.of(0x46, 0x4c, 0x56, 1, flags, 0, 0, 0, fileHeaderBytes, 0, 0, 0, 0);
}

/** Returns the messages as tags, in one buffer. */
export function flvTags(messages: readonly FlvMessage[]): Uint8Array {
  let size = 0;
  for (const { payload } of messages) size += tagHeaderBytes + payload.length + sizeFieldBytes;
  const out = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { type, timestamp, payload } of messages) {
    out.writeUInt32BE(((type << 24) | (payload.length & 0xffffff)) >>> 0, at);
    out.writeUIntBE(timestamp & 0xffffff, at + 4, 3);
    out[at + 7] = timestamp >>> 24;
    out.fill(0, at + 8, at + tagHeaderBytes);
    out.set(payload, at + tagHeaderBytes);
    at += tagHeaderBytes + payload.length;
    out.writeUInt32BE(tagHeaderBytes + payload.length, at);
    at += sizeFieldBytes;
  }
  return out;
}

type Step = 'fileHeader' | 'fileHeaderRest' | 'tagHeader' | 'body' | 'backPointer';

/** Parses an FLV stream, however it is split. Each payload is copied once, into a buffer of exactly its size. */
export class FlvFileReader {
  private readonly onMessage: (message: FlvMessage) => void;
  private step: Step = 'fileHeader';
  /** Collects small fields, which may be split anywhere. */
  private readonly field = Buffer.alloc(16);
  private fieldBytes = 0;
  private skipBytes = 0;
  private type = 0;
  private timestamp = 0;
  private body: Buffer = Buffer.alloc(0);
  private bodyBytes = 0;

  constructor(onMessage: (message: FlvMessage) => void) {
    this.onMessage = onMessage;
  }

  /** Throws FlvFileError if the bytes are not FLV, after which the reader must not be used. */
  feed(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) at = this.advance(bytes, at);
  }

  private advance(bytes: Uint8Array, at: number): number {
    switch (this.step) {
      case 'fileHeader':
        return this.gather(bytes, at, fileHeaderBytes, () => this.beginFile());
      case 'fileHeaderRest':
      case 'backPointer':
        return this.skip(bytes, at);
      case 'tagHeader':
        return this.gather(bytes, at, tagHeaderBytes, () => this.beginTag());
      case 'body':
        return this.fill(bytes, at);
    }
  }

  private gather(bytes: Uint8Array, at: number, size: number, onComplete: () => void): number {
    const end = Math.min(bytes.length, at + size - this.fieldBytes);
    for (let i = at; i < end; i++) this.field[this.fieldBytes++] = bytes[i] ?? 0;
    if (this.fieldBytes === size) {
      this.fieldBytes = 0;
      onComplete();
    }
    return end;
  }

  private skip(bytes: Uint8Array, at: number): number {
    const count = Math.min(this.skipBytes, bytes.length - at);
    this.skipBytes -= count;
    if (this.skipBytes === 0) this.step = 'tagHeader';
    return at + count;
  }

  private beginFile(): void {
    if (this.field.toString('latin1', 0, 3) !== 'FLV') throw new FlvFileError('not an FLV stream');
    const size = this.field.readUInt32BE(5);
    if (size < fileHeaderBytes || size > maxFileHeaderBytes) throw new FlvFileError(`FLV file header of ${size} bytes`);
    this.skipBytes = size - fileHeaderBytes + sizeFieldBytes;
    this.step = 'fileHeaderRest';
  }

  private beginTag(): void {
    const size = this.field.readUIntBE(1, 3);
    if (size > maxTagBytes) throw new FlvFileError(`FLV tag of ${size} bytes (limit ${maxTagBytes})`);
    // The upper bits are reserved bits and a filter flag.
    this.type = (this.field[0] ?? 0) & 0x1f;
    this.timestamp = (this.field.readUIntBE(4, 3) | ((this.field[7] ?? 0) << 24)) >>> 0;
    this.body = Buffer.allocUnsafeSlow(size);
    this.bodyBytes = 0;
    if (size === 0) this.endTag();
    else this.step = 'body';
  }

  private fill(bytes: Uint8Array, at: number): number {
    const count = Math.min(this.body.length - this.bodyBytes, bytes.length - at);
    this.body.set(bytes.subarray(at, at + count), this.bodyBytes);
    this.bodyBytes += count;
    if (this.bodyBytes === this.body.length) this.endTag();
    return at + count;
  }

  private endTag(): void {
    this.skipBytes = sizeFieldBytes;
    this.step = 'backPointer';
    const { type, timestamp, body: payload } = this;
    this.body = Buffer.alloc(0);
    if (isMediaType(type)) this.onMessage({ type, timestamp, payload });
    else throw new FlvFileError(`FLV tag of unknown type ${type}`);
  }
}
