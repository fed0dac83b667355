/** Everything that repeatedly connects and disconnects at a hub, until stopped. */

import { leasePort } from '../../support/ports.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { BenchHub } from '../hub.ts';
import { openChannel } from '../subjects/signalbox.ts';
import { startSender, startSink, type ToolAddress, type Toolbox } from '../tools.ts';

export interface Churn {
  /** Number of cycles of each kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

interface Place {
  readonly toolbox: Toolbox;
  readonly hub: BenchHub;
  readonly seconds: number;
  readonly isOver: () => boolean;
}

const random = seededRandom(1);
const between = (least: number, max: number): number => least + random() * (max - least);
const pause = (leastMs: number, maxMs: number): Promise<void> => Bun.sleep(between(leastMs, maxMs));

/** `seconds`: longer than the churn; the tools exit by themselves after it, whatever happens to the bench. */
export async function startChurn(toolbox: Toolbox, hub: BenchHub, seconds: number): Promise<Churn> {
  let isOver = false;
  const counts: Record<string, number> = {};
  const failures: string[] = [];
  const place: Place = { toolbox, hub, seconds, isOver: () => isOver };
  const steady = await openSteady(place);
  const repeat = async (kind: string, once: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      try {
        await once();
        counts[kind] = (counts[kind] ?? 0) + 1;
      } catch (error) {
        failures.push(`${kind}: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]}`);
        await pause(1000, 2000);
      }
    }
  };
  const loops = [
    ...steady.players.map(({ kind, at }) => repeat(kind, () => comeAndGo(place, at))),
    repeat('outputs', () => addOutput(place, steady.channelId)),
    repeat('channels', () => addChannel(place)),
  ];
  return {
    counts,
    failures,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      await steady.close();
    },
  };
}

/** Two permanent channels, one per shape, with a publisher each. */
async function openSteady({ toolbox, hub, seconds }: Place) {
  const { rtmp, srt, hls } = hub.ports;
  const channels = [await openChannel(hub, []), await openChannel(hub, [])] as const;
  const [flv, ts] = channels;
  const senders = [
    startSender(toolbox, { url: `rtmp://127.0.0.1:${rtmp}/live/${flv.push}` }, seconds),
    startSender(toolbox, { url: `srt://127.0.0.1:${srt}`, streamId: ts.push }, seconds),
  ];
  await Promise.all(senders.map(({ sending }) => sending));
  const players: { kind: string; at: ToolAddress }[] = [
    { kind: 'RTMP players', at: { url: `rtmp://127.0.0.1:${rtmp}/live/${flv.play}` } },
    { kind: 'SRT players', at: { url: `srt://127.0.0.1:${srt}`, streamId: ts.play } },
    { kind: 'RTMP players of an SRT stream', at: { url: `rtmp://127.0.0.1:${rtmp}/live/${ts.play}` } },
    { kind: 'HLS viewers of an RTMP stream', at: { url: `hls://127.0.0.1:${hls}/live/${flv.play}/index.m3u8` } },
    { kind: 'HTTP-TS viewers', at: { url: `http://127.0.0.1:${hls}/live/${ts.play}.ts` } },
  ];
  return {
    players,
    channelId: ts.id,
    close: async () => {
      await Promise.all(senders.map((sender) => sender.stop()));
      await Promise.all(channels.map((channel) => channel.close()));
    },
  };
}

/** Some disconnect cleanly, the others are killed. */
async function comeAndGo({ toolbox, seconds }: Place, at: ToolAddress): Promise<void> {
  const sink = startSink(toolbox, at, Math.ceil(between(0, 4)), seconds);
  try {
    await sink.ready;
    await pause(500, 4000);
  } finally {
    if (random() < 0.5) await sink.stop();
    else await sink.child.kill();
  }
}

async function addOutput({ hub }: Place, channel: number): Promise<void> {
  const url = `udp://127.0.0.1:${leasePort()}`;
  const { id } = await hub.call('/api/output/add', {
    name: `Soak ${crypto.randomUUID()}`,
    config: { type: 1, url },
    channel,
  });
  await pause(500, 3000);
  await hub.call('/api/output/del', { id, force: true });
}

/** Adds a channel, publishes to it, watches it, and removes it while its publisher is still connected. */
async function addChannel({ toolbox, hub, seconds }: Place): Promise<void> {
  const channel = await openChannel(hub, [`udp://127.0.0.1:${leasePort()}`]);
  const at = `rtmp://127.0.0.1:${hub.ports.rtmp}/live`;
  const sender = startSender(toolbox, { url: `${at}/${channel.push}` }, seconds);
  try {
    await sender.sending;
    const player = startSink(toolbox, { url: `${at}/${channel.play}` }, 1, seconds);
    await player.ready;
    await pause(500, 3000);
    await player.child.kill();
  } finally {
    await channel.close();
    await sender.child.kill();
  }
}
