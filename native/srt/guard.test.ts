/** Packets that could make libsrt overrun a buffer or loop, from peers with or without a key: others are not affected. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { sampleStream } from '../common/test-ts.ts';
import { type Peer, playKey, pushKey, Rig } from './test-rig.ts';
import {
  conclusion,
  control,
  control32,
  controlType,
  field,
  filter,
  group,
  handshakeBytes,
  keyMaterial,
  keyRequest,
  RawPeer,
  streamId,
} from './test-srt.ts';

setDefaultTimeout(30_000);

const answerMs = 3000;
let rig: Rig;
let player: Peer;

beforeAll(() => endpointBinary('srt', 'asan'), 120_000);
beforeAll(async () => {
  const sample = sampleStream();
  // A busy machine delays packets, and packets later than the latency are lost.
  rig = await Rig.start('asan', { latency: 1000 });
  rig.publish(sample, rig.url(pushKey));
  await rig.event('publish');
  player = rig.play(rig.url(playKey));
  await rig.event('client');
  await until(() => player.check.packets > 100);
});
afterAll(() => rig.close());

/** Connects as a player. A connection that ends before the endpoint has accepted it would not be reported. */
async function connectPlayer(): Promise<RawPeer> {
  const peer = await RawPeer.open(rig.port);
  expect(await peer.connect(conclusion(streamId(playKey)), answerMs)).toBeTrue();
  await rig.event('client');
  return peer;
}

async function disconnect(peer: RawPeer): Promise<void> {
  await peer.sendConnected(control(controlType.shutdown, Buffer.alloc(4)));
  await rig.event('closed');
  peer.close();
}

/** The endpoint is still the same process, accepts new players, and the stream continues without loss. */
async function expectUnharmed(pid: number): Promise<void> {
  await disconnect(await connectPlayer());
  const packets = player.check.packets;
  await until(() => player.check.packets > packets + 100);
  expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
  expect(rig.pid).toBe(pid);
}

/** A conclusion with one changed field. */
function changed(offset: number, value: number): Buffer {
  const bytes = conclusion(streamId(playKey));
  bytes.writeUInt32BE(value, offset);
  return bytes;
}

/** A tiny packet size, and the given request type. */
function typed(type: number): Buffer {
  const bytes = changed(field.mss, 76);
  bytes.writeUInt32BE(type, field.type);
  return bytes;
}

test.each<[string, Buffer]>([
  ['a packet size smaller than the answer', changed(field.mss, 76)],
  ['a window of 2^30 packets', changed(field.window, 2 ** 30)],
  ['key material larger than its buffer', conclusion(streamId(playKey), keyRequest(1000))],
  ['a group larger than its buffer', conclusion(streamId(playKey), group(400))],
  ['forward error correction', conclusion(streamId(playKey), filter('fec,cols:10,rows:5'))],
  ['the type of a rejection and a tiny packet size', typed(1000)],
  ['the type of another rejection and a tiny packet size', typed(1234)],
  ['an extension beyond its end', Buffer.concat([conclusion(streamId(playKey)), Buffer.of(0, 6, 0, 9)])],
])('a handshake with %s is ignored', async (_, bytes) => {
  const { pid } = rig;
  const peer = await RawPeer.open(rig.port);
  expect(await peer.connect(bytes, 300)).toBeFalse();
  peer.close();
  await expectUnharmed(pid);
});

test('a caller that requests forward error correction is reported with the reason', async () => {
  const peer = await RawPeer.open(rig.port);
  expect(await peer.connect(conclusion(streamId(playKey), filter('fec,cols:10,rows:5')), 300)).toBeFalse();
  const { port } = peer.socket.address();
  await rig.event('rejected', (event) => event.peer === `127.0.0.1:${port}` && event.reason === 'packet filter');
  peer.close();
});

test('only a few of many simultaneous handshakes with a key are processed', async () => {
  const { pid } = rig;
  const peer = await RawPeer.open(rig.port);
  let answers = 0;
  peer.socket.on('message', () => answers++);
  const beganAt = performance.now();
  // The listener requires no key and says so. Connecting fills in its cookie.
  const bytes = conclusion(streamId(playKey), keyRequest(16 + 16 + 16 + 8));
  expect(await peer.connect(bytes, answerMs)).toBeFalse();
  for (let i = 0; i < 500; i++) await peer.send(bytes);
  // Everything sent before it has been answered by now.
  await expectUnharmed(pid);
  const seconds = Math.ceil((performance.now() - beganAt) / 1000);
  expect(answers).toBeGreaterThan(2);
  expect(answers).toBeLessThanOrEqual(50 * (seconds + 1));
  peer.close();
});

const sequence = 1;
test.each<[string, Buffer]>([
  ['a drop request that never ends', control32(controlType.dropRequest, [sequence, 0x7fffffff])],
  ['a drop request of 2^30 packets', control32(controlType.dropRequest, [sequence, 2 ** 30])],
  ['a drop request that wraps', control32(controlType.dropRequest, [sequence + 1, sequence])],
  ['an acknowledgement of 2^30 packets', control32(controlType.ack, [2 ** 30 - 2])],
  ['a full one of 2^30 packets', control32(controlType.ack, [2 ** 30 - 2, 9000, 900, 8000])],
  ['a loss report that ends within a range', control32(controlType.lossReport, [0x80000000 | sequence])],
  ['a loss report of what was never sent', control32(controlType.lossReport, [0x80000000 | sequence, 2 ** 30 - 2])],
  ['new key material larger than its buffer', control(controlType.extension, keyMaterial(1400), 3)],
  ['a key response larger than its buffer', control(controlType.extension, keyMaterial(1400), 4)],
])('%s does no harm', async (_, bytes) => {
  const { pid } = rig;
  const peer = await connectPlayer();
  for (let i = 0; i < 20; i++) await peer.sendConnected(bytes);
  await expectUnharmed(pid);
  expect(rig.events.some(({ ev }) => ev === 'closed')).toBeFalse();
  await disconnect(peer);
});

test.each([
  ['a tiny packet size', field.mss, 43],
  // libsrt rejects from 1001 on.
  ['the type 1000 and a tiny packet size', field.type, 1000],
  ['a packet size of 2^31', field.mss, 0x7fffffff],
  ['a window of 2^31 packets', field.window, 0x7fffffff],
])('a call to a listener that answers %s fails without side effects', async (_, offset, value) => {
  const { pid } = rig;
  const listener = createSocket('udp4');
  listener.on('message', (bytes, { port }) => {
    if (bytes.length < handshakeBytes || bytes[0] !== 0x80 || bytes[1] !== 0) return;
    const answer = Buffer.from(bytes.subarray(0, handshakeBytes));
    bytes.copy(answer, field.destination, field.socketId, field.socketId + 4);
    answer.writeUInt32BE(5, field.version);
    const isInduction = bytes.readUInt32BE(field.type) === 1;
    if (isInduction) answer.writeUInt32BE(0x4a17, field.flags);
    else {
      if (offset === field.type) answer.writeUInt32BE(76, field.mss);
      answer.writeUInt32BE(value, offset);
    }
    const extensions = isInduction ? Buffer.alloc(0) : Buffer.from('00020003000105010000003f00780078', 'hex');
    listener.send(Buffer.concat([answer, extensions]), port, '127.0.0.1');
  });
  listener.bind(0, '127.0.0.1');
  await once(listener, 'listening');
  const options = { latency: 60, streamid: '', passphrase: '', pbkeylen: 0, oheadbw: 0 } as const;
  const { port } = listener.address();
  rig.endpoint.send({ op: 'call', id: 12, feed: 7, hosts: ['127.0.0.1'], port, direction: 'send', ...options });
  await rig.event('call', ({ state }) => state === 'failed');
  listener.close();
  await expectUnharmed(pid);
});
