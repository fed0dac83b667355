/** SRT players that join a channel late in a long GOP still start at its random access point. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { packetSize } from '../../daemon/engine/mpegts/packet.ts';
import { createTsScanner } from '../../daemon/engine/mpegts/scanner.ts';
import { StreamCheck } from '../../native/common/test-ts.ts';
import { clip } from '../support/clips.ts';
import { until, untilSeen, usualMs } from '../support/until.ts';
import { killAll, publish } from './live-media.ts';
import { openRigHub } from './rig-hub.ts';

setDefaultTimeout(90_000);

const at = openRigHub({ name: 'long-group', timeDivisor: 1 });
const players = new Set<Bun.Subprocess>();
afterEach(async () => {
  for (const player of players) player.kill();
  players.clear();
  await killAll();
});

/** 30 MB with one keyframe. */
function longGroup(): string[] {
  const noise = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25,noise=alls=80:allf=t', '-t', '12'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '20M', '-minrate', '20M', '-maxrate', '20M'];
  const oneKeyframe = ['-bufsize', '20M', '-bf', '0', '-g', '100000', '-sc_threshold', '0', '-pix_fmt', 'yuv420p'];
  return ['-re', '-stream_loop', '-1', '-i', clip([...noise, ...coding, ...oneKeyframe], 'nut'), '-c', 'copy'];
}

/** The output of srt-live-transmit: its errors, and the first packet that a decoder can start with. */
function play(url: string) {
  const child = Bun.spawn(['srt-live-transmit', '-a:no', url, 'file://con'], { stdout: 'pipe', stderr: 'ignore' });
  players.add(child);
  const check = new StreamCheck();
  const scanner = createTsScanner();
  const seen = { check, entryAt: -1 };
  let rest = new Uint8Array(0);
  let scanned = 0;
  void (async () => {
    for await (const chunk of child.stdout) {
      check.add(chunk);
      rest = Uint8Array.from([...(scanned < 100 ? rest : []), ...(scanned < 100 ? chunk : [])]);
      let from = 0;
      for (; from + packetSize <= rest.length && scanned < 100; from += packetSize) {
        if (scanner.scan(rest, from) && seen.entryAt < 0) seen.entryAt = scanned;
        scanned++;
      }
      rest = rest.slice(from);
    }
  })();
  return seen;
}

const buffersUsed = async () => {
  const { status } = await at.hub.api<{ status: { system: { status: { 'ring-info': { used: number } } } } }>(
    '/api/system/status',
  );
  return status.system.status['ring-info'].used;
};

test.each(['rtmp', 'srt'] as const)('of a publisher over %s', async (protocol) => {
  const channel = await at.rig.addChannel();
  publish(channel.push[protocol], longGroup());
  await until(async () => (await buffersUsed()) >= (protocol === 'srt' ? 32 : 16), 40_000, 'the group is long');
  const player = play(`srt://127.0.0.1:${at.hub.ports.srt}?streamid=${channel.playKey}&latency=500`);
  const isEnough = ({ check }: typeof player) => check.packets * packetSize > 14e6;
  const { check, entryAt } = await untilSeen(() => player, isEnough, usualMs);
  expect(entryAt).toBeLessThan(10);
  expect(entryAt).toBeGreaterThanOrEqual(0);
  expect(check).toMatchObject({ jumps: 0, unaligned: 0 });
});
