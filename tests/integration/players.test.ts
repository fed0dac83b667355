/** Common players that share no code with FFmpeg's protocols: GStreamer for both protocols, VLC for RTMP. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { inspect, killAll, picture, publish, run } from './live-media.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-players-'));
let hub: HubProcess;
let playRtmp = '';
let playSrt = '';

beforeAll(async () => {
  // VLC refuses to run as root, so another user writes here.
  chmodSync(folder, 0o777);
  hub = await startHub({});
  await hub.login();
  const config = { 'push-key': 'players-push', 'play-key': 'players-play', enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: 'Players', config });
  const { rtmp, srt } = hub.ports;
  playRtmp = `rtmp://127.0.0.1:${rtmp}/live/players-play`;
  playSrt = `srt://127.0.0.1:${srt}?mode=caller&streamid=players-play`;
  publish(`rtmp://127.0.0.1:${rtmp}/live/players-push`);
  const isLive = async () => (await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state === 'live';
  await until(isLive, 15_000, 'the channel is live');
});

afterAll(async () => {
  await killAll();
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Exits after two seconds of video and audio. */
async function playWithGstreamer(source: string): Promise<void> {
  const size = `video/x-h264,width=${picture.width},height=${picture.height}`;
  const video = `demux. ! queue ! h264parse ! ${size} ! fakesink num-buffers=50`;
  const audio = 'demux. ! queue ! aacparse ! fakesink num-buffers=90';
  const player = run(['timeout', '40', 'gst-launch-1.0', '-q', ...`${source} name=demux ${video} ${audio}`.split(' ')]);
  expect({ code: await player.exited, errors: player.stderr() }).toEqual({ code: 0, errors: '' });
}

test('GStreamer plays video and audio over RTMP', async () => {
  await playWithGstreamer(`rtmp2src location=${playRtmp} ! flvdemux`);
});

test('GStreamer plays video and audio over SRT', async () => {
  await playWithGstreamer(`srtsrc uri=${playSrt} ! tsdemux`);
});

test('VLC plays video and audio over RTMP', async () => {
  const file = join(folder, 'vlc.ts');
  const isRoot = process.getuid?.() === 0;
  const asSomebody = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const vlc = [
    'cvlc',
    '-q',
    '--run-time',
    '4',
    '--sout',
    `#std{access=file,mux=ts,dst=${file}}`,
    playRtmp,
    'vlc://quit',
  ];
  const player = run(['timeout', '40', 'env', `HOME=${folder}`, ...asSomebody, ...vlc]);
  expect(await player.exited).toBe(0);
  const { videoCodec, audioCodec, width, duration } = await inspect(file);
  expect({ videoCodec, audioCodec, width }).toEqual({ videoCodec: 'h264', audioCodec: 'aac', width: picture.width });
  expect(duration).toBeGreaterThan(2);
});
