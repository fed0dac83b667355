/**
 * Every way in against every way out: a foreign sender, a channel with all outputs at once, and a foreign receiver for
 * each. docs/streams.md shows the same table.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../bench/ports.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { fileIn, inspect, killAll, picture, publish, type Running, record, until } from './live-media.ts';

setDefaultTimeout(90_000);

const folder = mkdtempSync(join(tmpdir(), 'sb-pairs-'));
const seconds = 4;
let hub: HubProcess;

beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
}, 60_000);
afterEach(killAll);
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Channel {
  readonly id: number;
  readonly push: string;
  readonly play: string;
}

let names = 0;
async function addChannel(input?: object): Promise<Channel> {
  const [push, play] = [`push-${++names}`, `play-${names}`];
  const config = { 'push-key': push, 'play-key': play, enable: true };
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name: `Pairs ${names}`, config });
  if (input) {
    const body = { name: `Input ${names}`, config: input };
    const { id: source } = await hub.api<{ id: number }>('/api/input/source/add', body);
    await hub.api('/api/channel/input/set', { id, input: source });
  }
  return { id, push, play };
}

async function addOutput(channel: Channel, config: object): Promise<void> {
  const body = { name: `Output ${++names}`, config, channel: channel.id };
  const { id } = await hub.api<{ id: number }>('/api/output/add', body);
  await hub.api('/api/channel/output/enable', { id: channel.id, output: id, enable: true });
}

const isLive = async ({ id }: Channel) =>
  (await hub.api<{ state: string }>(`/api/channel/query?id=${id}`)).state === 'live';

/** Opens the channel and starts its sender. */
type Way = (port: number) => Promise<Channel>;

const waysIn: Readonly<Record<string, Way>> = {
  async 'RTMP push'() {
    const channel = await addChannel();
    publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${channel.push}`);
    return channel;
  },
  async 'SRT push'() {
    const channel = await addChannel();
    publish(`srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=${channel.push}&pkt_size=1316`);
    return channel;
  },
  async 'SRT caller'(port) {
    publish(`srt://127.0.0.1:${port}?mode=listener&pkt_size=1316`);
    return addChannel({ type: 1, url: `srt://127.0.0.1:${port}?mode=caller&latency=120` });
  },
  async 'SRT listener'(port) {
    const channel = await addChannel({ type: 1, url: `srt://127.0.0.1:${port}?mode=listener&latency=120` });
    publish(`srt://127.0.0.1:${port}?mode=caller&pkt_size=1316`);
    return channel;
  },
  async UDP(port) {
    publish(`udp://127.0.0.1:${port}?pkt_size=1316`);
    return addChannel({ type: 1, url: `udp://127.0.0.1:${port}` });
  },
  async RTP(port) {
    publish(`rtp://127.0.0.1:${port}`);
    return addChannel({ type: 1, url: `rtp://127.0.0.1:${port}` });
  },
  async 'RTMP pull'() {
    const origin = await addChannel();
    publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${origin.push}`);
    return addChannel({ type: 1, url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live/${origin.play}` });
  },
  async 'RTSP pull'(port) {
    const origin = await addChannel();
    await addOutput(origin, { type: 0, port, key: 'origin' });
    publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${origin.push}`);
    return addChannel({ type: 1, url: `rtsp://127.0.0.1:${port}/origin` });
  },
  async 'HLS pull'() {
    const origin = await addChannel();
    publish(`srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=${origin.push}&pkt_size=1316`);
    return addChannel({ type: 1, url: `http://127.0.0.1:${hub.ports.hls}/live/${origin.play}/index.m3u8` });
  },
  async 'HTTP-TS pull'() {
    const origin = await addChannel();
    publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${origin.push}`);
    return addChannel({ type: 1, url: `http://127.0.0.1:${hub.ports.hls}/live/${origin.play}.ts` });
  },
};

/** Prepares the channel before it is live; answers what starts the receiver. */
type WayOut = (channel: Channel, port: number, file: string) => Promise<() => Running>;

const receive = (url: string, file: string) => () => record(url, file, seconds);

const waysOut: Readonly<Record<string, WayOut>> = {
  'RTMP play': async ({ play }, _, file) => receive(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${play}`, file),
  'SRT play': async ({ play }, _, file) =>
    receive(`srt://127.0.0.1:${hub.ports.srt}?mode=caller&streamid=${play}`, file),
  HLS: async ({ play }, _, file) => receive(`http://127.0.0.1:${hub.ports.hls}/live/${play}/index.m3u8`, file),
  'HTTP-TS': async ({ play }, _, file) => receive(`http://127.0.0.1:${hub.ports.hls}/live/${play}.ts`, file),
  async 'RTMP push'(channel, _, file) {
    const other = await addChannel();
    await addOutput(channel, { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: other.push });
    return receive(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/${other.play}`, file);
  },
  async 'SRT caller'(channel, port, file) {
    await addOutput(channel, { type: 1, url: `srt://127.0.0.1:${port}?mode=caller&latency=120` });
    return receive(`srt://127.0.0.1:${port}?mode=listener`, file);
  },
  async 'SRT listener'(channel, port, file) {
    await addOutput(channel, { type: 1, url: `srt://127.0.0.1:${port}?mode=listener&latency=120` });
    return receive(`srt://127.0.0.1:${port}?mode=caller`, file);
  },
  async UDP(channel, port, file) {
    await addOutput(channel, { type: 1, url: `udp://127.0.0.1:${port}` });
    return receive(`udp://127.0.0.1:${port}`, file);
  },
  async RTSP(channel, port, file) {
    await addOutput(channel, { type: 0, port, key: 'stage' });
    return receive(`rtsp://127.0.0.1:${port}/stage`, file);
  },
  async RTP(channel, port, file) {
    const group = `239.255.9.${1 + (port % 250)}`;
    await addOutput(channel, { type: 1, rtp: { host: group, port, ttl: 1, interface: '127.0.0.1' } });
    return receive(`rtp://${group}:${port}?localaddr=127.0.0.1`, file);
  },
};

test.each(Object.keys(waysIn))('%s comes out every way', async (wayIn) => {
  const ports = await freePorts(2 * (Object.keys(waysOut).length + 1));
  const channel = await (waysIn[wayIn] as Way)(ports);
  const prepared: { name: string; file: string; start: () => Running }[] = [];
  for (const [at, [name, way]] of Object.entries(waysOut).entries()) {
    const file = fileIn(folder, `${wayIn} to ${name}.mkv`.replaceAll(' ', '-'));
    prepared.push({ name, file, start: await way(channel, ports + 2 * (at + 1), file) });
  }
  await until(() => isLive(channel), 20_000, `${wayIn} is live`);
  const results = await Promise.all(
    prepared.map(async ({ name, file, start }) => {
      const receiver = start();
      if ((await receiver.exited) !== 0) return [name, receiver.stderr()];
      const { videoCodec, audioCodec, width, goesBack, longestGap, duration } = await inspect(file);
      const isWhole = duration > seconds - 2 && longestGap.video < 0.1 && longestGap.audio < 0.1;
      return [name, { videoCodec, audioCodec, width, goesBack, isWhole }];
    }),
  );
  const good = { videoCodec: 'h264', audioCodec: 'aac', width: picture.width, goesBack: false, isWhole: true };
  expect(Object.fromEntries(results)).toEqual(Object.fromEntries(Object.keys(waysOut).map((name) => [name, good])));
});
