/** The scene of the screenshots: a hub in the middle of a working day, with real streams and real faults. */
import { join } from 'node:path';
import { fillOperationLog, fillSystemLog } from '../fixtures/long-log.ts';
import type { HubProcess } from '../integration/hub-process.ts';
import { publish, run } from '../integration/live-media.ts';
import { isSrtData, openLossyLink } from '../integration/lossy-link.ts';
import { until } from '../support/until.ts';

interface Made {
  readonly id: number;
  readonly push: string;
  readonly play: string;
}

export interface Scene {
  /** The channel with everything: it is live, watched, and sends to several destinations. */
  readonly main: number;
  /** A channel whose encoder is behind a network that loses packets. */
  readonly lossy: number;
  /** An output of that channel, and a UDP output. */
  readonly output: number;
  readonly udpOutput: number;
  readonly input: number;
  /** A working input. */
  readonly link: number;
  readonly server: number;
  /** A channel with an unused backup, and one on its backup. */
  readonly backed: number;
  readonly onBackup: number;
  /** A channel with the maximum of everything, under the longest names. */
  readonly crowded: number;
  /** Closes the network that loses packets; otherwise open sockets would keep the program from exiting. */
  close(): void;
}

const settleMs = 20_000;
/** Age of entries from before the scene. */
const longAgoMs = 40 * 60_000;

export async function setScene(hub: HubProcess): Promise<Scene> {
  fillOperationLog(join(hub.dataDir, 'hub.sqlite'), { count: 400, end: Date.now() - longAgoMs });
  fillSystemLog(hub.dataDir, { count: 400, end: Date.now() });
  const { rtmp, srt } = hub.ports;
  const rtmpUrl = (key: string) => `rtmp://127.0.0.1:${rtmp}/live/${key}`;
  const srtUrl = (key: string) => `srt://127.0.0.1:${srt}?mode=caller&streamid=${key}`;
  const studio = await addChannel(hub, 'Studio A');
  const van = await addChannel(hub, 'Outside broadcast van 2');
  const web = await addChannel(hub, 'Web feed');
  await addChannel(hub, 'Harbour camera');
  await addChannel(hub, 'Archive playout', false);
  const outputs = await addOutputs(hub, { studio, van, web });
  const input = await addInputs(hub);
  const server = await addServers(hub);

  publish(rtmpUrl(studio.push));
  const mobile = await openLossyLink({ port: srt, every: 60, way: 'there', isMedia: isSrtData });
  publish(`srt://127.0.0.1:${mobile.port}?mode=caller&streamid=${van.push}&pkt_size=1316`, {
    pictures: { source: 'testsrc', size: '640x360', kbps: 900 },
    sound: { toneHz: 880 },
  });
  await until(async () => (await liveCount(hub)) === 3, settleMs, 'three channels are live');
  for (const url of [rtmpUrl(studio.play), srtUrl(studio.play), rtmpUrl(van.play)]) {
    run(['ffmpeg', '-nostdin', '-loglevel', 'quiet', '-i', url, '-map', '0', '-c', 'copy', '-f', 'null', '-']);
  }
  await until(async () => (await playerCount(hub, studio)) === 2, settleMs, 'two players watch');
  const backups = await addBackups(hub, { web, van, input });
  const crowded = await addCrowded(hub, backups.link);
  await until(async () => (await liveCount(hub)) === 6, settleMs, 'what takes the links is live');
  const close = () => mobile.close();
  return { main: studio.id, lossy: van.id, ...outputs, input, server, ...backups, crowded, close };
}

async function addChannel(hub: HubProcess, name: string, enable = true): Promise<Made> {
  const { id } = await hub.api<{ id: number }>('/api/channel/add', { name, config: { enable } });
  const { config } = await hub.api<{ config: Record<string, string> }>(`/api/channel/query?id=${id}`);
  return { id, push: config['push-key'] ?? '', play: config['play-key'] ?? '' };
}

async function addOutputs(hub: HubProcess, { studio, van, web }: Record<'studio' | 'van' | 'web', Made>) {
  const add = async (name: string, to: Made, config: object, enable = true): Promise<number> => {
    const { id } = await hub.api<{ id: number }>('/api/output/add', { name, config, channel: to.id });
    await hub.api('/api/channel/output/enable', { id: to.id, output: id, enable });
    return id;
  };
  const udpOutput = await add('Playout rack', studio, {
    type: 1,
    url: 'udp://239.255.42.1:5004?ttl=1&localaddr=127.0.0.1',
  });
  const output = await add('Web feed', studio, { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: web.push });
  // The discard port is closed.
  await add('Partner station', studio, { url: 'rtmp://127.0.0.1:9/live', key: 'live-1' });
  await add('Regional studio', studio, { type: 1, url: 'srt://127.0.0.1:9000?mode=caller&latency=200' }, false);
  await add('Backup recorder', van, { type: 1, url: 'udp://127.0.0.1:5010' });
  await hub.api('/api/preset/save', { name: 'Playout rack', output: udpOutput });
  return { output, udpOutput };
}

/** One that a channel waits for in vain, and one that is not used. */
async function addInputs(hub: HubProcess): Promise<number> {
  const satellite = await addChannel(hub, 'Satellite downlink (Eutelsat 7B transponder C12 backup)');
  const downlink = { type: 1, srt: { mode: 'caller', host: '127.0.0.1', port: 9, latency: 500 } };
  const { id } = await hub.api<{ id: number }>('/api/input/source/add', { name: 'Downlink', config: downlink });
  await hub.api('/api/channel/input/set', { id: satellite.id, input: id });
  const rack = { type: 1, udp: { host: '239.255.42.9', port: 5004, interface: '127.0.0.1' } };
  await hub.api('/api/input/source/add', { name: 'Encoder rack slot 3', config: rack });
  await hub.api('/api/preset/save', { name: 'Downlink', input: id });
  return id;
}

async function addServers(hub: HubProcess): Promise<number> {
  const add = async (name: string, config: object) =>
    (await hub.api<{ id: number }>('/api/server/add', { name, config })).id;
  await add('Partner uplink', { type: 2, url: 'uplink.partner.example', port: 9000, 'main-key': 'feed-1' });
  await add('Receivers of the region', { type: 3, port: 9200, 'max-connections': 8 });
  const url = 'rtmp://live.cdn.example/event';
  return add('CDN', { type: 1, url, 'main-key': 'main-1', 'sub-stream': true, 'sub-key': 'sub-1' });
}

/** Both links pull the hub's own streams, which saves an encoder. */
async function addBackups(hub: HubProcess, { web, van, input }: { web: Made; van: Made; input: number }) {
  const addLink = async (name: string, { play }: Made): Promise<number> => {
    const srt = { mode: 'caller', host: '127.0.0.1', port: hub.ports.srt, latency: 120, 'stream-id': play };
    return (await hub.api<{ id: number }>('/api/input/source/add', { name, config: { type: 1, srt } })).id;
  };
  const fibre = await addLink('Fibre to the town hall', web);
  const radio = await addLink('Radio link', van);
  const chamber = await addChannel(hub, 'Council chamber');
  await hub.api('/api/channel/input/set', { id: chamber.id, input: fibre, backup: radio });
  const chapel = await addChannel(hub, 'Chapel');
  const failover = { back: 'hand', slate: 'bars' };
  await hub.api('/api/channel/input/set', { id: chapel.id, input, backup: radio, failover });
  return { backed: chamber.id, onBackup: chapel.id, link: radio };
}

/** 63 characters, the maximum for a name. */
const longName = (number: number) =>
  `Outside broadcast of the harbour festival (north quay) line ${String(number).padStart(3, '0')}`;
const max = 16;

async function addCrowded(hub: HubProcess, link: number): Promise<number> {
  const channel = await addChannel(hub, longName(0));
  await hub.api('/api/channel/input/set', { id: channel.id, input: link });
  for (let number = 1; number <= max; number++) {
    const host = number % 4 === 0 ? `239.255.42.${number}` : '127.0.0.1';
    const config = { type: 1, udp: { host, port: 5020 + number, ...(number % 4 === 0 && { interface: '127.0.0.1' }) } };
    const { id } = await hub.api<{ id: number }>('/api/output/add', {
      name: longName(number),
      config,
      channel: channel.id,
    });
    await hub.api('/api/channel/output/enable', { id: channel.id, output: id, enable: true });
  }
  return channel.id;
}

async function liveCount(hub: HubProcess): Promise<number> {
  const { list } = await hub.api<{ list: { state: string }[] }>('/api/channel/dashboard');
  return list.filter(({ state }) => state === 'live').length;
}

async function playerCount(hub: HubProcess, { id }: Made): Promise<number> {
  return (await hub.api<{ clients: { list: unknown[] } }>(`/api/channel/query?id=${id}`)).clients.list.length;
}
