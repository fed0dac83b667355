/** Slow receivers, floods and noise: memory stays bounded and other connections are not affected. */

import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { type ConnectionStatistics, feedFlags } from '../../daemon/engine/srt/protocol.ts';
import { seededRandom } from '../../tests/support/seeded-random.ts';
import { until } from '../../tests/support/until.ts';
import { endpointBinary } from '../common/test-endpoint.ts';
import { madeUpPackets, sampleStream } from '../common/test-ts.ts';
import { playKey, pushKey, Rig } from './test-rig.ts';

setDefaultTimeout(30_000);

let rig: Rig;
let pacer: ReturnType<typeof setInterval> | undefined;

beforeAll(() => {
  endpointBinary('srt', 'asan');
  endpointBinary('srt', 'plain');
}, 120_000);
afterEach(async () => {
  clearInterval(pacer);
  await rig.close();
});

/** Sends a synthetic stream into feed 7, with a random access point every half second. */
function pace(mbps: number): void {
  const packets = madeUpPackets();
  const startedAt = performance.now();
  let sent = 0;
  let nextEntryAt = 0;
  pacer = setInterval(() => {
    const elapsed = performance.now() - startedAt;
    while (sent < elapsed * mbps * 125) {
      const isEntry = elapsed >= nextEntryAt;
      if (isEntry) nextEntryAt = elapsed + 500;
      const message = packets.next().value as Uint8Array;
      rig.endpoint.sendData(7, isEntry ? feedFlags.entryPoint : 0, message);
      sent += message.length;
    }
  }, 5);
}

function residentMegabytes(): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${rig.pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** A keep-alive packet with the time and the destination of a media packet. */
function keepAlive(media: Uint8Array): Uint8Array {
  const packet = new Uint8Array(20);
  packet.set([0x80, 0x01]);
  packet.set(media.subarray(8, 16), 8);
  return packet;
}

/** A proxy between a player and the endpoint. After `swallow` the player gets keep-alives in place of media. */
async function mediaSink(): Promise<{ port: number; swallow(): void; close(): void }> {
  let playerPort = 0;
  let isSwallowing = false;
  const inner = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data(_socket, packet) {
        const isMedia = ((packet[0] ?? 0) & 0x80) === 0;
        const passed = isSwallowing && isMedia ? keepAlive(packet) : packet;
        outer.send(passed, playerPort, '127.0.0.1');
      },
    },
  });
  const outer = await Bun.udpSocket({
    hostname: '127.0.0.1',
    socket: {
      data(_socket, packet, port) {
        playerPort = port;
        inner.send(packet, rig.port, '127.0.0.1');
      },
    },
  });
  return {
    port: outer.port,
    swallow: () => {
      isSwallowing = true;
    },
    close: () => {
      inner.close();
      outer.close();
    },
  };
}

test('a frozen player and one that acknowledges nothing are disconnected; the other gets every packet', async () => {
  rig = await Rig.start('plain');
  pace(12);
  const healthy = rig.play(rig.url(playKey));
  await rig.event('client');
  await until(() => healthy.check.packets > 2000);
  const before = residentMegabytes();
  const frozen = rig.play(rig.url(playKey));
  const frozenAs = await rig.event('client');
  const sink = await mediaSink();
  const deaf = rig.play(`srt://127.0.0.1:${sink.port}?streamid=${playKey}`);
  const deafAs = await rig.event('client');
  await until(() => frozen.check.packets > 500 && deaf.check.packets > 500);
  frozen.kill('SIGSTOP');
  sink.swallow();
  const timedOut = await rig.event('closed', (event) => event.conn === frozenAs.conn);
  expect(timedOut.reason).toBe('timeout');
  const slow = await rig.event('closed', (event) => event.conn === deafAs.conn);
  expect(slow.reason).toBe('slow');
  sink.close();
  // 12 Mb/s for more than 10 s would be over 15 MB for each of them.
  expect(residentMegabytes() - before).toBeLessThan(12);
  expect(healthy.check).toMatchObject({ jumps: 0, unaligned: 0 });
});

test('a player too slow for the bitrate skips whole groups, which are counted; memory stays bounded', async () => {
  rig = await Rig.start('plain', { latency: 2000 });
  pace(100);
  const frozen = rig.play(rig.url(playKey));
  const { conn } = await rig.event('client');
  frozen.kill('SIGSTOP');
  // On a busy machine the first lost groups may be small, since the sender of the stream is slower.
  const isOver = ({ conn: other, skips = 0, skipped_bytes: bytes = 0 }: ConnectionStatistics) =>
    other === conn && skips > 0 && bytes > 1 << 20;
  await rig.event('stats', ({ list }) => list.some(isOver));
  // Ring 8 MiB, libsrt's buffer for this latency 12.5 MB, and the library's own overhead.
  expect(residentMegabytes()).toBeLessThan(60);
});

test('random bytes and incomplete handshakes at the port do not affect connected players', async () => {
  rig = await Rig.start('asan');
  pace(2);
  const player = rig.play(rig.url(playKey));
  await rig.event('client');
  await until(() => player.check.packets > 100);
  const socket = await Bun.udpSocket({});
  const random = seededRandom(1);
  for (let i = 0; i < 2000; i++) {
    const noise = new Uint8Array(1 + Math.floor(random() * 1400)).map(() => random() * 256);
    // Every other one looks like a handshake packet: control bit, type 0, version 5.
    if (i % 2 === 0 && noise.length > 24) noise.set([0x80, 0, 0, 0, 0, 0, 0, 0], 0);
    if (i % 4 === 0 && noise.length > 24) noise.set([0, 0, 0, 0, 0, 0, 0, 5], 12);
    socket.send(noise, rig.port, '127.0.0.1');
    if (i % 100 === 0) await Bun.sleep(1);
  }
  socket.close();
  const seen = player.check.packets;
  await until(() => player.check.packets > seen + 200);
  expect(player.check).toMatchObject({ jumps: 0, unaligned: 0 });
  rig.play(rig.url(playKey));
  await rig.event('client');
});

test('an engine that stops reading loses media, which is reported; the endpoint continues', async () => {
  rig = await Rig.start('plain');
  rig.isEchoing = false;
  const sample = sampleStream();
  const fast = ['-readrate', '40', '-stream_loop', '-1', '-i', sample, '-c', 'copy', '-f', 'mpegts'];
  rig.peer(['ffmpeg', '-nostdin', '-v', 'error', ...fast, rig.url(pushKey)]);
  const { conn } = await rig.event('publish');
  await until(() => rig.checkOf(conn).packets > 5000);
  expect(rig.checkOf(conn).jumps).toBe(0);
  // This process is blocked while ffmpeg sends more than the endpoint buffers for it.
  Bun.sleepSync(4000);
  await rig.event('stats', ({ list }) => list.some((item) => item.conn === conn && (item.dropped_bytes ?? 0) > 0));
  const seen = rig.checkOf(conn).packets;
  await until(() => rig.checkOf(conn).packets > seen + 2000);
  expect(rig.checkOf(conn).unaligned).toBe(0);
  expect(rig.lost).toBe(1);
  expect(residentMegabytes()).toBeLessThan(60);
  expect(rig.starts).toBe(1);
});
