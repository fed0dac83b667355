/** Ourselves: one hub for a row, one channel for a run. */
import type { BenchHub } from '../hub.ts';
import { freePorts } from '../ports.ts';
import type { Relay, Subject } from './subject.ts';

/** Asked for when it is needed: the first run of a row starts it. */
export type HubOfRow = () => Promise<BenchHub>;

const label = 'Signalbox';

interface Channel {
  readonly id: number;
  readonly push: string;
  readonly play: string;
  remove(): Promise<void>;
}

let counter = 0;

async function addChannel(hub: BenchHub): Promise<Channel> {
  counter++;
  const [push, play] = [`push-${counter}`, `play-${counter}`];
  const config = { enable: true, 'push-key': push, 'play-key': play };
  const { id } = await hub.call('/api/channel/add', { name: `Bench ${counter}`, config });
  return {
    id: Number(id),
    push,
    play,
    remove: async () => {
      await hub.call('/api/channel/del', { id });
    },
  };
}

/** Readers come by themselves with the play key. */
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

/** Every reader is an output of the channel. */
export function signalboxToUdp(hubOfRow: HubOfRow, ingest: 'srt' | 'udp'): Subject {
  return {
    id: 'signalbox',
    label,
    open: async (readers): Promise<Relay> => {
      const hub = await hubOfRow();
      const channel = await addChannel(hub);
      const output = await freePorts(readers);
      const outputs: unknown[] = [];
      for (let i = 0; i < readers; i++) {
        const config = { type: 1, url: `udp://127.0.0.1:${output + i}` };
        const answer = await hub.call('/api/output/add', {
          name: `UDP ${channel.id}-${i}`,
          config,
          channel: channel.id,
        });
        outputs.push(answer.id);
      }
      const input = ingest === 'udp' ? await addUdpInput(hub, channel) : undefined;
      return {
        ingest: input ?? { url: `srt://127.0.0.1:${hub.ports.srt}`, streamId: channel.push },
        egress: { url: `udp://127.0.0.1:${output}` },
        processes: () => hub.processes(),
        close: async () => {
          await channel.remove();
          await hub.call('/api/output/del', { id: outputs, force: true });
          if (input !== undefined) await hub.call('/api/input/source/del', { id: input.id, force: true });
        },
      };
    },
  };
}

async function addUdpInput(hub: BenchHub, channel: Channel): Promise<{ url: string; id: unknown }> {
  const port = await freePorts(1);
  const config = { type: 1, url: `udp://0.0.0.0:${port}` };
  const { id } = await hub.call('/api/input/source/add', { name: `UDP in ${channel.id}`, config });
  await hub.call('/api/channel/input/set', { id: channel.id, input: id });
  return { url: `udp://127.0.0.1:${port}`, id };
}
