/**
 * Faults of publishers, networks and destinations: what the API reports, how long recovery takes, and that nothing else
 * on the channel is affected. Faults of our own processes are in process-faults.test.ts.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RtmpPull } from '../../daemon/engine/rtmp/pull.ts';
import { clip } from '../support/clips.ts';
import { toLoopback } from '../support/outgoing.ts';
import { leasePort } from '../support/ports.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { until } from '../support/until.ts';
import { createFaultReport } from './fault-report.ts';
import { closeGates, openGate } from './gate.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { inspect, killAll, publish, record, untilRecorded } from './live-media.ts';
import { type Monitor, monitorOf } from './monitor.ts';
import { RelayRig, type RigChannel } from './relay-rig.ts';
import { scaledTiming, timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(150_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-faults-'));
const report = createFaultReport();
let hub: HubProcess;
let rig: RelayRig;
let studio: RigChannel;
let monitor: Monitor;

beforeAll(async () => {
  hub = await startHub({ timeDivisor });
  await hub.login();
  rig = new RelayRig(hub);
  studio = await rig.addChannel();
  publish(studio.push.rtmp);
  await studio.input.untilGood();
  monitor = await monitorOf(studio, folder);
});
afterAll(async () => {
  await killAll();
  closeGates();
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
  report.print();
});

describe.concurrent('a publisher', () => {
  const { holdMs } = scaledTiming.input;
  test.each([0, 1, 2])('that returns after %d times the hold time gets its channel and outputs back', async (holds) => {
    const [channel, over] = [await rig.addChannel(), await rig.addChannel()];
    const output = await channel.addOutput({ url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: over.pushKey });
    const encoder = publish(channel.push.rtmp);
    await output.untilGood();
    const file = join(folder, `gone-${holds}.mkv`);
    const player = record(channel.play.rtmp, file);
    await untilRecorded(file, 200_000, 20_000);
    const killedAt = performance.now();
    encoder.child.kill('SIGKILL');
    await channel.input.until({ conn: 'waiting', reason: 'closedByPeer', state: 'offline' });
    await Bun.sleep(holds * holdMs);
    if (holds === 2) await output.until({ conn: 'waiting', reason: 'noInput', state: 'offline' });
    const before = Bun.file(file).size;
    const began = performance.now();
    publish(channel.push.rtmp);
    await channel.input.untilGood();
    // On a busy machine, an encoder may take longer to start than outputs are held.
    const isHeld = performance.now() - killedAt < holdMs;
    await output.untilGood();
    await over.input.untilGood();
    report.add(`publisher gone for ${(holds * holdMs) / 1000} s`, 'waiting, closedByPeer', performance.now() - began);
    if (isHeld) expect((await output.now()).reconnects).toBe(0);
    // Players wait for any length of time.
    await until(() => Bun.file(file).size > before + 200_000, 15_000, 'the player has pictures again');
    await player.stop();
    expect((await inspect(file)).goesBack).toBe(false);
  });

  test('that uses a key in use is refused, and the first continues', async () => {
    for (const url of [studio.push.rtmp, studio.push.srt]) expect(await publish(url).exited).not.toBe(0);
    await studio.input.until({ conn: 'connected', reason: undefined, state: 'running' });
    report.add('a second publisher on the key', 'connected (the first)', 0);
  });
});

describe.concurrent('a destination', () => {
  const pushTo = async (port: number) => {
    const over = await rig.addChannel();
    return { over, output: await studio.addOutput({ url: `rtmp://127.0.0.1:${port}/live`, key: over.pushKey }) };
  };

  test('that accepts the connection and never reads is given up, and retried', async () => {
    const gate = await openGate({ to: hub.ports.rtmp });
    const { output } = await pushTo(gate.port);
    await output.until({ conn: 'connected', reason: undefined, state: 'running' });
    gate.freeze();
    await output.until({ conn: 'disconnected', reason: 'stalled', state: 'failed' }, 60_000);
    gate.thaw();
    report.add('destination never reads (RTMP)', 'disconnected, stalled', await output.untilGood());
  });

  test('that accepts the SRT connection and never reads is given up, and retried', async () => {
    const port = leasePort();
    const url = `srt://127.0.0.1:${port}?mode=listener`;
    // It blocks once the unread pipe is full, and its buffer is full soon after.
    const pipe = join(folder, 'unread');
    Bun.spawnSync(['mkfifo', pipe]);
    const unread = openSync(pipe, 'r+');
    const command = ['srt-live-transmit', '-a:no', `${url}&rcvbuf=200000`, 'file://con'];
    const deaf = Bun.spawn(command, { stdin: 'ignore', stdout: unread, stderr: 'ignore' });
    const output = await studio.addOutput({ srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120 } });
    await output.until({ conn: 'connected', reason: undefined, state: 'running' });
    // libsrt falls silent once it has no room; a peer that stops acknowledging but still sends is `stalled`.
    await output.until({ conn: 'disconnected', reason: 'timeout', state: 'failed' }, 60_000);
    deaf.kill('SIGKILL');
    await deaf.exited;
    closeSync(unread);
    record(url, join(folder, 'reads-srt.mkv'));
    report.add('destination never reads (SRT)', 'disconnected, timeout', await output.untilGood(60_000));
  });

  test('that resets after a good period is reconnected quickly, each time', async () => {
    const gate = await openGate({ to: hub.ports.rtmp });
    const { output } = await pushTo(gate.port);
    await output.untilGood();
    let longest = 0;
    for (let round = 0; round < 4; round++) {
      await Bun.sleep(2 * scaledTiming.backoff.goodMs);
      gate.cut('reset');
      const began = performance.now();
      // The failure shows for only half a second, which a busy machine may miss, so this checks the count.
      await until(async () => (await output.now()).reconnects > round, 20_000, 'the output reconnects');
      await output.untilGood();
      longest = Math.max(longest, performance.now() - began);
    }
    report.add('destination resets again and again (longest)', 'disconnected, closedByPeer', longest);
    expect(longest).toBeLessThan(5000);
    expect((await output.now()).reconnects).toBe(4);
  });

  test('with another passphrase is reported, until the passphrase is right', async () => {
    const port = leasePort();
    const door = { mode: 'listener', host: '127.0.0.1', port, latency: 120, 'pb-key-len': 32 } as const;
    await rig.addInput({ srt: { ...door, passphrase: 'correct horse' } });
    const call = { ...door, mode: 'caller' };
    const output = await studio.addOutput({ srt: { ...call, passphrase: 'something else' } });
    await output.until({ conn: 'authorizationFailed', reason: 'wrongPassphrase', state: 'failed' });
    await output.change({ srt: { ...call, passphrase: 'correct horse' } });
    report.add(
      'wrong passphrase, then the right one',
      'authorizationFailed, wrongPassphrase',
      await output.untilGood(),
    );
  });
});

describe.concurrent('a network', () => {
  test('with 1 % loss and packets out of order: both are counted, and the stream continues', async () => {
    const lossy = async (protocol: 'udp' | 'rtp') => {
      const port = leasePort();
      const input = await rig.addInput({ [protocol]: { host: '127.0.0.1', port } });
      const relay = await openLossyRelay(port);
      await studio.addOutput({ [protocol]: { host: '127.0.0.1', port: relay.port } });
      await input.untilGood();
      const file = join(folder, `lossy-${protocol}.mkv`);
      expect(await record(input.of.play.rtmp, file, 8).exited).toBe(0);
      const { input: shown } = await rig.view(input.of.id);
      const { pictures, goesBack } = await inspect(file);
      relay.close();
      expect(shown).toMatchObject({ state: 2, reconnects: 0 });
      expect({ protocol, goesBack }).toEqual({ protocol, goesBack: false });
      expect(pictures).toBeGreaterThan(40);
      return { errors: shown['cc-errors'] ?? 0, lost: relay.lost };
    };
    const [udp, rtp] = await Promise.all([lossy('udp'), lossy('rtp')]);
    report.add('UDP, 1 % lost and 1 % out of order', `connected, ${udp.errors} CC errors (${udp.lost} lost)`, 0);
    report.add('RTP, the same (put into order again)', `connected, ${rtp.errors} CC errors (${rtp.lost} lost)`, 0);
    expect(udp.errors).toBeGreaterThan(0);
    expect(rtp.errors).toBeLessThan(udp.errors);
  });
});

/** Encodes before the tests begin, because encoding blocks all concurrent tests for seconds. */
const encode = (size: string, codec: string[], ...options: string[]) => {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25`];
  const tone = ['-f', 'lavfi', '-i', 'sine=sample_rate=48000'];
  const sound = ['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-ac', '2'];
  return readFileSync(clip([...picture, ...tone, ...codec, ...sound, ...options, '-t', '4'], 'ts'));
};
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '25', '-b:v', '800k'];
const x265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:keyint=25:bframes=0'];
const plain = encode('640x360', h264);
const hevc = encode('640x360', x265);
const steps: readonly (readonly [string, Buffer])[] = [
  ['the first', plain],
  ['time stamps jump back', plain],
  ['another resolution', encode('320x180', h264)],
  ['another sample rate', encode('640x360', h264, '-ar', '44100')],
  ['time stamps 24 h ahead', encode('640x360', h264, '-output_ts_offset', '86400')],
  ['time stamps wrap', encode('640x360', h264, '-output_ts_offset', String(2 ** 33 / 90_000 - 2.5))],
];

test.concurrent('changes in mid-stream reach players in order, and no player is disconnected', async () => {
  const port = leasePort();
  const input = await rig.addInput({ udp: { host: '127.0.0.1', port } });
  const over = await rig.addChannel();
  const output = await input.of.addOutput({ url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: over.pushKey });
  const file = join(folder, 'changes.flv');
  const encoder = await openTsSender(port);
  const sending = (async () => {
    for (const [, bytes] of steps) await encoder.send(bytes, 4000);
  })();
  await input.untilGood();
  const player = record(input.of.play.rtmp, file);
  await sending;
  // FFmpeg 5 does not support HEVC in RTMP: from here on the far channel is the player.
  await player.stop();
  const video = async () => (await rig.view(over.id)).input.media?.video?.codec;
  const began = performance.now();
  const sent = encoder.send(hevc, 4000).then(() => encoder.send(plain, 4000));
  await until(async () => (await video()) === 'hevc', 10_000, 'the far end has HEVC');
  report.add('publisher changes its codec: the far end has it', 'connected', performance.now() - began);
  await until(async () => (await video()) === 'h264', 10_000, 'the far end has H.264 again');
  await sent;
  encoder.close();
  expect(await output.now()).toMatchObject({ reconnects: 0 });
  expect((await rig.view(over.id)).input.reconnects).toBe(0);
  const { goesBack, longestGap, duration } = await inspect(file);
  expect({ goesBack }).toEqual({ goesBack: false });
  expect(longestGap.video).toBeLessThan(0.6);
  expect(duration).toBeGreaterThan(15);
  report.add('resolution, sample rate, 3 leaps of the clock', 'connected', longestGap.video * 1000);
});

test('64 players within one second are served, and existing players are not affected', async () => {
  const memory = await hub.engineMemory();
  const firsts = Array.from({ length: 64 }, (_, i) => firstMedia(i % 4 === 3 ? 'ts' : 'rtmp', i * (900 / 64)));
  const players = await Promise.all(firsts);
  const waited = players.map(({ waitedMs }) => waitedMs).toSorted((a, b) => a - b);
  report.add('64 players within 1 s: the last has its first picture', 'connected', waited.at(-1) ?? 0);
  await until(async () => (await rig.view(studio.id)).clients.total >= 64, 20_000, 'all clients are on the list');
  expect(await hub.engineMemory()).toBeLessThan(memory + 120 * 1024 * 1024);
  for (const { stop } of players) stop();
});

test('the monitored players were never affected', async () => {
  const pause = await monitor.expectUndisturbed();
  report.add('the others, all the while: longest pause', 'connected', pause);
});

/** AVCPacketType of FLV: a picture, not the sequence header. */
const codedFrame = 1;

/** One player that joins after a delay; resolves with its first media. */
async function firstMedia(by: 'rtmp' | 'ts', afterMs: number): Promise<{ waitedMs: number; stop(): void }> {
  await Bun.sleep(afterMs);
  const began = performance.now();
  const since = () => performance.now() - began;
  if (by === 'ts') {
    const aborter = new AbortController();
    const response = await fetch(studio.play.ts, { signal: aborter.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const waitedMs = since();
    const reading = async () => {
      while (!(await reader?.read())?.done) if (aborter.signal.aborted) return;
    };
    reading().catch(() => {});
    return { waitedMs, stop: () => aborter.abort() };
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const pull = new RtmpPull({
    ...{ url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: studio.playKey },
    outgoing: toLoopback,
    sink: {
      message: ({ type, payload }) => type === 9 && payload[1] === codedFrame && resolve(since()),
      flush: () => {},
      close: () => {},
    },
    onStage: () => {},
    onEnd: (failure) => reject(failure ?? new Error('stopped')),
  });
  pull.start();
  return { waitedMs: await promise, stop: () => pull.stop() };
}

interface LossyRelay {
  readonly port: number;
  readonly lost: number;
  close(): void;
}

/** Drops one of a hundred datagrams, and delays another one of a hundred until the next. */
async function openLossyRelay(to: number): Promise<LossyRelay> {
  const socket = createSocket('udp4');
  const random = seededRandom(1);
  let lost = 0;
  let late: Buffer | undefined;
  socket.on('message', (data) => {
    const dice = random();
    if (dice < 0.01) {
      lost++;
      return;
    }
    if (dice < 0.02 && !late) {
      late = Buffer.from(data);
      return;
    }
    socket.send(data, to, '127.0.0.1');
    if (late) socket.send(late, to, '127.0.0.1');
    late = undefined;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    get lost() {
      return lost;
    },
    close: () => socket.close(),
  };
}

/** Sends clips one after another as one stream, each at a rate derived from its length. */
async function openTsSender(port: number): Promise<{ send(bytes: Buffer, ms: number): Promise<void>; close(): void }> {
  const socket = createSocket('udp4');
  const datagram = 7 * 188;
  let due = 0;
  return {
    async send(bytes, ms) {
      due = Math.max(due, performance.now());
      const count = Math.ceil(bytes.length / datagram);
      for (let i = 0; i < count; i++) {
        const wait = due + (i * ms) / count - performance.now();
        if (wait > 1) await Bun.sleep(wait);
        socket.send(bytes.subarray(i * datagram, (i + 1) * datagram), port, '127.0.0.1');
      }
      due += ms;
    },
    close: () => socket.close(),
  };
}
