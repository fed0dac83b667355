/**
 * What both ends of an RTMP connection do after the handshake: chunks to messages, acknowledgements, pings, and the
 * order of what is written. Commands and media go to the owner.
 */

import { Outlet, type WritableSocket } from '../outlet.ts';
import { ChunkReader, type OnMessage } from './chunk-reader.ts';
import { uint32Message, userControlMessage } from './chunk-writer.ts';
import { messageTypeId, ProtocolError, userControlEvent } from './protocol.ts';

/** Enough for any command; raised once a publisher is accepted. */
export const commandMessageBytes = 64 << 10;
/** The largest message that a publisher may send, far larger than a key frame at any bitrate this engine relays. */
export const mediaMessageBytes = 8 << 20;
/** What we acknowledge after when the peer names no window; Flash's own default. */
const defaultAckWindow = 2_500_000;

export class RtmpConnection {
  readonly outlet: Outlet;
  private readonly reader: ChunkReader;
  private readonly onMessage: OnMessage;
  private received = 0;
  private acknowledged = 0;
  private ackWindow = defaultAckWindow;

  constructor(socket: WritableSocket, onMessage: OnMessage, now?: () => number) {
    this.outlet = new Outlet(socket, now);
    this.onMessage = onMessage;
    this.reader = new ChunkReader(this.handle.bind(this), commandMessageBytes);
  }

  get bytesIn(): number {
    return this.received;
  }

  get bytesOut(): number {
    return this.outlet.bytes;
  }

  set maxMessageBytes(bytes: number) {
    this.reader.maxMessageBytes = bytes;
  }

  /** Handshake bytes count in acknowledgements too. */
  countHandshake(bytes: number): void {
    this.received += bytes;
  }

  /** Throws ProtocolError or AmfError; the connection must be ended then. */
  feed(input: Buffer): void {
    this.received += input.length;
    this.reader.feed(input);
    if (this.received - this.acknowledged >= this.ackWindow) {
      this.acknowledged = this.received;
      this.send(uint32Message(messageTypeId.acknowledgement, this.received));
    }
    this.outlet.pump();
  }

  /** Queue a message; `outlet.pump()` writes it. */
  send(message: Uint8Array): void {
    if (!this.outlet.send(message)) throw new ProtocolError('peer does not read what we answer');
  }

  /** No message is delivered after this. */
  stop(): void {
    this.reader.stop();
    this.outlet.setSource(undefined);
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
