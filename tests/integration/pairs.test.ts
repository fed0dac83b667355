/**
 * Every input protocol with every output protocol: an external sender, a channel with all outputs at once, and an
 * external receiver for each. docs/streams.md shows the same table.
 */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { leasePorts } from '../support/ports.ts';
import { fileIn, inspect, killAll, picture, publish, type Running, record } from './live-media.ts';
import type { RigChannel } from './relay-rig.ts';
import { openRigHub } from './rig-hub.ts';

setDefaultTimeout(90_000);

const seconds = 4;
const stage = openRigHub({ name: 'pairs', timeDivisor: 1 });
afterEach(killAll);

/** A channel with a pulled input. */
const fetching = async (url: string) => (await stage.rig.addInput({ type: 1, url })).of;

/** Opens the channel and starts its sender. */
type Way = (port: number) => Promise<RigChannel>;

const waysIn: Readonly<Record<string, Way>> = {
  async 'RTMP push'() {
    const channel = await stage.rig.addChannel();
    publish(channel.push.rtmp);
    return channel;
  },
  async 'SRT push'() {
    const channel = await stage.rig.addChannel();
    publish(channel.push.srt);
    return channel;
  },
  async 'SRT caller'(port) {
    publish(`srt://127.0.0.1:${port}?mode=listener&pkt_size=1316`);
    return fetching(`srt://127.0.0.1:${port}?mode=caller&latency=120`);
  },
  async 'SRT listener'(port) {
    const channel = await fetching(`srt://127.0.0.1:${port}?mode=listener&latency=120`);
    publish(`srt://127.0.0.1:${port}?mode=caller&pkt_size=1316`);
    return channel;
  },
  async UDP(port) {
    publish(`udp://127.0.0.1:${port}?pkt_size=1316`);
    return fetching(`udp://127.0.0.1:${port}`);
  },
  async RTP(port) {
    publish(`rtp://127.0.0.1:${port}`);
    return fetching(`rtp://127.0.0.1:${port}`);
  },
  async 'RTMP pull'() {
    const origin = await stage.rig.addChannel();
    publish(origin.push.rtmp);
    return fetching(origin.play.rtmp);
  },
  async 'RTSP pull'(port) {
    const origin = await stage.rig.addChannel();
    await origin.addOutput({ type: 0, port, key: 'origin' });
    publish(origin.push.rtmp);
    return fetching(`rtsp://127.0.0.1:${port}/origin`);
  },
  async 'HLS pull'() {
    const origin = await stage.rig.addChannel();
    publish(origin.push.srt);
    return fetching(origin.play.hls);
  },
  async 'HTTP-TS pull'() {
    const origin = await stage.rig.addChannel();
    publish(origin.push.rtmp);
    return fetching(origin.play.ts);
  },
};

/** Prepares the channel before it is live; returns a function that starts the receiver. */
type WayOut = (channel: RigChannel, port: number, file: string) => Promise<() => Running>;

const receive = (url: string, file: string) => () => record(url, file, seconds);

const waysOut: Readonly<Record<string, WayOut>> = {
  'RTMP play': async ({ play }, _, file) => receive(play.rtmp, file),
  'SRT play': async ({ play }, _, file) => receive(play.srt, file),
  HLS: async ({ play }, _, file) => receive(play.hls, file),
  'HTTP-TS': async ({ play }, _, file) => receive(play.ts, file),
  async 'RTMP push'(channel, _, file) {
    const other = await stage.rig.addChannel();
    await channel.addOutput({ url: `rtmp://127.0.0.1:${stage.hub.ports.rtmp}/live`, key: other.pushKey });
    return receive(other.play.rtmp, file);
  },
  async 'SRT caller'(channel, port, file) {
    await channel.addOutput({ type: 1, url: `srt://127.0.0.1:${port}?mode=caller&latency=120` });
    return receive(`srt://127.0.0.1:${port}?mode=listener`, file);
  },
  async 'SRT listener'(channel, port, file) {
    await channel.addOutput({ type: 1, url: `srt://127.0.0.1:${port}?mode=listener&latency=120` });
    return receive(`srt://127.0.0.1:${port}?mode=caller`, file);
  },
  async UDP(channel, port, file) {
    await channel.addOutput({ type: 1, url: `udp://127.0.0.1:${port}` });
    return receive(`udp://127.0.0.1:${port}`, file);
  },
  async RTSP(channel, port, file) {
    await channel.addOutput({ type: 0, port, key: 'stage' });
    return receive(`rtsp://127.0.0.1:${port}/stage`, file);
  },
  async RTP(channel, port, file) {
    const group = `239.255.9.${1 + (port % 250)}`;
    await channel.addOutput({ type: 1, rtp: { host: group, port, ttl: 1, interface: '127.0.0.1' } });
    return receive(`rtp://${group}:${port}?localaddr=127.0.0.1`, file);
  },
};

test.each(Object.keys(waysIn))('%s is received over every output protocol', async (wayIn) => {
  const ports = leasePorts(2 * (Object.keys(waysOut).length + 1));
  const channel = await (waysIn[wayIn] as Way)(ports);
  const prepared: { name: string; file: string; start: () => Running }[] = [];
  for (const [at, [name, way]] of Object.entries(waysOut).entries()) {
    const file = fileIn(stage.folder, `${wayIn} to ${name}.mkv`.replaceAll(' ', '-'));
    prepared.push({ name, file, start: await way(channel, ports + 2 * (at + 1), file) });
  }
  await channel.untilLive(20_000);
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
