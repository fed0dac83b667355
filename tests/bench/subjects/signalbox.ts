/** Signalbox: one hub for a row, one channel for a run. */

import { leasePort, leasePorts } from '../../support/ports.ts';
import type { BenchHub } from '../hub.ts';
import type { Relay, Subject } from './subject.ts';

/** Called on demand: the first run of a row starts it. */
export type HubOfRow = () => Promise<BenchHub>;

const label = 'Signalbox';

interface Channel {
  readonly id: number;
  /** The suffix of its keys; channels added one after the other are numbered consecutively. */
  readonly number: number;
  readonly push: string;
  readonly play: string;
  remove(): Promise<void>;
}

let counter = 0;

async function addChannel(hub: BenchHub): Promise<Channel> {
  counter++;
  const [push, play] = [`bench-push-${counter}`, `bench-play-${counter}`];
  const config = { enable: true, 'push-key': push, 'play-key': play };
  const { id } = await hub.call('/api/channel/add', { name: `Bench ${counter}`, config });
  return {
    id: Number(id),
    number: counter,
    push,
    play,
    remove: async () => {
      await hub.call('/api/channel/del', { id });
    },
  };
}

/** Readers connect with the play key. */
export function signalboxToPlayers(hubOfRow: HubOfRow, protocol: 'rtmp' | 'srt'): Subject {
  return {
    id: 'signalbox',
    label,
    open: async (): Promise<Relay> => {
      const hub = await hubOfRow();
      const channel = await addChannel(hub);
      const at = `127.0.0.1:${hub.ports[protocol]}`;
      const isRtmp = protocol === 'rtmp';
      return {
        ingest: isRtmp ? { url: `rtmp://${at}/live/${channel.push}` } : { url: `srt://${at}`, streamId: channel.push },
        egress: isRtmp ? { url: `rtmp://${at}/live/${channel.play}` } : { url: `srt://${at}`, streamId: channel.play },
        processes: () => hub.processes(),
        close: () => channel.remove(),
      };
    },
  };
}

const httpPlaces = {
  hls: { protocol: 'hls', path: '/index.m3u8' },
  lowLatencyHls: { protocol: 'hls', path: '/low.m3u8' },
  http: { protocol: 'http', path: '.ts' },
} as const;

/** HTTP viewers; the first one finds nothing prepared. */
export function signalboxToHttp(hubOfRow: HubOfRow, by: keyof typeof httpPlaces): Subject {
  return {
    id: 'signalbox',
    label,
    open: async (): Promise<Relay> => {
      const hub = await hubOfRow();
      const channel = await addChannel(hub);
      const { protocol, path } = httpPlaces[by];
      return {
        ingest: { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live/${channel.push}` },
        egress: { url: `${protocol}://127.0.0.1:${hub.ports.hls}/live/${channel.play}${path}` },
        processes: () => hub.processes(),
        close: () => channel.remove(),
      };
    },
  };
}

/** A channel with outputs to these addresses, and inputs added on demand. */
export async function openChannel(hub: BenchHub, urls: readonly string[]) {
  const channel = await addChannel(hub);
  const outputs: unknown[] = [];
  const inputs: unknown[] = [];
  for (const [i, url] of urls.entries()) {
    const name = `Out ${channel.id}-${i}`;
    outputs.push((await hub.call('/api/output/add', { name, config: { type: 1, url }, channel: channel.id })).id);
  }
  return {
    ...channel,
    /** Returns its id. */
    addInput: async (port: number): Promise<unknown> => {
      const config = { type: 1, url: `udp://0.0.0.0:${port}` };
      const { id } = await hub.call('/api/input/source/add', { name: `In ${channel.id}-${port}`, config });
      inputs.push(id);
      return id;
    },
    close: async (): Promise<void> => {
      await channel.remove();
      if (outputs.length > 0) await hub.call('/api/output/del', { id: outputs, force: true });
      for (const id of inputs) await hub.call('/api/input/source/del', { id, force: true });
    },
  };
}

/** RTMP in, SRT players: the stream is remuxed. */
export function signalboxAcross(hubOfRow: HubOfRow): Subject {
  return {
    id: 'signalbox',
    label,
    open: async (): Promise<Relay> => {
      const hub = await hubOfRow();
      const channel = await addChannel(hub);
      return {
        ingest: { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live/${channel.push}` },
        egress: { url: `srt://127.0.0.1:${hub.ports.srt}`, streamId: channel.play },
        processes: () => hub.processes(),
        close: () => channel.remove(),
      };
    },
  };
}

/** A channel that is read by RTSP. */
export async function openRtspServer(hub: BenchHub) {
  const port = leasePort();
  const channel = await openChannel(hub, [`rtsp://0.0.0.0:${port}/bench-stream`]);
  const ingest = { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live/${channel.push}` };
  return { ingest, url: `rtsp://127.0.0.1:${port}/bench-stream`, close: () => channel.close() };
}

/** RTMP in, and over RTSP into a second channel, whose player connects by itself. */
export function signalboxOverRtsp(hubOfRow: HubOfRow, protocol: 'rtmp' | 'srt'): Subject {
  return {
    id: 'signalbox',
    label,
    open: async (): Promise<Relay> => {
      const hub = await hubOfRow();
      const server = await openRtspServer(hub);
      const channel = await addChannel(hub);
      const config = { type: 1, url: `${server.url}?mw-tcp-first=1` };
      const { id } = await hub.call('/api/input/source/add', { name: `RTSP ${channel.number}`, config });
      await hub.call('/api/channel/input/set', { id: channel.id, input: id });
      const at = `127.0.0.1:${hub.ports[protocol]}`;
      const isRtmp = protocol === 'rtmp';
      return {
        ingest: server.ingest,
        egress: isRtmp ? { url: `rtmp://${at}/live/${channel.play}` } : { url: `srt://${at}`, streamId: channel.play },
        processes: () => hub.processes(),
        close: async () => {
          await channel.remove();
          await hub.call('/api/input/source/del', { id, force: true });
          await server.close();
        },
      };
    },
  };
}

/** Every reader is an output of the channel. */
export function signalboxToUdp(hubOfRow: HubOfRow, ingest: 'srt' | 'udp', egress: 'udp' | 'rtp'): Subject {
  return {
    id: 'signalbox',
    label,
    open: async (readers): Promise<Relay> => {
      const hub = await hubOfRow();
      const output = leasePorts(readers);
      const urls = Array.from({ length: readers }, (_, i) => `${egress}://127.0.0.1:${output + i}`);
      const channel = await openChannel(hub, urls);
      const port = leasePort();
      const isUdp = ingest === 'udp';
      if (isUdp) await hub.call('/api/channel/input/set', { id: channel.id, input: await channel.addInput(port) });
      return {
        ingest: isUdp
          ? { url: `udp://127.0.0.1:${port}` }
          : { url: `srt://127.0.0.1:${hub.ports.srt}`, streamId: channel.push },
        egress: { url: `${egress}://127.0.0.1:${output}` },
        processes: () => hub.processes(),
        close: () => channel.close(),
      };
    },
  };
}
