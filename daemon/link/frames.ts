/**
 * Frames of a link. A WebSocket message holds whole frames; each is type (1 byte), stream id (4), length of the payload
 * (3) and payload, big endian. Frames of the link itself have stream id 0.
 */
import { LinkFault } from './codes.ts';

export const headerBytes = 8;
export const maxMessageBytes = 256 << 10;
export const maxDataBytes = 64 << 10;
export const maxOpenBytes = 1 << 10;
export const maxHandshakeBytes = 8 << 10;
export const lastStreamId = 0xffff_ffff;

export const frameTypes = {
  hello: 1,
  challenge: 2,
  proof: 3,
  welcome: 4,
  open: 16,
  data: 17,
  credit: 18,
  fin: 19,
  rst: 20,
  ping: 32,
  pong: 33,
  goAway: 34,
} as const;
export type HandshakeType = 'hello' | 'challenge' | 'proof' | 'welcome';

interface Shape {
  readonly min: number;
  readonly max: number;
  readonly hasStream: boolean;
}
const ofLink = (min: number, max: number): Shape => ({ min, max, hasStream: false });
const ofStream = (min: number, max: number): Shape => ({ min, max, hasStream: true });

const shapes: readonly (Shape | undefined)[] = (() => {
  const { hello, challenge, proof, welcome, open, data, credit, fin, rst, ping, pong, goAway } = frameTypes;
  const table: (Shape | undefined)[] = [];
  for (const type of [hello, challenge, proof, welcome, goAway]) table[type] = ofLink(2, maxHandshakeBytes);
  table[open] = ofStream(2, maxOpenBytes);
  // Without the minimum, a peer could send frames that cost no credit.
  table[data] = ofStream(1, maxDataBytes);
  table[credit] = ofStream(4, 4);
  table[fin] = ofStream(0, 0);
  table[rst] = ofStream(2, 2);
  for (const type of [ping, pong]) table[type] = ofLink(4, 4);
  return table;
})();

/** Calls `onFrame` with each frame; its payload shares the message's memory. Throws LinkFault if one breaks a rule. */
export function readFrames(
  message: Uint8Array,
  onFrame: (type: number, id: number, payload: Uint8Array) => void,
): void {
  if (message.length > maxMessageBytes) throw new LinkFault('oversized', `message of ${message.length} bytes`);
  let at = 0;
  while (at < message.length) {
    if (message.length - at < headerBytes) throw new LinkFault('malformed', 'a header is cut off');
    const type = message[at] ?? 0;
    const id = readU32(message, at + 1);
    const length = ((message[at + 5] ?? 0) << 16) | ((message[at + 6] ?? 0) << 8) | (message[at + 7] ?? 0);
    const shape = shapes[type];
    if (shape === undefined) throw new LinkFault('malformed', `frame of type ${type}`);
    if (length > shape.max) throw new LinkFault('oversized', `frame of type ${type} with ${length} bytes`);
    if (length < shape.min) throw new LinkFault('malformed', `frame of type ${type} with ${length} bytes`);
    if (shape.hasStream !== id > 0) throw new LinkFault('malformed', `frame of type ${type} for stream ${id}`);
    const start = at + headerBytes;
    if (message.length - start < length) throw new LinkFault('malformed', 'a payload is cut off');
    onFrame(type, id, message.subarray(start, start + length));
    at = start + length;
  }
}

export function writeHeader(into: Uint8Array, at: number, { type, id, length }: FrameHead): void {
  into[at] = type;
  writeU32(into, at + 1, id);
  into[at + 5] = length >>> 16;
  into[at + 6] = length >>> 8;
  into[at + 7] = length;
}

interface FrameHead {
  readonly type: number;
  readonly id: number;
  readonly length: number;
}

/** Returns a whole frame. DATA is written in place instead. */
export function frameOf(type: number, id: number, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headerBytes + payload.length);
  writeHeader(frame, 0, { type, id, length: payload.length });
  frame.set(payload, headerBytes);
  return frame;
}

export function u32Payload(value: number): Uint8Array {
  const payload = new Uint8Array(4);
  writeU32(payload, 0, value);
  return payload;
}

export function u16Payload(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value);
}

export const readU16 = (bytes: Uint8Array): number => ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);

export function readU32(bytes: Uint8Array, at = 0): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}
