/** Backup inputs: encoders die, and whoever watches notices a gap at most. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { ChannelStatus, FailoverRule, FetchSource, WantedChannel } from '../../daemon/media/protocol.ts';
import { freePorts } from '../bench/ports.ts';
import { type LiveEngine, pushed, startEngine } from './live-engine.ts';
import {
  hevcSource,
  inspect,
  killAll,
  publish,
  type Recording,
  type Running,
  record,
  untilRecorded,
} from './live-media.ts';

setDefaultTimeout(90_000);

let engine: LiveEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterEach(async () => {
  await killAll();
  await engine.apply([]);
});
afterAll(() => engine.stop());

const rule: FailoverRule = {
  ...{ standby: 'hot', noDataMs: 300, noVideoMs: 1000, noAudioMs: 0, back: 'stable', stableSeconds: 2 },
  slate: { kind: 'none' },
};
const hotGap = 0.5;
const coldGap = 3;

const file = (name: string) => join(engine.folder, name);
const push = (encode?: string[]) => publish(`rtmp://127.0.0.1:${engine.ports.rtmp}/live/push-1`, encode);
const recordRtmp = (name: string) => record(`rtmp://127.0.0.1:${engine.ports.rtmp}/live/play-1`, file(name));
const recordSrt = (name: string) => record(`srt://127.0.0.1:${engine.ports.srt}?streamid=play-1`, file(name));
const isOn = (role: string) => (channel: ChannelStatus) =>
  channel.failover?.active === role && channel.input.conn === 10;

async function backed(
  change: Partial<FailoverRule> = {},
): Promise<{ channel: WantedChannel; spare: (encode?: string[]) => Running }> {
  const port = await freePorts(1);
  const input: FetchSource = { protocol: 'udp', host: '127.0.0.1', port, ttl: 16, interface: '', source: '' };
  const channel = pushed(1, { backup: { inputId: 9, input, failover: { ...rule, ...change } } });
  return { channel, spare: (encode) => publish(`udp://127.0.0.1:${port}?pkt_size=1316`, encode) };
}

/** Complaints of the decoders that get the whole file. */
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

/** Ends the recordings; none ended by itself. */
async function ended(recordings: Readonly<Record<string, Running>>): Promise<Recording[]> {
  for (const { child } of Object.values(recordings)) expect(child.exitCode).toBeNull();
  await Promise.all(Object.values(recordings).map((running) => running.stop()));
  return Promise.all(Object.keys(recordings).map((name) => inspect(file(name))));
}

/** As cameras code: long groups, pictures out of order. */
const cameraSource = [
  ...['-re', '-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=25', '-re', '-f', 'lavfi', '-i', 'sine=frequency=880'],
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-g', '75', '-sc_threshold', '0', '-b:v', '1500k'],
  ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-ar', '44100'],
];

test('a hot backup takes over from an encoder that is killed, or hangs, and gives back without a gap', async () => {
  const { channel, spare } = await backed();
  await engine.apply([channel]);
  let encoder = push();
  spare(cameraSource);
  await engine.untilChannel(1, isOn('main'), 'the main input is on air', 15_000);
  await engine.untilChannel(1, ({ failover }) => failover?.backup.conn === 10, 'the backup is there', 15_000);
  const recordings = { 'hot.flv': recordRtmp('hot.flv'), 'hot.ts': recordSrt('hot.ts') };
  for (const name of Object.keys(recordings)) await untilRecorded(file(name), 500_000, 15_000);

  encoder.child.kill('SIGKILL');
  await engine.untilChannel(1, isOn('backup'), 'the backup is on air');
  encoder = push();
  await engine.untilChannel(1, isOn('main'), 'the main input is on air again', 15_000);
  expect(engine.channel(1).failover).toMatchObject({ switches: 2, switchReason: 'stable' });

  encoder.child.kill('SIGSTOP');
  await engine.untilChannel(1, isOn('backup'), 'the backup is on air again');
  expect(engine.channel(1).failover?.switchReason).toBe('noData');
  expect(engine.channel(1).input.protocol).toBe('udp');
  encoder.child.kill('SIGCONT');
  await engine.untilChannel(1, isOn('main'), 'the main input is on air once more', 15_000);
  await untilRecorded(file('hot.flv'), 2_000_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('hot:', recording.longestGap);
    expectSmooth(recording, hotGap);
  }
  expect(await faults('hot.ts')).toEqual([]);
});

test('an operator changes over without a gap, and stays', async () => {
  const { channel, spare } = await backed();
  await engine.apply([channel]);
  push();
  await engine.untilChannel(1, isOn('main'), 'the main input is on air', 15_000);
  const switchTo = (to: 'main' | 'backup') => engine.media.request({ what: 'switch', channelId: 1, to }, 2000);
  expect(await switchTo('backup')).toEqual({ what: 'error', text: 'notReady' });
  spare();
  await engine.untilChannel(1, ({ failover }) => failover?.backup.conn === 10, 'the backup is there', 15_000);
  const recordings = { 'hand.flv': recordRtmp('hand.flv'), 'hand.ts': recordSrt('hand.ts') };
  for (const name of Object.keys(recordings)) await untilRecorded(file(name), 500_000, 15_000);
  expect(await switchTo('backup')).toEqual({ what: 'done' });
  await engine.untilChannel(1, isOn('backup'), 'the backup is on air');
  expect(engine.channel(1).failover?.switchReason).toBe('operator');
  // The main input is good for longer than the rule asks.
  await untilRecorded(file('hand.flv'), 1_500_000, 15_000);
  expect(engine.channel(1).failover?.active).toBe('backup');
  expect(await switchTo('main')).toEqual({ what: 'done' });
  await engine.untilChannel(1, isOn('main'), 'the main input is on air again');
  await untilRecorded(file('hand.flv'), 1_800_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('by hand:', recording.longestGap);
    expectSmooth(recording, 0.15);
  }
});

test('a cold backup is only fetched when it is needed', async () => {
  const { channel, spare } = await backed({ standby: 'cold', back: 'hand' });
  await engine.apply([channel]);
  const encoder = push();
  spare();
  await engine.untilChannel(1, isOn('main'), 'the main input is on air', 15_000);
  const recordings = { 'cold.flv': recordRtmp('cold.flv'), 'cold.ts': recordSrt('cold.ts') };
  for (const name of Object.keys(recordings)) await untilRecorded(file(name), 500_000, 15_000);
  expect(engine.channel(1).failover?.backup).toMatchObject({ conn: 0, reason: 'switchedOff' });
  encoder.child.kill('SIGKILL');
  await engine.untilChannel(1, isOn('backup'), 'the backup is on air');
  await untilRecorded(file('cold.flv'), 1_200_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('cold:', recording.longestGap);
    expectSmooth(recording, coldGap);
  }
});

test('colour bars stand in when both are gone', async () => {
  const { channel, spare } = await backed({ slate: { kind: 'bars' } });
  await engine.apply([channel]);
  let encoder = push();
  const second = spare();
  await engine.untilChannel(1, isOn('main'), 'the main input is on air', 15_000);
  await engine.untilChannel(1, ({ failover }) => failover?.backup.conn === 10, 'the backup is there', 15_000);
  const recordings = { 'slate.flv': recordRtmp('slate.flv'), 'slate.ts': recordSrt('slate.ts') };
  for (const name of Object.keys(recordings)) await untilRecorded(file(name), 500_000, 15_000);
  second.child.kill('SIGKILL');
  encoder.child.kill('SIGKILL');
  await engine.untilChannel(1, isOn('slate'), 'the slate is on air');
  const { pictures } = await inspect(file('slate.flv'));
  await engine.untilChannel(1, () => engine.channel(1).failover?.main.conn === 0, 'the main input is gone');
  encoder = push();
  await engine.untilChannel(1, isOn('main'), 'the main input is on air again', 15_000);
  const size = Bun.file(file('slate.flv')).size;
  await untilRecorded(file('slate.flv'), size + 500_000, 15_000);
  for (const recording of await ended(recordings)) {
    console.log('slate:', recording.longestGap);
    expectSmooth(recording, 2 * hotGap);
    expect(recording.pictures).toBeGreaterThan(pictures);
    expect(recording.width).toBe(640);
  }
});

test('a channel whose codecs the splice can not carry says so', async () => {
  const { channel, spare } = await backed({ noVideoMs: 0 });
  await engine.apply([channel]);
  spare(hevcSource.map((word) => (word === 'aac' ? 'ac3' : word)));
  await engine.untilChannel(1, ({ failover }) => failover?.backup.reason === 'codecNotPossible', 'it says so', 15_000);
});
