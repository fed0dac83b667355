/**
 * Channels over NDI on the double of the library: its frames become a channel, and a channel becomes its frames. FFmpeg
 * examines picture and sound at the other end.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel } from '../../daemon/contract/channels.ts';
import { sourceStates } from '../../daemon/contract/streams.ts';
import { commandLine, processTree } from '../bench/proc.ts';
import { buildDouble } from '../sim/ndi/build-double.ts';
import { clap, clapperInput } from '../sim/ndi/clapper.ts';
import { type Peer, startPeer } from '../sim/ndi/peer.ts';
import { until, untilSeen } from '../support/until.ts';
import { claps } from './clap-times.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { inspect, killAll, publish, record, untilRecorded } from './live-media.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-ndi-channels-'));
const file = (name: string) => join(folder, name);
let hub: HubProcess;
let peer: Peer;
beforeAll(async () => {
  const library = await buildDouble(folder);
  peer = await startPeer(library, { NDI_PEER_SERVES: '1', HOME: folder });
  hub = await startHub({ env: { NDI_RUNTIME_DIR_V6: folder } });
  await hub.login();
});
afterAll(async () => {
  await killAll();
  await hub?.stop();
  await peer?.end();
  rmSync(folder, { recursive: true, force: true });
});

const view = (id: number) => hub.api<Channel>(`/api/channel/query?id=${id}`);
const inputOf = async (id: number) => (await view(id)).input;
const outputOf = async (id: number) => (await view(id)).outputs.list[0];
async function addChannel(name: string): Promise<number> {
  const config = { 'push-key': `${name}-push`, 'play-key': `${name}-play`, enable: true };
  return (await hub.api<{ id: number }>('/api/channel/add', { name, config })).id;
}
const rtmp = (key: string) => `rtmp://127.0.0.1:${hub.ports.rtmp}/live/${key}`;
const fullName = (name: string) =>
  untilSeen(
    async () => (await peer.names()).find((each) => each.endsWith(`(${name})`)) ?? '',
    (found) => found !== '',
  );

/** Kills the one process below the engine whose command line matches, or stops it. */
async function kill(isMeant: (command: readonly string[]) => boolean, signal: NodeJS.Signals = 'SIGKILL') {
  const engine = await hub.enginePid();
  const found = processTree(engine).filter((pid) => isMeant(commandLine(pid)));
  expect(found).toHaveLength(1);
  for (const pid of found) process.kill(pid, signal);
}
const isFfmpeg =
  (codec: string) =>
  ([name = '', ...args]: readonly string[]) =>
    name.endsWith('ffmpeg') && args.includes(codec);

/** Checks the picture, and that each tone begins together with its flash. */
async function expectClaps(path: string): Promise<void> {
  const { plain, flashes, tones, slanted } = await claps(path);
  expect(slanted).toEqual([]);
  expect(Math.abs(plain.darkest - clap.dark)).toBeLessThan(8);
  expect(Math.abs(plain.brightest - clap.bright)).toBeLessThan(8);
  expect(flashes.length).toBeGreaterThanOrEqual(2);
  const offsets = flashes.map((flash) => Math.min(...tones.map((tone) => Math.abs(tone - flash))));
  expect(Math.max(...offsets)).toBeLessThan(0.04);
}

test('an NDI source becomes the input of a channel, in sync, and comes back when its processes die or hang', async () => {
  // An odd size: the last column and line are left out.
  expect(await peer.clap('Camera', { width: clap.width + 1, height: clap.height + 1 })).toBe(true);
  const source = await fullName('Camera');
  const id = await addChannel('from-ndi');
  const config = { ndi: { name: source } };
  const { id: input } = await hub.api<{ id: number }>('/api/input/source/add', { name: 'Camera', config });
  await hub.api('/api/channel/input/set', { id, input });
  const running = (reconnects: number) =>
    untilSeen(
      () => inputOf(id),
      ({ state, media, ...rest }) =>
        state === sourceStates.running &&
        media?.video?.width !== undefined &&
        media.audio?.['sample-rate'] !== undefined &&
        rest.reconnects >= reconnects,
    );
  const { media } = await running(0);
  expect(media).toMatchObject({
    video: { codec: 'h264', width: clap.width, height: clap.height },
    audio: { codec: 'aac', 'sample-rate': 48_000 },
  });

  const recording = record(rtmp('from-ndi-play'), file('in.flv'), 5);
  expect(await recording.exited).toBe(0);
  const found = await inspect(file('in.flv'));
  expect(found).toMatchObject({ videoCodec: 'h264', audioCodec: 'aac', width: clap.width, height: clap.height });
  expect(found.goesBack).toBe(false);
  await expectClaps(file('in.flv'));

  await kill((command) => command.includes('ndi-input'));
  await running(1);
  await kill(isFfmpeg('libx264'), 'SIGSTOP');
  await running(2);
});

test('a channel becomes an NDI source, in sync; other outputs continue when its processes die or hang', async () => {
  const id = await addChannel('to-ndi');
  const target = { name: 'To the studio', config: { ndi: { name: 'On air' } }, channel: id };
  const { id: output } = await hub.api<{ id: number }>('/api/output/add', target);
  await hub.api('/api/channel/output/enable', { id, output, enable: true });
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '25', '-c:a', 'aac'];
  publish(rtmp('to-ndi-push'), [...clapperInput(), ...coding]);
  const running = (reconnects: number) =>
    untilSeen(
      () => outputOf(id),
      (seen) => seen?.state === sourceStates.running && seen.reconnects >= reconnects,
    );
  await running(0);
  const source = await fullName('On air');
  const player = record(rtmp('to-ndi-play'), file('player.flv'));
  await untilRecorded(file('player.flv'), 1000, 20_000);
  await peer.record(source, file('out.mkv'));
  const { width, height, framesPerSecond } = clap;
  await untilRecorded(file('out.mkv'), 4 * framesPerSecond * width * height * 2, 30_000);
  const found = await inspect(file('out.mkv'));
  expect(found).toMatchObject({ videoCodec: 'rawvideo', audioCodec: 'pcm_f32le', width, height });
  await expectClaps(file('out.mkv'));

  await kill((command) => command.includes('ndi-output'));
  await running(1);
  await kill(isFfmpeg('rawvideo'));
  await running(2);
  await kill(isFfmpeg('rawvideo'), 'SIGSTOP');
  await running(3);
  await peer.receive(source);
  await until(async () => (await peer.formats(source)).video !== undefined, 20_000, 'the source is there again');
  await player.stop();
  const { longestGap } = await inspect(file('player.flv'));
  expect(existsSync(file('player.flv'))).toBe(true);
  expect(longestGap.video).toBeLessThan(0.2);
});
