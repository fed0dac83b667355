/** Thumbnails of one channel: the cost with no viewer, one and many. */
import { MultipartReader } from '../../web/src/shared/preview/multipart.ts';
import type { BenchHub } from './hub.ts';
import { countUsage } from './measure.ts';
import type { PreviewPoint, PreviewResult } from './report/result.ts';
import { openChannel } from './subjects/signalbox.ts';
import { startSender, type Toolbox } from './tools.ts';

const limitSeconds = 120;
const settleMs = 4000;
/** Longer than the engine waits before it stops unused thumbnails. */
const goneMs = 10_000;
/** A session may open this many streams. */
const streamsPerSession = 6;
const lookers = [0, 1, 4, 16, 0] as const;

interface Looker {
  pictures: number;
  stop(): void;
}

export async function measurePreview(toolbox: Toolbox, hub: BenchHub, windowMs: number): Promise<PreviewResult> {
  const channel = await openChannel(hub, []);
  const sender = startSender(toolbox, { url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live/${channel.push}` }, limitSeconds);
  const open: Looker[] = [];
  try {
    await sender.sending;
    const points: PreviewPoint[] = [];
    for (const count of lookers) {
      if (count === 0) for (const looker of open.splice(0)) looker.stop();
      while (open.length < count) {
        if (open.length % streamsPerSession === 0) await hub.signIn();
        open.push(await look(hub, channel.id));
      }
      await Bun.sleep(count === 0 && points.length > 0 ? goneMs : settleMs);
      const before = open.map(({ pictures }) => pictures);
      const { parts, othersCpu } = await countUsage(hub.processes(), [sender.child.pid], windowMs);
      const each = open.map(({ pictures }, i) => pictures - (before[i] ?? 0));
      const makers = hub.processes().ffmpeg.length;
      const leastPictures = each.length === 0 ? undefined : Math.min(...each);
      points.push({ lookers: count, parts, othersCpu, makers, ...(leastPictures !== undefined && { leastPictures }) });
    }
    return { seconds: windowMs / 1000, points };
  } finally {
    for (const looker of open) looker.stop();
    await sender.stop();
    await channel.close();
  }
}

async function look(hub: BenchHub, channelId: number): Promise<Looker> {
  const abort = new AbortController();
  const answer = await hub.stream('/api/preview/open', abort.signal);
  const id = answer.headers.get('handle-id') ?? '';
  const boundary = /boundary=([^;]+)/.exec(answer.headers.get('content-type') ?? '')?.[1] ?? '';
  const looker: Looker = { pictures: 0, stop: () => abort.abort() };
  const reader = new MultipartReader(boundary, () => {
    looker.pictures++;
  });
  const read = async (): Promise<void> => {
    for await (const bytes of answer.body ?? []) reader.feed(bytes);
  };
  // It ends by being stopped; a stream that ends by itself has too few pictures.
  read().catch(() => {});
  await hub.call('/api/preview/setup', { id, add: [channelId] });
  return looker;
}
