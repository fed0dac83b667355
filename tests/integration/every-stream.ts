/** Streams over every protocol, with valid and invalid secrets, while an engine dies. */
import { connectionStates } from '../../daemon/contract/streams.ts';
import { looped, type Recipe } from '../support/clips.ts';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { secrets, type Written } from './every-write.ts';
import { askingServer } from './fake-peers.ts';
import type { HubProcess } from './hub-process.ts';
import { publish, run } from './live-media.ts';
import { openPictures } from './picture-stream.ts';
import type { ProcessWatch } from './process-watch.ts';

interface Scene {
  readonly hub: HubProcess;
  readonly written: Written;
  readonly processes: ProcessWatch;
  /** A web server that repeats the request in its refusal. */
  readonly repeatingPort: number;
}

const phrase = `&passphrase=${secrets.srtPassphrase}&pbkeylen=16`;
const login = (password: string) => ({ 'enable-auth': true, username: 'me', password });
const pictures = { size: '320x180', kbps: 400 } as const;
/** Audio that is remuxed into the other container. */
const withMp3: Recipe = { pictures, sound: { codec: 'libmp3lame', sampleRate: 44_100 } };

export async function streamEverything(scene: Scene): Promise<void> {
  const { hub, written, processes } = scene;
  const [listening, serving] = [leasePort(), leasePort()];
  await addOutputs(scene, { listening, serving });
  const pulling = await addInputs(scene, { listening, serving });
  publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${secrets.pushKey}`, withMp3);
  const isLive = async () =>
    (await hub.api<{ state: string }>(`/api/channel/query?id=${written.channel}`)).state === 'live';
  await until(isLive, 30_000, 'the channel is live');
  const players = startPlayers(hub, serving);
  const stream = await openPictures(hub);
  await hub.api('/api/preview/setup', { id: stream.handle, add: [written.channel] });
  const isPictured = () => [...processes.seen].some((line) => line.includes('ffmpeg') && line.includes('mpjpeg'));
  await until(() => isPictured() && stream.pictures.length > 0, 60_000, 'an FFmpeg makes pictures of the stream');
  stream.abort.abort();
  for (const id of pulling) await until(() => wasTried(hub, id), 30_000, `the input of channel ${id} is tried`);
  await Promise.all(players.map(({ exited }) => exited));
  const engine = await hub.enginePid();
  process.kill(engine, 'SIGKILL');
  await until(async () => (await hub.enginePid()) !== engine, 30_000, 'the engine is started again');
}

interface Ports {
  readonly listening: number;
  readonly serving: number;
}

async function addOutputs({ hub, written }: Scene, { listening, serving }: Ports): Promise<void> {
  const url = `rtmp://127.0.0.1:${askingServer(secrets.rtmpPassword).port}/app`;
  const srt = `srt://0.0.0.0:${listening}?mode=listener&streamid=${secrets.outputId}&passphrase=${secrets.callerPassphrase}`;
  const configs = {
    Taken: { url, key: secrets.outputKey, ...login(secrets.rtmpPassword) },
    'Turned away': { url, key: secrets.outputKey, ...login(secrets.guess) },
    Waits: { url: srt },
    Serves: { port: serving, key: 'stage', ...login(secrets.rtspPassword) },
  };
  for (const [name, config] of Object.entries(configs)) {
    const { id: output } = await hub.api<{ id: number }>('/api/output/add', { name, config, channel: written.channel });
    await hub.api('/api/channel/output/enable', { id: written.channel, output, enable: true });
  }
}

/** Returns the ids of their channels. */
async function addInputs({ hub, repeatingPort }: Scene, { listening, serving }: Ports): Promise<number[]> {
  const configs = [
    { url: `rtsp://me:${secrets.rtspPassword}@127.0.0.1:${serving}/stage?mw-tcp-first=1` },
    { url: `rtsp://me:${secrets.guess}@127.0.0.1:${serving}/stage` },
    { url: `http://me:${secrets.pullPassword}@127.0.0.1:${repeatingPort}/live.ts?token=${secrets.urlToken}` },
    {
      url: `srt://127.0.0.1:${listening}?mode=caller&streamid=${secrets.outputId}&passphrase=${secrets.callerPassphrase}`,
    },
    {
      url: `srt://127.0.0.1:${listening}?mode=caller&streamid=${secrets.inputId}&passphrase=${secrets.inputPassphrase}`,
    },
    { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: secrets.playKey, ...login(secrets.pullPassword) },
  ];
  const channels: number[] = [];
  for (const [i, config] of configs.entries()) {
    const { id: input } = await hub.api<{ id: number }>('/api/input/source/add', { name: `Live ${i}`, config });
    const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: `Pulls ${i}` });
    await hub.api('/api/channel/input/set', { id, input });
    channels.push(id);
  }
  return channels;
}

/** Each plays for two seconds, is refused, or is ended after a while; two try to publish where they may not. */
function startPlayers(hub: HubProcess, serving: number) {
  const { rtmp, srt, hls } = hub.ports;
  const played = [
    `rtmp://127.0.0.1:${rtmp}/live/${secrets.playKey}`,
    `rtmp://127.0.0.1:${rtmp}/live/${secrets.serverMainKey}`,
    `srt://127.0.0.1:${srt}?streamid=${secrets.playKey}${phrase}`,
    `srt://127.0.0.1:${srt}?streamid=${secrets.playKey}&passphrase=${secrets.callerPassphrase}`,
    `srt://127.0.0.1:${srt}?streamid=${secrets.serverMainKey}${phrase}`,
    `rtsp://me:${secrets.rtspPassword}@127.0.0.1:${serving}/stage`,
    `rtsp://me:${secrets.guess}@127.0.0.1:${serving}/stage`,
    `http://127.0.0.1:${hls}/live/${secrets.playKey}/index.m3u8`,
    `http://127.0.0.1:${hls}/live/${secrets.playKey}.ts`,
    `http://127.0.0.1:${hls}/live/${secrets.serverMainKey}/index.m3u8`,
  ];
  const ffmpeg = ['timeout', '--signal=KILL', '15', 'ffmpeg', '-nostdin', '-loglevel', 'error'];
  return [
    ...played.map((url) => run([...ffmpeg, '-i', url, '-t', '2', '-c', 'copy', '-f', 'null', '-'])),
    run([
      ...ffmpeg,
      ...looped({ pictures }),
      '-t',
      '3',
      '-f',
      'flv',
      `rtmp://127.0.0.1:${rtmp}/live/${secrets.playKey}`,
    ]),
    run([
      ...ffmpeg,
      ...looped({ pictures }),
      '-t',
      '3',
      '-f',
      'mpegts',
      `srt://127.0.0.1:${srt}?streamid=${secrets.pushKey}${phrase}`,
    ]),
  ];
}

/** Whether it is connected, or its attempt has ended. */
async function wasTried(hub: HubProcess, channel: number): Promise<boolean> {
  type ApiResponse = { input: { 'conn-state': number; reconnects: number } };
  const { input } = await hub.api<ApiResponse>(`/api/channel/query?id=${channel}`);
  return input['conn-state'] >= connectionStates.connected || input.reconnects > 0;
}
