/**
 * Faults of our own processes and of the clock: FFmpeg missing, printing garbage, eating memory; the engine killed; the
 * machine's clock stepped. What the API reports, how long recovery takes, and the effect on other streams.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Operation } from '../../daemon/contract/logs.ts';
import type { SystemStatus } from '../../daemon/contract/system.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { createMediaPort } from '../../daemon/media/port.ts';
import { markProcess } from '../../daemon/process/process-mark.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import { privateAllowed } from '../support/outgoing.ts';
import { until } from '../support/until.ts';
import { welcomingServer } from './fake-peers.ts';
import { createFaultReport } from './fault-report.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish, run } from './live-media.ts';
import { type Monitor, monitorOf, udpMonitor } from './monitor.ts';
import { openPictures, pictureMakers } from './picture-stream.ts';
import { RelayRig, type RigChannel } from './relay-rig.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-process-faults-'));
const ffmpeg = join(folder, 'ffmpeg');
const report = createFaultReport();
let hub: HubProcess;
let rig: RelayRig;
let studio: RigChannel;
let monitor: Monitor;

/** FFmpeg unmodified, or a faulty one. Its last argument is the destination. */
const programs = {
  right: 'exec ffmpeg "$@"',
  babbling: `for last; do :; done; exec python3 -c '
import os, sys
far = int(sys.argv[1].removeprefix("pipe:"))
while True:
    os.write(far, os.urandom(4096))
    os.write(2, os.urandom(4096))
' "$last"`,
  greedy: 'exec tail /dev/zero',
} as const;

import { leasePort } from '../support/ports.ts';

/** Atomically, so that no process starts a partial file. */
function install(name: keyof typeof programs): void {
  writeFileSync(`${ffmpeg}.new`, `#!/bin/sh\ncase "$*" in *-version*) exec ffmpeg "$@" ;; esac\n${programs[name]}\n`);
  chmodSync(`${ffmpeg}.new`, 0o755);
  renameSync(`${ffmpeg}.new`, ffmpeg);
}

beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_FFMPEG: ffmpeg }, timeDivisor });
  await hub.login();
  rig = new RelayRig(hub);
  studio = await rig.addChannel();
  publish(studio.push.rtmp);
  await studio.input.untilGood();
});
afterAll(async () => {
  await killAll();
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
  report.print();
});

async function pidOf(word: RegExp): Promise<number> {
  const engine = await hub.enginePid();
  const find = () => processTree(engine).findLast((pid) => commandLine(pid).some((part) => word.test(part)));
  await until(() => find() !== undefined, 20_000, `a process with ${word}`);
  return find() as number;
}

describe('FFmpeg, which makes the thumbnails of a channel', () => {
  let stream: Awaited<ReturnType<typeof openPictures>>;
  const nextPicture = async () => {
    const began = performance.now();
    const before = stream.pictures.length;
    await until(() => stream.pictures.length > before + 1, 60_000, 'pictures come');
    return performance.now() - began;
  };
  const killMakers = async () => {
    for (const pid of await pictureMakers(hub)) process.kill(pid, 'SIGKILL');
  };

  test('that is missing is reported, and used as soon as it is installed', async () => {
    stream = await openPictures(hub);
    await hub.api('/api/preview/setup', { id: stream.handle, add: [studio.id] });
    const ffmpegPart = async () => {
      const { status } = await hub.api<{ status: SystemStatus }>('/api/system/status');
      return status.system.parts.find(({ name }) => name === 'ffmpeg');
    };
    expect(await ffmpegPart()).toMatchObject({ ok: false, reason: 'missing' });
    expect(stream.pictures).toEqual([]);
    install('right');
    report.add('FFmpeg missing, then there', 'missing', await nextPicture());
    expect(await ffmpegPart()).toMatchObject({ ok: true });
    monitor = await monitorOf(studio, folder);
  });

  test('that prints garbage is ended, costs no memory, and is replaced', async () => {
    const memory = await hub.engineMemory();
    install('babbling');
    await killMakers();
    const babbler = await pidOf(/os\.urandom/);
    await until(() => commandLine(babbler).length === 0, 30_000, 'it is ended');
    expect(await hub.engineMemory()).toBeLessThan(memory + 80 * 1024 * 1024);
    install('right');
    report.add('FFmpeg printing garbage', '', await nextPicture());
  });

  test('that eats memory reaches its limit, and is replaced', async () => {
    install('greedy');
    await killMakers();
    const greedy = await pidOf(/^\/dev\/zero$/);
    await until(() => commandLine(greedy).length === 0, 30_000, 'the greedy one is gone');
    install('right');
    report.add('FFmpeg eating memory (limit 1 GiB)', '', await nextPicture());
  });

  test('does not affect other streams in the meantime', async () => {
    report.add('the others, all the while: longest pause', 'connected', await monitor.expectUndisturbed());
    stream.abort.abort();
  });
});

test('an engine that is killed while 16 outputs run: all of them recover', async () => {
  const channel = await rig.addChannel();
  const receivers = await Promise.all(Array.from({ length: 8 }, udpMonitor));
  const rtmp = welcomingServer();
  const outputs = await Promise.all([
    ...receivers.map(({ port }, i) => channel.addOutput({ [i % 2 ? 'rtp' : 'udp']: { host: '127.0.0.1', port } })),
    ...[1, 2, 3, 4].map((n) => channel.addOutput({ url: `rtmp://127.0.0.1:${rtmp.port}/live`, key: `key-${n}` })),
    ...[1, 2, 3, 4].map(async () => {
      const port = leasePort();
      run(['srt-live-transmit', '-q', '-a:yes', `srt://127.0.0.1:${port}?mode=listener`, 'file://con']);
      return channel.addOutput({ srt: { mode: 'caller', host: '127.0.0.1', port, latency: 120 } });
    }),
  ]);
  const first = publish(channel.push.rtmp);
  await Promise.all(outputs.map((output) => output.untilGood()));
  const engine = await hub.enginePid();
  const killedAt = performance.now();
  process.kill(engine, 'SIGKILL');
  await first.exited;
  await until(async () => (await hub.enginePid()) !== engine, 20_000, 'another engine runs');
  const engineMs = performance.now() - killedAt;
  publish(channel.push.rtmp);
  await Promise.all(outputs.map((output) => output.untilGood()));
  report.add('engine killed: another one runs', 'engineDown', engineMs);
  report.add('engine killed with 16 outputs: all good', 'waiting, noInput', performance.now() - killedAt);
  for (const receiver of receivers) receiver.close();
});

test('processes that hang are replaced: both endpoints, then the engine', async () => {
  const began = performance.now();
  const endpoints = ['srt', 'udp'] as const;
  const before = await Promise.all(endpoints.map((name) => hub.endpointPid(name)));
  for (const pid of before) process.kill(pid, 'SIGSTOP');
  await Promise.all(before.map((pid) => until(() => !isAliveAt(pid), 40_000, 'a hanging endpoint is killed')));
  const after = await Promise.all(endpoints.map((name) => hub.endpointPid(name)));
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  report.add('both endpoints stopped: others run', 'crashed', performance.now() - began);
  const engine = await hub.enginePid();
  process.kill(engine, 'SIGSTOP');
  await until(() => !isAliveAt(engine), 40_000, 'the hanging engine is killed');
  expect(await hub.enginePid()).not.toBe(engine);
  report.add('engine stopped: another one runs', 'engineDown', performance.now() - began);
  publish(studio.push.rtmp);
  await studio.input.untilGood();
});

test('a part is restarted by hand, and the others continue', async () => {
  const [srt, engine] = [await hub.endpointPid('srt'), await hub.enginePid()];
  await hub.api('/api/system/restart-part', { name: 'srt' });
  await until(async () => !isAliveAt(srt) && (await hub.endpointPid('srt')) !== srt, 20_000, 'another endpoint runs');
  expect(await hub.enginePid()).toBe(engine);
  await hub.api('/api/system/restart-part', { name: 'engine' });
  await until(async () => (await hub.enginePid()) !== engine, 20_000, 'another engine runs');
  await expect(hub.api('/api/system/restart-part', { name: 'hub' })).rejects.toThrow();
});

const isAliveAt = (pid: number) => markProcess(pid) !== undefined;
const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

describe.skipIf(!existsSync(faketime))('a clock that is stepped by an hour', () => {
  const clock = join(folder, 'clock');
  const step = (by: string) => writeFileSync(clock, `${by}\n`);
  const stepped = {
    ...{ LD_PRELOAD: faketime, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1' },
    ...{ DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  };

  test('forward and back, of the hub: users only have to sign in again', async () => {
    step('+0s');
    const other = await startHub({ env: stepped });
    try {
      await other.login();
      const own = new RelayRig(other);
      const channel = await own.addChannel();
      publish(channel.push.rtmp);
      await channel.input.untilGood();
      for (const by of ['+3600s', '-3600s', '+0s']) {
        step(by);
        const began = performance.now();
        await other.login();
        await own.addChannel();
        // Of the sign-in and the channel: when libfaketime is asked by another thread, it returns the real time.
        const { list } = await other.api<{ list: Operation[] }>('/api/log/list?count=2');
        const desired = Date.now() + Number.parseInt(by, 10) * 1000;
        const nearest = Math.min(...list.map(({ time }) => Math.abs(time - desired)));
        expect(nearest).toBeLessThan(60_000);
        await channel.input.until({ conn: 'connected', reason: undefined });
        report.add(`clock of the hub at ${by}`, 'connected', performance.now() - began);
      }
    } finally {
      await other.stop();
    }
  });

  test('forward and back, of the engine: no packet is late, no connection is lost, HLS continues', async () => {
    step('+0s');
    const lines: string[] = [];
    const dataDir = join(folder, 'engine');
    const environment = Object.entries(stepped).map(([name, value]) => `${name}=${value}`);
    const main = resolve(import.meta.dir, '../../daemon/main.ts');
    const port = createMediaPort({
      ...{ dataDir, ffmpeg: 'ffmpeg', log: createLog('debug', (line) => lines.push(line)) },
      command: ['env', ...environment, process.execPath, main, 'media', '--data-dir', dataDir],
    });
    const receiver = await udpMonitor();
    port.start();
    try {
      const target = {
        protocol: 'udp',
        host: '127.0.0.1',
        port: receiver.port,
        ttl: 1,
        interface: '',
        source: '',
      } as const;
      const srt = { port: 0, latencyMs: 120, keyLength: 0, passphrase: '' };
      const channel = {
        ...{ id: 1, name: 'Clock', enabled: true, pushKey: 'clock-push', playKey: 'clock-play', inputId: 0 },
        ...{ allow: { rtmp: true, srt: true }, takeover: false, input: { protocol: 'push' } as const },
        outputs: [{ id: 1, enabled: true, target }],
      };
      const settings = {
        bind: '127.0.0.1',
        rtmpPort: 0,
        hlsPort: 0,
        trustedProxies: [],
        srt,
        outgoing: privateAllowed,
      };
      port.apply({ settings, channels: [channel] } as Parameters<typeof port.apply>[0]);
      const isOpen = () => port.status().applied && port.ports().rtmp !== 0 && port.ports().hls !== 0;
      await until(isOpen, 20_000, 'the engine has the channel');
      publish(`rtmp://127.0.0.1:${port.ports().rtmp}/live/clock-push`);
      await receiver.more(1000);
      receiver.reset();
      const hls = `http://127.0.0.1:${port.ports().hls}/live/clock-play/index.m3u8`;
      const newest = async () => {
        const answer = await fetch(hls, { signal: AbortSignal.timeout(20_000) });
        return (await answer.text()).match(/^[^#\s].*$/gm)?.at(-1) ?? '';
      };
      for (const by of ['+3600s', '-3600s', '+0s']) {
        step(by);
        const before = await newest();
        const began = performance.now();
        await receiver.more(1000);
        await until(async () => (await newest()) !== before, 15_000, 'HLS has another segment');
        const { input, outputs } = port.status().channels.get(1) ?? {};
        expect({ by, input: input?.conn, output: outputs?.[0]?.conn }).toEqual({ by, input: 10, output: 10 });
        expect({ by, reconnects: [input?.reconnects, outputs?.[0]?.reconnects] }).toEqual({ by, reconnects: [0, 0] });
        report.add(`clock of the engine at ${by}: next HLS segment`, 'connected', performance.now() - began);
      }
      expect(receiver.continuityErrors).toBe(0);
    } finally {
      await port.close('end of the test');
      receiver.close();
    }
  });
});
