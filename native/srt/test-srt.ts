/** SRT packets built by hand, for peers that send what libsrt never would. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { packetSize } from '../common/test-ts.ts';

/** Byte offsets in a handshake packet. */
export const field = {
  destination: 12,
  version: 16,
  flags: 20,
  sequence: 24,
  mss: 28,
  window: 32,
  type: 36,
  socketId: 40,
  cookie: 44,
} as const;
export const headerBytes = 16;
export const handshakeBytes = 64;

export const controlType = { ack: 2, lossReport: 3, shutdown: 5, dropRequest: 7, extension: 0x7fff } as const;
const extensionType = { hsRequest: 1, keyRequest: 3, streamId: 5, filter: 7, group: 8 } as const;
const inductionType = 1;
const conclusionType = 0xffffffff;

function handshake(type: number, extensions: Uint8Array): Buffer {
  const bytes = Buffer.alloc(handshakeBytes);
  bytes[0] = 0x80;
  bytes.writeUInt32BE(type === inductionType ? 4 : 5, field.version);
  bytes.writeUInt32BE(2, field.flags);
  bytes.writeUInt32BE(1, field.sequence);
  bytes.writeUInt32BE(1500, field.mss);
  bytes.writeUInt32BE(8192, field.window);
  bytes.writeUInt32BE(type, field.type);
  bytes.writeUInt32BE(0x1234, field.socketId);
  bytes.set([1, 0, 0, 127], 48);
  return Buffer.concat([bytes, extensions]);
}

export const induction = () => handshake(inductionType, Buffer.alloc(0));

/** A handshake flag announces key material and another one the rest. */
export function conclusion(...extensions: readonly Buffer[]): Buffer {
  const bytes = handshake(conclusionType, Buffer.concat([hsRequest(), ...extensions]));
  const hasKey = extensions.some((one) => one.readUInt16BE(0) === extensionType.keyRequest);
  bytes.writeUInt32BE(hasKey ? 7 : 5, field.flags);
  return bytes;
}

function extension(type: number, contents: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(contents.length / 4, 2);
  return Buffer.concat([head, contents]);
}

/** A text fills whole words, and its bytes are reversed within each. */
function words(text: string): Buffer {
  const bytes = Buffer.alloc(Math.ceil(text.length / 4) * 4);
  bytes.write(text);
  return bytes.swap32();
}

const hsRequest = () => extension(extensionType.hsRequest, Buffer.from('000105010000003f00780078', 'hex'));
export const streamId = (text: string) => extension(extensionType.streamId, words(text));
export const filter = (text: string) => extension(extensionType.filter, words(text));
export const keyRequest = (bytes: number) => extension(extensionType.keyRequest, keyMaterial(bytes));
export const group = (bytes: number) => extension(extensionType.group, Buffer.alloc(bytes, 0x41));

/** Key material of AES-128 at its start, filled up with anything. */
export function keyMaterial(bytes: number): Buffer {
  const material = Buffer.alloc(bytes, 0x41);
  material.set([0x12, 0x20, 0x29, 1, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 4, 4]);
  return material;
}

export function control(type: number, body: Uint8Array, subtype = 0): Buffer {
  const head = Buffer.alloc(headerBytes);
  head.writeUInt16BE(0x8000 | type, 0);
  head.writeUInt16BE(subtype, 2);
  return Buffer.concat([head, body]);
}

export function control32(type: number, values: readonly number[]): Buffer {
  const body = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) body.writeUInt32BE(value >>> 0, i * 4);
  return control(type, body);
}

/** Seven transport stream packets in one data packet. */
export function mediaPacket(): Buffer {
  const media = Buffer.alloc(headerBytes + 7 * packetSize, 0xff);
  media.fill(0, 0, headerBytes);
  media[4] = 0xc0;
  for (let at = headerBytes; at < media.length; at += packetSize) media.set([0x47, 1, 0, 0x10], at);
  return media;
}

/** One UDP socket that speaks SRT to a listener on 127.0.0.1. */
export class RawPeer {
  readonly socket: Socket;
  readonly #port: number;
  #far: Buffer | undefined;

  private constructor(socket: Socket, port: number) {
    [this.socket, this.#port] = [socket, port];
  }

  static async open(port: number): Promise<RawPeer> {
    const socket = createSocket('udp4');
    // A datagram to a closed port causes an ICMP error, which arrives here.
    socket.on('error', () => {});
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new RawPeer(socket, port);
  }

  send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) =>
      this.socket.send(bytes.subarray(0, 1472), this.#port, '127.0.0.1', () => resolve()),
    );
  }

  /** The handshake that answers within the time, if there is one. */
  async ask(bytes: Uint8Array, answerMs: number): Promise<Buffer | undefined> {
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    const timer = setTimeout(() => resolve(undefined), answerMs);
    const take = (answer: Buffer) => {
      if (answer.length >= handshakeBytes && answer.readUInt16BE(0) === 0x8000) resolve(answer);
    };
    this.socket.on('message', take);
    await this.send(bytes);
    const answer = await promise;
    clearTimeout(timer);
    this.socket.off('message', take);
    return answer;
  }

  /** Sends the conclusion with the cookie of the listener. True if the listener accepts the connection. */
  async connect(bytes: Buffer, answerMs: number): Promise<boolean> {
    const inducted = await this.ask(induction(), answerMs);
    inducted?.copy(bytes, field.cookie, field.cookie, field.cookie + 4);
    const concluded = inducted && (await this.ask(bytes, answerMs));
    this.#far = concluded?.readUInt32BE(field.type) === conclusionType ? concluded : undefined;
    return this.#far !== undefined;
  }

  /** Sends a packet for the connection. */
  async sendConnected(bytes: Buffer): Promise<void> {
    if (bytes.length >= headerBytes) this.#far?.copy(bytes, field.destination, field.socketId, field.socketId + 4);
    await this.send(bytes);
  }

  close(): void {
    this.socket.close();
  }
}
