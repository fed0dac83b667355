/**
 * Faults of our own processes and of the clock: FFmpeg missing, killed, stopped, babbling, greedy; the engine killed; the
 * clock of the machine stepped. What the API says, how long until it is good again, and what others feel.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Operation } from '../../daemon/contract/logs.ts';
import { createLog } from '../../daemon/lib/log.ts';
import { createMediaPort } from '../../daemon/media/port.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import { privateAllowed } from '../support/outgoing.ts';
import { until } from '../support/until.ts';
import { welcomingServer } from './far-ends.ts';
import { createFaultReport } from './fault-report.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish, run } from './live-media.ts';
import { RelayRig, type RigChannel, type RigLeg } from './relay-rig.ts';
import { timeDivisor } from './scaled-timing.ts';
import { type UdpWitness, udpWitness, type Witness, witnessOf } from './witness.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-process-faults-'));
const ffmpeg = join(folder, 'ffmpeg');
const report = createFaultReport();
let hub: HubProcess;
let rig: RelayRig;
let studio: RigChannel;
let witness: Witness;

/** FFmpeg as it is, or one that has gone wrong. Its last argument is where it should deliver. */
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

/** In one step, so that nobody starts half a file. */
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

describe('FFmpeg', () => {
  let rtspInput: RigLeg;
  let rtspUdp: UdpWitness;
  let bridged: UdpWitness;
  const isRtsp = /^rtsp:\/\/127\.0\.0\.1/;
  const isBridge = /^pipe:4$/;

  /** Breaks both at once: the input that needs it, and the bridge of an MP3 publisher. */
  async function breakBoth(signal: NodeJS.Signals): Promise<void> {
    for (const one of [isRtsp, isBridge]) process.kill(await pidOf(one), signal);
  }
  const bothAgain = async (withinMs = 30_000) => {
    const began = performance.now();
    await Promise.all([rtspInput.untilGood(withinMs), rtspUdp.more(500, withinMs), bridged.more(500, withinMs)]);
    return performance.now() - began;
  };

  test('that is missing is said so, and used as soon as it is there', async () => {
    const port = leasePort();
    const script = join(import.meta.dir, 'rtsp-server.py');
    run(['/usr/bin/python3', script, String(port), 'tcp', '-', 'digest', 'h264']);
    const input = await rig.addInput({ url: `rtsp://127.0.0.1:${port}/cam?mw-tcp-first=1` });
    rtspInput = input;
    rtspUdp = await udpWitness();
    await input.of.addOutput({ udp: { host: '127.0.0.1', port: rtspUdp.port } });
    await input.until({ conn: 'creationFailed', reason: 'partMissing', state: 'failed' });
    install('right');
    report.add('FFmpeg missing, then there', 'creationFailed, partMissing', await input.untilGood(60_000));
    const music = await rig.addChannel();
    bridged = await udpWitness();
    await music.addOutput({ udp: { host: '127.0.0.1', port: bridged.port } });
    publish(music.push.rtmp, { pictures: { size: '320x180', kbps: 400 }, sound: { codec: 'libmp3lame' } });
    await bothAgain();
    witness = await witnessOf(studio, folder);
  });

  test('that is killed is started again', async () => {
    await breakBoth('SIGKILL');
    await rtspInput.until({ conn: 'streamFailed', reason: 'badInput', state: 'failed' });
    report.add('FFmpeg killed', 'streamFailed, badInput', await bothAgain());
  });

  test('that stands still is noticed and replaced', async () => {
    await breakBoth('SIGSTOP');
    const began = performance.now();
    await rtspInput.until({ conn: 'failed', reason: 'internal', state: 'failed' });
    await bothAgain();
    report.add('FFmpeg stopped (SIGSTOP)', 'failed, internal', performance.now() - began);
  });

  test('that babbles is ended, costs no memory, and is replaced', async () => {
    const memory = await hub.engineMemory();
    install('babbling');
    await breakBoth('SIGKILL');
    await rtspInput.until({ conn: 'streamFailed', reason: 'noSync', state: 'failed' }, 30_000);
    const isTold = () => hub.logs().includes("what came out can't be read");
    await until(isTold, 30_000, 'the bridge is ended');
    expect(await hub.engineMemory()).toBeLessThan(memory + 80 * 1024 * 1024);
    install('right');
    report.add('FFmpeg printing garbage', 'streamFailed, noSync', await bothAgain(60_000));
  });

  test('that eats memory comes to its limit, and is replaced', async () => {
    install('greedy');
    await breakBoth('SIGKILL');
    await rtspInput.until({ conn: 'streamFailed', reason: 'badInput', state: 'failed' }, 30_000);
    const greedy = await pidOf(/^\/dev\/zero$/);
    await until(() => commandLine(greedy).length === 0, 30_000, 'the greedy one is gone');
    install('right');
    report.add('FFmpeg eating memory (limit 2 GiB)', 'streamFailed, badInput', await bothAgain(60_000));
  });

  test('all the while, those who need none of it felt nothing', async () => {
    report.add('the others, all the while: longest pause', 'connected', await witness.expectUndisturbed());
    rtspUdp.close();
    bridged.close();
  });
});

test('an engine that is killed while 16 outputs run: all of them are back', async () => {
  const channel = await rig.addChannel();
  const receivers = await Promise.all(Array.from({ length: 8 }, udpWitness));
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

const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

describe.skipIf(!existsSync(faketime))('a clock that is stepped by an hour', () => {
  const clock = join(folder, 'clock');
  const step = (by: string) => writeFileSync(clock, `${by}\n`);
  const stepped = {
    ...{ LD_PRELOAD: faketime, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1' },
    ...{ DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  };

  test('forth and back, of the hub: nobody has to do more than sign in', async () => {
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
        // Of the sign-in and the channel: while libfaketime asks for another thread, it passes the real time on.
        const { list } = await other.api<{ list: Operation[] }>('/api/log/list?count=2');
        const wanted = Date.now() + Number.parseInt(by, 10) * 1000;
        const nearest = Math.min(...list.map(({ time }) => Math.abs(time - wanted)));
        expect(nearest).toBeLessThan(60_000);
        await channel.input.until({ conn: 'connected', reason: undefined });
        report.add(`clock of the hub at ${by}`, 'connected', performance.now() - began);
      }
    } finally {
      await other.stop();
    }
  });

  test('forth and back, of the engine: no packet is late, no connection is lost, HLS goes on', async () => {
    step('+0s');
    const lines: string[] = [];
    const dataDir = join(folder, 'engine');
    const environment = Object.entries(stepped).map(([name, value]) => `${name}=${value}`);
    const main = resolve(import.meta.dir, '../../daemon/main.ts');
    const port = createMediaPort({
      ...{ dataDir, ffmpeg: 'ffmpeg', log: createLog('debug', (line) => lines.push(line)) },
      command: ['env', ...environment, process.execPath, main, 'media', '--data-dir', dataDir],
    });
    const receiver = await udpWitness();
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
