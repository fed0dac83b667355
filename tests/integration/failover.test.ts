/** Backup inputs: encoders die, and viewers notice a gap at most. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { FailoverRule } from '../../daemon/media/protocol/desired.ts';
import type { ChannelStatus } from '../../daemon/media/protocol/reported.ts';
import type { FetchSource } from '../../daemon/sources/stream-address.ts';
import type { Recipe } from '../support/clips.ts';
import { leasePort } from '../support/ports.ts';
import { type LiveEngine, pushed, startEngine } from './live-engine.ts';
import { inspect, killAll, publish, type Recording, type Running, record, untilRecorded } from './live-media.ts';

setDefaultTimeout(90_000);

let engine: LiveEngine;
beforeAll(async () => {
  engine = await startEngine(1);
});
afterAll(async () => {
  await killAll();
  await engine.stop();
});

const rule: FailoverRule = {
  ...{ standby: 'hot', 'no-data-ms': 300, 'no-video-ms': 1000, 'no-audio-ms': 0, back: 'stable', 'stable-s': 2 },
  slate: { kind: 'none' },
};
const hotGap = 0.5;
const handGap = 0.3;
const coldGap = 3;

const file = (name: string) => join(engine.folder, name);
const isOn = (role: string) => (channel: ChannelStatus) =>
  channel.failover?.active === role && channel.input.conn === 10;

/** A separate channel for each test, with its encoders and players. */
async function backed(id: number, change: Partial<FailoverRule> = {}) {
  const port = leasePort();
  const input: FetchSource = { protocol: 'udp', host: '127.0.0.1', port, ttl: 16, interface: '', source: '' };
  const { rtmp, srt } = engine.ports;
  await engine.put(pushed(id, { backup: { inputId: id, input, failover: { ...rule, ...change } } }));
  return {
    push: (recipe?: Recipe) => publish(`rtmp://127.0.0.1:${rtmp}/live/push-${id}`, recipe),
    spare: (recipe?: Recipe) => publish(`udp://127.0.0.1:${port}?pkt_size=1316`, recipe),
    now: () => engine.channel(id),
    until: (holds: (channel: ChannelStatus) => boolean, what: string) => engine.untilChannel(id, holds, what, 15_000),
    /** Records over both player protocols; returns the recordings by file. */
    async record(name: string): Promise<Record<string, Running>> {
      const recordings = {
        [`${name}.flv`]: record(`rtmp://127.0.0.1:${rtmp}/live/play-${id}`, file(`${name}.flv`)),
        [`${name}.ts`]: record(`srt://127.0.0.1:${srt}?streamid=play-${id}`, file(`${name}.ts`)),
      };
      for (const one of Object.keys(recordings)) await untilRecorded(file(one), 500_000, 15_000);
      return recordings;
    },
  };
}

/** Errors of decoders that read the whole file. */
async function faults(name: string): Promise<string[]> {
  const command = ['ffmpeg', '-nostdin', '-v', 'error', '-i', file(name), '-f', 'null', '-'];
  const child = Bun.spawn(command, { stderr: 'pipe' });
  const lines = (await new Response(child.stderr).text()).split('\n');
  return lines.filter((line) => /^\[(h264|aac)/.test(line));
}

function expectSmooth(recording: Recording, gap: number): void {
  expect(recording.goesBack).toBe(false);
  expect(recording.longestGap.video).toBeLessThan(gap);
  expect(recording.longestGap.audio).toBeLessThan(gap + 0.1);
}

/** Ends the recordings; none may have ended by itself. */
async function ended(recordings: Readonly<Record<string, Running>>): Promise<Recording[]> {
  for (const { child } of Object.values(recordings)) expect(child.exitCode).toBeNull();
  await Promise.all(Object.values(recordings).map((running) => running.stop()));
  return Promise.all(Object.keys(recordings).map((name) => inspect(file(name))));
}

/** Like cameras: long GOPs, reordered pictures. */
const encoder = ['libx264', '-preset', 'veryfast', '-bf', '2', '-g', '75', '-sc_threshold', '0'];
const cameraSource: Recipe = {
  pictures: { source: 'testsrc', size: '640x360', kbps: 1500, encoder },
  sound: { toneHz: 880, sampleRate: 44_100 },
};

test.concurrent('a hot backup takes over from an encoder that is killed or hangs, and returns without a gap', async () => {
  const channel = await backed(1);
  let encoder = channel.push();
  channel.spare(cameraSource);
  await channel.until(isOn('main'), 'the main input is on air');
  await channel.until(({ failover }) => failover?.backup.conn === 10, 'the backup is there');
  const recordings = await channel.record('hot');

  encoder.child.kill('SIGKILL');
  await channel.until(isOn('backup'), 'the backup is on air');
  encoder = channel.push();
  await channel.until(({ failover }) => failover?.returnsAt !== undefined, 'the return is announced');
  await channel.until(isOn('main'), 'the main input is on air again');
  expect(channel.now().failover).toMatchObject({ switches: 2, switchReason: 'stable' });
  expect(channel.now().failover).not.toHaveProperty('returnsAt');

  encoder.child.kill('SIGSTOP');
  await channel.until(isOn('backup'), 'the backup is on air again');
  expect(channel.now().failover?.switchReason).toBe('noData');
  expect(channel.now().input.protocol).toBe('udp');
  encoder.child.kill('SIGCONT');
  await channel.until(isOn('main'), 'the main input is on air once more');
  await untilRecorded(file('hot.flv'), 2_000_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('hot:', recording.longestGap);
    expectSmooth(recording, hotGap);
  }
  expect(await faults('hot.ts')).toEqual([]);
});

test.concurrent('an operator switches without a gap, and the choice stays', async () => {
  const channel = await backed(2);
  channel.push();
  await channel.until(isOn('main'), 'the main input is on air');
  const switchTo = (to: 'main' | 'backup') => engine.media.request({ what: 'switch', channelId: 2, to }, 2000);
  expect(await switchTo('backup')).toEqual({ what: 'error', text: 'notReady' });
  channel.spare();
  await channel.until(({ failover }) => failover?.backup.conn === 10, 'the backup is there');
  const recordings = await channel.record('hand');
  expect(await switchTo('backup')).toEqual({ what: 'done' });
  await channel.until(isOn('backup'), 'the backup is on air');
  expect(channel.now().failover?.switchReason).toBe('operator');
  // The main input is good for longer than the rule requires.
  await untilRecorded(file('hand.flv'), 1_500_000, 15_000);
  expect(channel.now().failover?.active).toBe('backup');
  expect(await switchTo('main')).toEqual({ what: 'done' });
  await channel.until(isOn('main'), 'the main input is on air again');
  await untilRecorded(file('hand.flv'), 1_800_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('by hand:', recording.longestGap);
    // Less than the next keyframe would take.
    expectSmooth(recording, handGap);
  }
});

test.concurrent('a cold backup is pulled only when it is needed', async () => {
  const channel = await backed(3, { standby: 'cold', back: 'hand' });
  const encoder = channel.push();
  // The backup may be pulled, and kept by this rule, if the main input is late.
  await channel.until(isOn('main'), 'the main input is on air');
  channel.spare();
  await channel.until(({ failover }) => failover?.backup.reason === 'switchedOff', 'the backup is not fetched');
  const recordings = await channel.record('cold');
  encoder.child.kill('SIGKILL');
  await channel.until(isOn('backup'), 'the backup is on air');
  await untilRecorded(file('cold.flv'), 1_200_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('cold:', recording.longestGap);
    expectSmooth(recording, coldGap);
  }
});

test.concurrent('color bars are shown when both inputs are lost', async () => {
  const channel = await backed(4, { slate: { kind: 'bars' } });
  let encoder = channel.push();
  const second = channel.spare();
  await channel.until(isOn('main'), 'the main input is on air');
  await channel.until(({ failover }) => failover?.backup.conn === 10, 'the backup is there');
  const recordings = await channel.record('slate');
  second.child.kill('SIGKILL');
  encoder.child.kill('SIGKILL');
  await channel.until(isOn('slate'), 'the slate is on air');
  const { pictures } = await inspect(file('slate.flv'));
  await channel.until(() => channel.now().failover?.main.conn === 0, 'the main input is gone');
  // Nothing is received, although the stream goes on.
  await channel.until(({ input }) => input.kbps === 0 && input.since === 0, 'the slate does not count as received');
  expect(channel.now()).toMatchObject({ failover: { active: 'slate' }, input: { conn: 10 } });
  encoder = channel.push();
  await channel.until(isOn('main'), 'the main input is on air again');
  await channel.until(({ input }) => input.kbps > 0, 'the main input counts as received');
  const size = Bun.file(file('slate.flv')).size;
  await untilRecorded(file('slate.flv'), size + 500_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('slate:', recording.longestGap);
    expectSmooth(recording, 2 * hotGap);
    expect(recording.pictures).toBeGreaterThan(pictures);
    expect(recording.width).toBe(640);
  }
});

test.concurrent('a channel reports codecs that cannot be spliced', async () => {
  const channel = await backed(5, { 'no-video-ms': 0 });
  channel.spare({ sound: { codec: 'ac3' } });
  await channel.until(({ failover }) => failover?.backup.reason === 'codecNotPossible', 'it says so');
});
