import { once } from 'node:events';
import { readEvent } from '../../../daemon/media/srt/protocol.ts';
import { packetSize } from '../../../native/common/test-ts.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget, RunningTarget } from '../target.ts';
import { control, type EndpointUnderFuzz, send, startEndpoint } from './endpoint.ts';

const keys = { op: 'keys', list: [{ feed: 7, push: 'PUSH', play: 'PLAY' }] };
const controlFrames = [
  '{"op":"keys","list":[{"feed":1,"push":"a","play":"b","publish":true,"play_ok":false,"busy":false}]}',
  '{"op":"hangup","id":1}',
  '{"op":"kick","conn":1}',
  '{"op":"link","conn":1,"feed":1}',
  '{"op":"unlink","call":1}',
  '{"op":"batch","conn":1,"ms":5,"prompt":true}',
  '{"op":"drop-feed","feed":1}',
  '{"op":"close-door","id":1}',
  '{"op":"open-door","id":1,"feed":1,"direction":"send","max":2,"streamid":"x","bind":"127.0.0.1","port":1,"latency":20,"passphrase":"0123456789","pbkeylen":16}',
].map((text) => Buffer.from(text));

const header = { bytes: 16, messageBytes: 48, mss: 28, socketId: 40, cookie: 44, destination: 12 } as const;
const inductionType = 1;
const conclusionType = 0xffffffff;

function handshake(type: number, extensions: Uint8Array): Buffer {
  const bytes = Buffer.alloc(header.bytes + header.messageBytes);
  bytes[0] = 0x80;
  bytes.writeUInt32BE(type === inductionType ? 4 : 5, 16);
  bytes.writeUInt32BE(type === inductionType ? 2 : 5, 20);
  bytes.writeUInt32BE(1, 24);
  bytes.writeUInt32BE(1500, header.mss);
  bytes.writeUInt32BE(8192, 32);
  bytes.writeUInt32BE(type, 36);
  bytes.writeUInt32BE(0x1234, header.socketId);
  bytes.set([1, 0, 0, 127], 48);
  return Buffer.concat([bytes, extensions]);
}

/** The SRT handshake request and a stream ID, whose bytes are reversed within each 32-bit word. */
function extensions(streamId: string): Buffer {
  const words = Buffer.alloc(Math.ceil(streamId.length / 4) * 4);
  words.write(streamId);
  const id = Buffer.concat([Buffer.of(0, 5, 0, words.length / 4), words.swap32()]);
  return Buffer.concat([Buffer.from('00010003000105010000003f00780078', 'hex'), id]);
}

const packet = (type: number, body: Uint8Array) => {
  const head = Buffer.alloc(header.bytes);
  head.writeUInt16BE(0x8000 | type, 0);
  return Buffer.concat([head, body]);
};
const media = Buffer.alloc(header.bytes + 7 * packetSize, 0xff);
media.fill(0, 0, header.bytes);
media[4] = 0xc0;
for (let at = header.bytes; at < media.length; at += packetSize) media.set([0x47, 1, 0, 0x10], at);

/** Datagrams that a connection receives: handshakes, ACKs, loss reports, keep-alives, shutdowns, media. */
const datagrams = [
  handshake(inductionType, Buffer.alloc(0)),
  handshake(conclusionType, extensions('PUSH')),
  handshake(conclusionType, extensions('#!::r=PLAY,m=request')),
  packet(1, Buffer.alloc(4)),
  packet(2, Buffer.from('000000010000271000000bb8000020000000006400000064000186a0', 'hex')),
  packet(3, Buffer.from('8000000100000005', 'hex')),
  packet(5, Buffer.alloc(4)),
  packet(8, Buffer.alloc(4)),
  packet(0x7fff, Buffer.from('0001000300010501', 'hex')),
  media,
];

/** Known bugs of libsrt 1.5.1: a small MSS overflows a buffer, and some drop requests cause an endless loop. */
const leastMss = 500;
const dropRequest = 0x8007;
function isKnownFault(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 2 || (view.getUint8(0) & 0x80) === 0) return false;
  const type = view.getUint16(0);
  if (type === dropRequest) return true;
  return type === 0x8000 && bytes.length >= header.mss + 4 && view.getUint32(header.mss) < leastMss;
}

const answerMs = 20;

/** Returns the answer to a datagram, or undefined if none arrives within 20 ms. */
async function ask({ socket, port }: EndpointUnderFuzz<never>, bytes: Uint8Array): Promise<Buffer | undefined> {
  const answered = once(socket, 'message', { signal: AbortSignal.timeout(answerMs) }).catch(() => []);
  await send(socket, port, bytes);
  const [answer] = await answered;
  return Buffer.isBuffer(answer) && answer.length >= header.bytes + header.messageBytes ? answer : undefined;
}

/**
 * Sends a handshake with the cookie of the endpoint, so that the endpoint parses it, then packets for the connection.
 * The input is the handshake or one of the packets.
 */
async function connect(endpoint: EndpointUnderFuzz<never>, input: Uint8Array, random: Random): Promise<void> {
  const isHandshake = input[0] === 0x80 && input[1] === 0 && input.length >= header.bytes + header.messageBytes;
  const conclusion = Buffer.from(
    isHandshake ? input : handshake(conclusionType, extensions(random.pick(['PUSH', 'PLAY']))),
  );
  const inducted = await ask(endpoint, handshake(inductionType, Buffer.alloc(0)));
  inducted?.copy(conclusion, header.cookie, header.cookie, header.cookie + 4);
  conclusion.writeUInt32BE(1 + random.below(0x7ffffff), header.socketId);
  if (isKnownFault(conclusion)) return;
  const concluded = await ask(endpoint, conclusion);
  if (!concluded) return;
  for (let i = 0; i < 10; i++) {
    const next = i === 3 && !isHandshake ? Buffer.from(input) : Buffer.from(random.pick(datagrams));
    if (next.length >= header.bytes) concluded.copy(next, header.destination, header.socketId, header.socketId + 4);
    for (let j = random.below(4); j > 0; j--) next[random.below(next.length)] = random.below(256);
    if (!isKnownFault(next)) await send(endpoint.socket, endpoint.port, next);
  }
  // Shut down: a publisher that stays connected would block the next one.
  const goodbye = packet(5, Buffer.alloc(4));
  concluded.copy(goodbye, header.destination, header.socketId, header.socketId + 4);
  await send(endpoint.socket, endpoint.port, goodbye);
}

async function startDatagrams(): Promise<RunningTarget> {
  const endpoint = (await startEndpoint('srt', readEvent)) as unknown as EndpointUnderFuzz<never>;
  endpoint.bare.control(JSON.stringify(keys));
  endpoint.bare.control(JSON.stringify({ op: 'listen', bind: '127.0.0.1', port: endpoint.port }));
  return {
    async feed(input, random) {
      if (isKnownFault(input)) return;
      await send(endpoint.socket, endpoint.port, input);
      if (random.below(2) === 0) await connect(endpoint, input, random);
    },
    check: endpoint.check,
    close: endpoint.close,
  };
}

async function startControl(): Promise<RunningTarget> {
  const { bare, check, close } = await startEndpoint('srt', readEvent);
  return {
    feed(input, random) {
      if (random.below(3) === 0) bare.data(random.below(4), random.below(4), input);
      else control(bare, input);
    },
    check,
    close,
  };
}

export const srtTargets: readonly FuzzTarget[] = [
  {
    name: 'srt-control',
    inputs: 500,
    corpus: () => [...controlFrames, media.subarray(header.bytes)],
    start: startControl,
  },
  { name: 'srt-datagrams', inputs: 300, corpus: () => datagrams, start: startDatagrams },
];
