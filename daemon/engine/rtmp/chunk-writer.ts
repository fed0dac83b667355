/**
 * Encodes messages into chunks. Every message gets a full (type 0) header with its absolute timestamp, so that the
 * bytes can be shared by all players, whatever was sent to them before.
 */
import { messageTypeId, outgoingChunkBytes, userControlEvent } from './protocol.ts';

export interface OutgoingMessage {
  readonly type: number;
  readonly timestamp: number;
  readonly payload: Uint8Array;
}

const fullHeaderBytes = 12;
const extendedMark = 0xffffff;

const controlChunkStream = 2;
const commandChunkStream = 3;
const mediaChunkStreams: Readonly<Record<number, number>> = {
  [messageTypeId.audio]: 4,
  [messageTypeId.data]: 5,
  [messageTypeId.video]: 6,
  [messageTypeId.command]: commandChunkStream,
};

/** Returns one buffer with all messages in chunks. */
export function encodeMessages(
  messages: readonly OutgoingMessage[],
  streamId: number,
  chunkBytes: number = outgoingChunkBytes,
): Uint8Array {
  let size = 0;
  for (const { timestamp, payload } of messages) {
    const extended = timestamp >= extendedMark ? 4 : 0;
    const continuations = Math.max(0, Math.ceil(payload.length / chunkBytes) - 1);
    size += fullHeaderBytes + extended + payload.length + continuations * (1 + extended);
  }
  const out = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const message of messages) at = encodeInto(out, at, message, streamId, chunkBytes);
  return out;
}

function encodeInto(
  out: Buffer,
  start: number,
  { type, timestamp, payload }: OutgoingMessage,
  streamId: number,
  chunkBytes: number,
): number {
  const chunkStream = mediaChunkStreams[type] ?? controlChunkStream;
  const isExtended = timestamp >= extendedMark;
  let at = start;
  out[at] = chunkStream;
  out.writeUIntBE(isExtended ? extendedMark : timestamp, at + 1, 3);
  out.writeUIntBE(payload.length, at + 4, 3);
  out[at + 7] = type;
  out.writeUInt32LE(streamId, at + 8);
  at += fullHeaderBytes;
  if (isExtended) at = out.writeUInt32BE(timestamp, at);
  let sent = 0;
  while (payload.length - sent > chunkBytes) {
    out.set(payload.subarray(sent, sent + chunkBytes), at);
    sent += chunkBytes;
    at += chunkBytes;
    out[at++] = 0xc0 | chunkStream;
    if (isExtended) at = out.writeUInt32BE(timestamp, at);
  }
  out.set(sent === 0 ? payload : payload.subarray(sent), at);
  return at + payload.length - sent;
}

/** Protocol control (section 5.4) and user control messages use message stream 0. */
function encodeControl(type: number, payload: Uint8Array): Uint8Array {
  return encodeMessages([{ type, timestamp: 0, payload }], 0);
}

export function uint32Message(type: number, value: number): Uint8Array {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value >>> 0);
  return encodeControl(type, payload);
}

/** Limit type 2: dynamic. */
export function peerBandwidthMessage(bytes: number): Uint8Array {
  const payload = Buffer.alloc(5);
  payload.writeUInt32BE(bytes);
  payload[4] = 2;
  return encodeControl(messageTypeId.setPeerBandwidth, payload);
}

export function userControlMessage(event: number, value: number): Uint8Array {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(event);
  payload.writeUInt32BE(value >>> 0, 2);
  return encodeControl(messageTypeId.userControl, payload);
}

/** Tells a server how much a player buffers. Some servers send no faster than that. */
export function bufferLengthMessage(streamId: number, ms: number): Uint8Array {
  const payload = Buffer.alloc(10);
  payload.writeUInt16BE(userControlEvent.setBufferLength);
  payload.writeUInt32BE(streamId >>> 0, 2);
  payload.writeUInt32BE(ms, 6);
  return encodeControl(messageTypeId.userControl, payload);
}
