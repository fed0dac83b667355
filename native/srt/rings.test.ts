/** The data that the endpoint buffers for new players of a feed: long groups of pictures, within its limit. */
import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { feedFlags } from '../../daemon/engine/srt/protocol.ts';
import { until, untilSeen } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { madeUpPackets, packetSize } from '../common/test-ts.ts';
import { playKey, Rig } from './test-rig.ts';

setDefaultTimeout(60_000);

const mebibyte = 1 << 20;
/** The next message of a stream continues the previous one, also in the next group. */
let packets = madeUpPackets();
/** Packets: srt-live-transmit writes its last message together with the next one. */
const mayKeepBack = 50;
let rig: Rig;

beforeAll(() => {
  endpointBinary('srt', 'asan');
  endpointBinary('srt', 'plain');
}, 120_000);
afterEach(() => rig.close());

/** Sends a group of pictures into feed 7 as fast as the endpoint reads; returns how many packets of it must arrive. */
async function sendGroup(bytes: number): Promise<number> {
  let sent = 0;
  while (sent < bytes) {
    const piece = Buffer.concat(Array.from({ length: 100 }, () => Buffer.from(packets.next().value as Uint8Array)));
    await until(() => rig.endpoint.sendData(7, sent === 0 ? feedFlags.entryPoint : 0, piece));
    sent += piece.length;
  }
  return sent / packetSize - mayKeepBack;
}

/** A receiving connection makes the endpoint report; waits for a report that fits. */
async function ringBytes(fits: (bytes: number) => boolean): Promise<number> {
  return (await rig.event('stats', (event) => fits(event.ring_bytes))).ring_bytes;
}

async function start(build: 'asan' | 'plain', limit = 512 * mebibyte): Promise<void> {
  packets = madeUpPackets();
  rig = await Rig.start(build, { latency: 500 });
  rig.endpoint.send({ op: 'rings', bytes: limit });
}

test('a player that joins a long group gets every packet of it from its random access point on', async () => {
  await start('asan');
  const count = await sendGroup(32 * mebibyte);
  const player = rig.play(rig.url(playKey));
  await rig.event('client');
  await untilSeen(
    () => ({ ...player.check, count }),
    (seen) => seen.packets >= count,
    40_000,
  );
  expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
});

test('the memory of a long group is freed when shorter ones follow', async () => {
  await start('asan');
  rig.play(rig.url(playKey));
  await rig.event('client');
  await sendGroup(24 * mebibyte);
  await ringBytes((bytes) => bytes >= 24 * mebibyte);
  await sendGroup(mebibyte);
  // The previous group is kept for as long as a player may be reading it.
  expect(await ringBytes((bytes) => bytes < 6 * mebibyte)).toBeGreaterThanOrEqual(mebibyte);
});

test('beyond the limit of all feeds a long group is dropped, and the next one can be joined', async () => {
  await start('asan', 12 * mebibyte);
  const early = rig.play(rig.url(playKey));
  await rig.event('client');
  await sendGroup(24 * mebibyte);
  expect(await ringBytes(() => true)).toBeLessThanOrEqual(12.5 * mebibyte);
  early.kill();
  await rig.event('closed');
  const count = await sendGroup(2 * mebibyte);
  const player = rig.play(rig.url(playKey));
  await rig.event('client');
  await untilSeen(
    () => ({ ...player.check, count }),
    (seen) => seen.packets >= count,
  );
  expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
});

test('without memory for a long group the endpoint drops its buffer and continues', async () => {
  await start('plain');
  await sendGroup(mebibyte);
  const limited = Bun.spawnSync(['prlimit', `--pid=${rig.pid}`, `--data=${64 * mebibyte}`]);
  expect(limited.stderr.toString()).toBe('');
  await sendGroup(96 * mebibyte);
  const count = await sendGroup(mebibyte);
  const player = rig.play(rig.url(playKey));
  await rig.event('client');
  await untilSeen(
    () => ({ ...player.check, count }),
    (seen) => seen.packets >= count,
  );
  expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
  expect(rig.starts).toBe(1);
});
