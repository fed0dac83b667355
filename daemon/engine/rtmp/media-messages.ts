/** Passes the media messages of one publishing client to the engine's sink. */

import { asBuffer } from '../../lib/bytes.ts';
import { AmfError, decodeAmf } from '../flv/amf0.ts';
import { isMediaType, type MediaMessageType, messageType } from '../flv/flv-bus.ts';
import type { FlvSink } from '../flv/flv-sink.ts';
import { messageTypeId, ProtocolError } from './protocol.ts';
import type { ReadBatching } from './read-batching.ts';

const subHeaderBytes = 11;
const backPointerBytes = 4;

interface MediaMessagesOptions {
  readonly sink: FlvSink;
  readonly batching: ReadBatching;
  /** Called for a data message that players could not read. */
  readonly onDropped?: (reason: string) => void;
}

export class MediaMessages {
  private readonly sink: FlvSink;
  private readonly onDropped: (reason: string) => void;
  private readonly batching: ReadBatching;
  private isClosed = false;

  constructor({ sink, batching, onDropped = () => {} }: MediaMessagesOptions) {
    this.sink = sink;
    this.batching = batching;
    this.onDropped = onDropped;
  }

  /** Throws ProtocolError on data that no encoder sends. */
  message(type: number, timestamp: number, payload: Uint8Array): void {
    if (type === messageTypeId.aggregate) this.aggregate(timestamp, payload);
    else if (type === messageTypeId.dataAmf3) this.media(messageType.data, timestamp, payload.subarray(1));
    else if (isMediaType(type)) this.media(type, timestamp, payload);
  }

  /** Passes on what has come; called after each read from the socket. `missingBytes`: what the last message lacks. */
  flush(missingBytes: number): void {
    if (this.isClosed) return;
    this.sink.flush();
    this.batching.afterRead(missingBytes);
  }

  /** Whether each read decides how many bytes the next one waits for. */
  set batches(on: boolean) {
    if (on) this.batching.resume();
    else this.batching.stop();
  }

  close(reason: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.batching.stop();
    this.sink.close(reason);
  }

  private media(type: MediaMessageType, timestamp: number, payload: Uint8Array): void {
    if (type === messageType.data && !this.isReadable(payload)) return;
    this.batching.message(type, payload.length);
    this.sink.message({ type, timestamp, payload });
  }

  /** Players get the bytes unchanged, so data that we cannot decode within our limits could harm them. */
  private isReadable(payload: Uint8Array): boolean {
    try {
      decodeAmf(payload);
      return true;
    } catch (error) {
      if (!(error instanceof AmfError)) throw error;
      this.onDropped(error.message);
      return false;
    }
  }

  /** Several messages in one, each with an FLV tag header; times are relative to the first (RTMP 1.0, 7.1.6). */
  private aggregate(timestamp: number, body: Uint8Array): void {
    const bytes = asBuffer(body);
    let at = 0;
    let base: number | undefined;
    while (bytes.length - at >= subHeaderBytes) {
      const type = (bytes[at] ?? 0) & 0x1f;
      const size = bytes.readUIntBE(at + 1, 3);
      const time = (bytes.readUIntBE(at + 4, 3) | ((bytes[at + 7] ?? 0) << 24)) >>> 0;
      base ??= time;
      at += subHeaderBytes;
      if (size > bytes.length - at) throw new ProtocolError('aggregate message ends inside a part');
      // Copied, so that a retained frame does not keep the whole aggregate in memory.
      if (isMediaType(type))
        this.media(type, (timestamp + time - base) >>> 0, new Uint8Array(body.subarray(at, at + size)));
      at += size + backPointerBytes;
    }
  }
}
