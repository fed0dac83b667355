import { readEvent } from '../../../daemon/engine/srt/protocol.ts';
import {
  conclusion,
  control,
  control32,
  controlType,
  field,
  filter,
  group,
  handshakeBytes,
  headerBytes,
  induction,
  keyMaterial,
  keyRequest,
  mediaPacket,
  RawPeer,
  streamId,
} from '../../../native/srt/test-srt.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget, RunningTarget } from '../target.ts';
import { type EndpointUnderFuzz, send, control as sendControl, startEndpoint } from './endpoint.ts';

/** Stream keys of the channel that the packets are for. */
export const srtKeys = { push: 'fuzz-push', play: 'fuzz-play' } as const;
const keys = { op: 'keys', list: [{ feed: 7, ...srtKeys }] };
const controlFrames = [
  '{"op":"keys","list":[{"feed":1,"push":"a","play":"b","publish":true,"play_ok":false,"busy":false}]}',
  '{"op":"hangup","id":1}',
  '{"op":"kick","conn":1}',
  '{"op":"link","conn":1,"feed":1}',
  '{"op":"unlink","call":1}',
  '{"op":"batch","conn":1,"ms":5,"prompt":true}',
  '{"op":"drop-feed","feed":1}',
  '{"op":"close-listener","id":1}',
  '{"op":"open-listener","id":1,"feed":1,"direction":"send","max":2,"streamid":"x","bind":"127.0.0.1","port":1,"latency":20,"passphrase":"0123456789","pbkeylen":16}',
].map((text) => Buffer.from(text));

const media = mediaPacket();

/** Datagrams that a connection receives: handshakes, ACKs, loss reports, keep-alives, shutdowns, media. */
const datagrams = [
  induction(),
  conclusion(streamId(srtKeys.push)),
  conclusion(streamId(`#!::r=${srtKeys.play},m=request`)),
  conclusion(keyRequest(56), streamId(srtKeys.play), filter('fec,cols:10,rows:5'), group(8)),
  control(1, Buffer.alloc(4)),
  control(controlType.ack, Buffer.from('000000010000271000000bb8000020000000006400000064000186a0', 'hex')),
  control32(controlType.ack, [1]),
  control32(controlType.lossReport, [0x80000001, 5]),
  control32(controlType.dropRequest, [1, 5]),
  control(controlType.shutdown, Buffer.alloc(4)),
  control(8, Buffer.alloc(4)),
  control(controlType.extension, Buffer.from('0001000300010501', 'hex'), 1),
  control(controlType.extension, keyMaterial(56), 3),
  media,
];

const answerMs = 20;

/**
 * Sends a handshake with the cookie of the endpoint, so that the endpoint parses it, then packets for the connection.
 * The input is the handshake or one of the packets.
 */
export async function attackSrt(port: number, input: Uint8Array, random: Random, isMutated = true): Promise<void> {
  const isHandshake = input[0] === 0x80 && input[1] === 0 && input.length >= handshakeBytes;
  const bytes = isHandshake ? Buffer.from(input) : conclusion(streamId(random.pick([srtKeys.push, srtKeys.play])));
  bytes.writeUInt32BE(1 + random.below(0x7ffffff), field.socketId);
  const peer = await RawPeer.open(port);
  if (await peer.connect(bytes, answerMs)) {
    for (let i = 0; i < 10; i++) {
      const next = i === 3 && !isHandshake ? Buffer.from(input) : Buffer.from(random.pick(datagrams));
      for (let j = isMutated ? random.below(4) : 0; j > 0; j--) next[random.below(next.length)] = random.below(256);
      await peer.sendConnected(next);
    }
    // A publisher that stays connected would block the next one.
    await peer.sendConnected(control(controlType.shutdown, Buffer.alloc(4)));
  }
  peer.close();
}

async function startDatagrams(): Promise<RunningTarget> {
  const endpoint = (await startEndpoint('srt', readEvent)) as unknown as EndpointUnderFuzz<never>;
  endpoint.bare.control(JSON.stringify(keys));
  endpoint.bare.control(JSON.stringify({ op: 'listen', bind: '127.0.0.1', port: endpoint.port }));
  return {
    async feed(input, random) {
      await send(endpoint.socket, endpoint.port, input);
      if (random.below(2) === 0) await attackSrt(endpoint.port, input, random);
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
      else sendControl(bare, input);
    },
    check,
    close,
  };
}

export const srtTargets: readonly FuzzTarget[] = [
  {
    name: 'srt-control',
    inputs: 500,
    corpus: () => [...controlFrames, media.subarray(headerBytes)],
    start: startControl,
  },
  { name: 'srt-datagrams', inputs: 300, corpus: () => datagrams, start: startDatagrams },
];
