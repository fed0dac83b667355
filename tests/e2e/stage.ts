/** Channels and encoders of one test, on the hub shared by its worker. */

import type { HubProcess } from '../integration/hub-process.ts';
import { publish, type Running } from '../integration/live-media.ts';
import { untilSeen, usualMs } from '../support/until.ts';

export interface StagedChannel {
  readonly id: number;
  readonly name: string;
  readonly pushUrl: string;
  readonly srtPushUrl: string;
  readonly playUrl: string;
  /** Location of its HLS playlists. */
  readonly hlsFolder: string;
}

export interface Stage {
  /** A channel used only by this test; removed afterwards. */
  channel(name: string): Promise<StagedChannel>;
  /** The same with an encoder that sends to it; resolves when the hub reports it as live. */
  liveChannel(name: string): Promise<StagedChannel & { readonly encoder: Running }>;
  /** A new encoder for a channel; resolves when the hub reports it as live. */
  encodeAgain(channel: StagedChannel, options?: EncodeOptions & { readonly by?: 'RTMP' | 'SRT' }): Promise<Running>;
  /** An enabled output of the channel. */
  output(channel: StagedChannel, name: string, config: object): Promise<number>;
  /** Also removes an object that the test created through the console. */
  adopt(name: string): void;
  adoptOutput(id: number): void;
  clear(): Promise<void>;
}

export interface EncodeOptions {
  readonly codec?: 'h264' | 'hevc' | 'none';
  /** Names of FFmpeg encoders. */
  readonly sound?: 'aac' | 'libmp3lame' | 'mp2' | 'libopus';
  readonly groupSeconds?: number;
}

const perPage = 1000;

interface Listed {
  readonly id: number;
  readonly name: string;
}
let made = 0;

export function encode(url: string, options: EncodeOptions = {}): Running {
  const { codec = 'h264', sound = 'aac', groupSeconds = 1 } = options;
  // Small, so that two cores can run several encoders and two browsers.
  const pictures = codec === 'none' ? {} : { pictures: { size: '320x180', kbps: 400, codec, groupSeconds } as const };
  return publish(url, { ...pictures, sound: { codec: sound, kbps: 64 } });
}

export function createStage(hub: HubProcess): Stage {
  const names = new Set<string>();
  const outputs = new Set<number>();
  const stage: Stage = {
    async channel(title) {
      const name = `${title} ${++made}`;
      names.add(name);
      const [push, play] = [`push-${made}-${process.pid}`, `play-${made}-${process.pid}`];
      const config = { 'push-key': push, 'play-key': play, enable: true };
      const { id } = await hub.api<{ id: number }>('/api/channel/add', { name, config });
      const { rtmp, srt, hls } = hub.ports;
      return {
        id,
        name,
        pushUrl: `rtmp://127.0.0.1:${rtmp}/live/${push}`,
        srtPushUrl: `srt://127.0.0.1:${srt}?mode=caller&streamid=${push}&pkt_size=1316`,
        playUrl: `rtmp://127.0.0.1:${rtmp}/live/${play}`,
        hlsFolder: `http://127.0.0.1:${hls}/live/${play}`,
      };
    },
    async liveChannel(title) {
      const channel = await stage.channel(title);
      return { ...channel, encoder: await stage.encodeAgain(channel) };
    },
    async encodeAgain({ id, name, pushUrl, srtPushUrl }, { by = 'RTMP', ...options } = {}) {
      const encoder = encode(by === 'RTMP' ? pushUrl : srtPushUrl, options);
      const ended = encoder.exited.then((code) => {
        throw new Error(`the encoder of ${name} ended with ${code}: ${encoder.stderr()}`);
      });
      const look = () => hub.api<{ state: string }>(`/api/channel/query?id=${id}`);
      const isLive = untilSeen(look, ({ state }) => state === 'live', usualMs, `${name} is live`);
      await Promise.race([isLive, ended]);
      return encoder;
    },
    async output(channel, name, config) {
      const { id } = await hub.api<{ id: number }>('/api/output/add', { name, config, channel: channel.id });
      outputs.add(id);
      await hub.api('/api/channel/output/enable', { id: channel.id, output: id, enable: true });
      return id;
    },
    adopt: (name) => void names.add(name),
    adoptOutput: (id) => void outputs.add(id),
    async clear() {
      const { list } = await hub.api<{ list: Listed[] }>(`/api/channel/dashboard?count=${perPage}`);
      const own = list.filter((channel) => names.has(channel.name)).map((channel) => channel.id);
      if (own.length > 0) await hub.api('/api/channel/del', { id: own });
      const left = await hub.api<{ list: Listed[] }>(`/api/output/list?count=${perPage}`);
      const ownOutputs = left.list.filter((output) => outputs.has(output.id)).map((output) => output.id);
      if (ownOutputs.length > 0) await hub.api('/api/output/del', { id: ownOutputs, force: true });
    },
  };
  return stage;
}
