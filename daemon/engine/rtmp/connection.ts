/**
 * Common part of both ends of an RTMP connection after the handshake: chunks to messages, acknowledgements, pings, and
 * the order of writes. Commands and media go to the owner.
 */

import { type WritableSocket, Writer } from '../net/socket-writer.ts';
import { ChunkReader, type ChunkState, type OnMessage } from './chunk-reader.ts';
import { uint32Message, userControlMessage } from './chunk-writer.ts';
import { messageTypeId, ProtocolError, userControlEvent } from './protocol.ts';

/** Enough for any command; raised once a publisher is accepted. */
export const commandMessageBytes = 64 << 10;
/** Limit of a publisher's messages, far larger than a keyframe at any bitrate this engine relays. */
export const mediaMessageBytes = 8 << 20;
/** Acknowledgement window if the peer sets none; Flash's own default. */
const defaultAckWindow = 2_500_000;

export class RtmpConnection {
  /** Includes the handshake, whose bytes count toward acknowledgements, too. */
  bytesIn = 0;
  readonly writer: Writer;
  private readonly reader: ChunkReader;
  private readonly onMessage: OnMessage;
  private acknowledged = 0;
  private ackWindow = defaultAckWindow;

  constructor(socket: WritableSocket, onMessage: OnMessage, now?: () => number) {
    this.writer = new Writer(socket, now);
    this.onMessage = onMessage;
    this.reader = new ChunkReader(this.handle.bind(this), commandMessageBytes);
  }

  get bytesOut(): number {
    return this.writer.bytes;
  }

  set maxMessageBytes(bytes: number) {
    this.reader.maxMessageBytes = bytes;
  }

  /** What the message that is being read still lacks; 0 between messages. */
  get missingBytes(): number {
    return this.reader.missingBytes;
  }

  get chunkState(): ChunkState | undefined {
    return this.reader.state;
  }

  /** Continues where another parser stopped. */
  continueFrom(state: ChunkState): void {
    this.reader.continueFrom(state);
  }

  /** Throws ProtocolError or AmfError, after which the connection must be closed. */
  feed(input: Buffer): void {
    this.bytesIn += input.length;
    this.reader.feed(input);
    this.acknowledge();
  }

  /** Tells the peer how much has come, if it is due. */
  acknowledge(): void {
    if (this.bytesIn - this.acknowledged >= this.ackWindow) {
      this.acknowledged = this.bytesIn;
      this.send(uint32Message(messageTypeId.acknowledgement, this.bytesIn));
    }
    this.writer.pump();
  }

  /** Queues a message; `writer.pump()` writes it. */
  send(message: Uint8Array): void {
    if (!this.writer.send(message)) throw new ProtocolError('peer does not read what we answer');
  }

  /** Stops delivery: no message follows. */
  stop(): void {
    this.reader.stop();
    this.writer.setSource(undefined);
  }

  private handle(type: number, streamId: number, timestamp: number, payload: Uint8Array): void {
    if (type === messageTypeId.userControl) this.userControl(payload);
    else if (type === messageTypeId.windowAckSize) this.ackWindow = readUint32(payload) || defaultAckWindow;
    else if (type !== messageTypeId.acknowledgement && type !== messageTypeId.setPeerBandwidth) {
      this.onMessage(type, streamId, timestamp, payload);
    }
  }

  private userControl(payload: Uint8Array): void {
    if (payload.length < 6) return;
    const event = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
    if (event !== userControlEvent.pingRequest) return;
    this.send(userControlMessage(userControlEvent.pingResponse, readUint32(payload.subarray(2))));
  }
}

function readUint32(bytes: Uint8Array): number {
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}
