/** The demo's contents: channels fed by FFmpeg, channels fed by other channels, a waiting one, and a failing one. */
import { api } from '../../daemon/contract/api.ts';
import type { Channel } from '../../daemon/contract/channels.ts';
import type { OutputConfig } from '../../daemon/contract/outputs.ts';
import { testPictureArgs } from './ffmpeg-loop.ts';
import type { HubClient } from './hub-client.ts';

export interface Ports {
  readonly rtmp: number;
  readonly srt: number;
}
const multicastUrl = 'udp://239.255.42.1:5004?ttl=1&localaddr=127.0.0.1';
type Channels = ReadonlyMap<string, Channel>;

const names = {
  studio: 'Studio A',
  truck: 'Outside broadcast',
  overflow: 'Overflow room',
  web: 'Web feed',
  stadium: 'Stadium',
} as const;

/** Creates what is missing, so that a second run keeps the user's changes. */
export async function ensureChannels(hub: HubClient, ports: Ports): Promise<Channels> {
  const present = await channelsByName(hub);
  for (const name of Object.values(names)) {
    if (!present.has(name)) await hub.post(api.channels.add, { name, config: { enable: true } });
  }
  const channels = await channelsByName(hub);
  const outputs = await hub.get(api.outputs.list);
  for (const [name, from, config] of desiredOutputs(channels, ports)) {
    if (outputs.list.some((output) => output.name === name)) continue;
    await hub.post(api.outputs.add, { name, config, channel: channelNamed(channels, from).id });
  }
  return channels;
}

async function channelsByName(hub: HubClient): Promise<Channels> {
  const { list } = await hub.get(api.channels.dashboard);
  return new Map(list.map((channel) => [channel.name, channel]));
}

function channelNamed(channels: Channels, name: string): Channel {
  const channel = channels.get(name);
  if (!channel) throw new Error(`the hub has no channel "${name}"`);
  return channel;
}

function pushKeyOf({ name, config: { 'push-key': key } }: Channel): string {
  if (key === undefined)
    throw new Error(`the push key of "${name}" is hidden: sign in as somebody who may edit channels`);
  return key;
}

function desiredOutputs(channels: Channels, { rtmp, srt }: Ports): [name: string, from: string, OutputConfig][] {
  const pushKey = (name: string): string => pushKeyOf(channelNamed(channels, name));
  return [
    // Stays on this machine, and needs no receiver.
    ['Studio A as multicast', names.studio, { type: 1, url: multicastUrl }],
    [
      'Studio A to the overflow room',
      names.studio,
      { type: 1, url: `srt://127.0.0.1:${srt}?mode=caller&latency=120&streamid=${pushKey(names.overflow)}` },
    ],
    // The discard port is closed: an output that cannot connect shows the reason and retries.
    ['Backup site', names.studio, { url: 'rtmp://127.0.0.1:9/live', key: 'backup' }],
    ['Truck to the web', names.truck, { url: `rtmp://127.0.0.1:${rtmp}/live`, key: pushKey(names.web) }],
  ];
}

export interface DemoStreams {
  /** Arguments of each FFmpeg process that publishes or plays. */
  readonly commands: readonly string[][];
  readonly playUrls: readonly string[];
}

export function demoStreams(channels: Channels, { rtmp, srt }: Ports): DemoStreams {
  const keys = (name: string) => channelNamed(channels, name).config;
  const rtmpUrl = (key: string): string => `rtmp://127.0.0.1:${rtmp}/live/${key}`;
  const srtUrl = (key: string): string => `srt://127.0.0.1:${srt}?mode=caller&streamid=${key}`;
  const studio = { picture: 'testsrc2=size=1280x720:rate=25', toneHz: 440, kbps: 2500 };
  const truck = { picture: 'testsrc=size=960x540:rate=25', toneHz: 880, kbps: 1500 };
  const play = (url: string): string[] => ['-i', url, '-map', '0', '-c', 'copy', '-f', 'null', '-'];
  return {
    commands: [
      testPictureArgs(studio, ['-f', 'flv', rtmpUrl(pushKeyOf(channelNamed(channels, names.studio)))]),
      testPictureArgs(truck, [
        '-f',
        'mpegts',
        `${srtUrl(pushKeyOf(channelNamed(channels, names.truck)))}&pkt_size=1316`,
      ]),
      play(rtmpUrl(keys(names.studio)['play-key'])),
      play(srtUrl(keys(names.overflow)['play-key'])),
    ],
    playUrls: [rtmpUrl(keys(names.studio)['play-key']), srtUrl(keys(names.truck)['play-key']), multicastUrl],
  };
}
