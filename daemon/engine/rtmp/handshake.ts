/**
 * The RTMP handshake, both ends. Plain as in RTMP 1.0 section 5.2. A server sends clients that sign their part (Flash
 * style, ffmpeg) a signed reply, which such clients verify.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ProtocolError } from './protocol.ts';

const version = 3;
const packetBytes = 1536;
const digestBytes = 32;
/** Offsets of the four bytes whose sum gives the position of the digest: two layouts are in use. */
const layouts = [772, 8] as const;

const sharedKey = Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex');
const playerKey = Buffer.from('Genuine Adobe Flash Player 001');
const serverKey = Buffer.from('Genuine Adobe Flash Media Server 001');
/** Any major version of 3 and up means "this packet is signed". */
const signedServerVersion = Buffer.from([4, 5, 0, 1]);

/** Receives the peer's version and packet, replies to it, then skips the echo of our own packet. */
class Handshake {
  private readonly bytes = Buffer.alloc(1 + packetBytes);
  private filled = 0;
  private echoLeft = packetBytes;
  private readonly replyTo: (packet: Buffer) => Uint8Array;

  constructor(replyTo: (packet: Buffer) => Uint8Array) {
    this.replyTo = replyTo;
  }

  /**
   * Takes input, however it is split. `used`: bytes of it that belonged to the handshake. Throws ProtocolError as soon
   * as the first byte shows that this is something else.
   */
  feed(input: Uint8Array): { readonly used: number; readonly reply?: Uint8Array; readonly isDone: boolean } {
    let used = 0;
    let reply: Uint8Array | undefined;
    if (this.filled < this.bytes.length) {
      used = Math.min(this.bytes.length - this.filled, input.length);
      this.bytes.set(input.subarray(0, used), this.filled);
      this.filled += used;
      if (used > 0) checkVersion(this.bytes[0]);
      if (this.filled < this.bytes.length) return { used, isDone: false };
      reply = this.replyTo(this.bytes.subarray(1));
    }
    // The echo contains nothing that we need.
    const echo = Math.min(this.echoLeft, input.length - used);
    this.echoLeft -= echo;
    return { used: used + echo, isDone: this.echoLeft === 0, ...(reply && { reply }) };
  }
}

export class ServerHandshake extends Handshake {
  constructor() {
    super(answer);
  }
}

export class ClientHandshake extends Handshake {
  constructor() {
    super((packet) => Buffer.from(packet));
  }

  /** The first bytes to send. */
  hello(): Uint8Array {
    const bytes = randomBytes(1 + packetBytes);
    bytes[0] = version;
    // Time 0 and version 0: an unsigned packet.
    bytes.fill(0, 1, 9);
    return bytes;
  }
}

function checkVersion(first = 0): void {
  if (first === version) return;
  const known: Readonly<Record<number, string>> = { 6: 'encrypted RTMP (RTMPE)', 22: 'TLS', 128: 'TLS' };
  const isLetter = first >= 0x41 && first <= 0x5a;
  const what =
    known[first] ?? (isLetter ? 'HTTP or other text' : `first byte 0x${first.toString(16).padStart(2, '0')}`);
  throw new ProtocolError(`not RTMP: ${what}`);
}

/** Returns S0, S1 and S2 for a client's C1. */
function answer(c1: Buffer): Buffer {
  const out = randomBytes(1 + 2 * packetBytes);
  out[0] = version;
  const s1 = out.subarray(1, 1 + packetBytes);
  const s2 = out.subarray(1 + packetBytes);
  s1.writeUInt32BE(0, 0);
  const signed = findDigest(c1, playerKey);
  if (!signed) {
    s1.fill(0, 4, 8);
    c1.copy(s2);
    return out;
  }
  signedServerVersion.copy(s1, 4);
  const at = digestOffset(s1, signed.layout);
  packetDigest(s1, at, serverKey).copy(s1, at);
  const key = hmac(Buffer.concat([serverKey, sharedKey]), signed.digest);
  hmac(key, s2.subarray(0, packetBytes - digestBytes)).copy(s2, packetBytes - digestBytes);
  return out;
}

/** Returns the client's digest if it sent a valid one. */
export function findDigest(packet: Buffer, key: Buffer): { digest: Buffer; layout: number } | undefined {
  if (packet.readUInt32BE(4) === 0) return undefined;
  for (const layout of layouts) {
    const at = digestOffset(packet, layout);
    const digest = packet.subarray(at, at + digestBytes);
    if (timingSafeEqual(digest, packetDigest(packet, at, key))) return { digest, layout };
  }
  return undefined;
}

/** The digest covers the packet except the digest itself. */
function packetDigest(packet: Buffer, at: number, key: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(packet.subarray(0, at))
    .update(packet.subarray(at + digestBytes))
    .digest();
}

function digestOffset(packet: Buffer, layout: number): number {
  let sum = 0;
  for (let i = 0; i < 4; i++) sum += packet[layout + i] ?? 0;
  return (sum % 728) + layout + 4;
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
