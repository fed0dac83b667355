/** How long a player waits for its first frame: after it connects, and after the publisher starts. */
import type { BenchHub } from '../hub.ts';
import { nginxHls, nginxRtmp } from '../subjects/nginx-rtmp.ts';
import { signalboxAcross, signalboxToHttp, signalboxToPlayers, signalboxToUdp } from '../subjects/signalbox.ts';
import type { Subject } from '../subjects/subject.ts';
import { type Sink, startSender, startSink, type Toolbox } from '../tools.ts';
import { type Timing, type TimingPlan, timing } from './timing.ts';

/** More than two GOPs: by then a relay holds the data that it keeps for new players. */
const streamMs = 5000;
const limitSeconds = 40;
const joinLimitMs = 300;

export async function measureJoins(toolbox: Toolbox, hub: BenchHub, plan: TimingPlan): Promise<Timing[]> {
  const ours = () => Promise.resolve(hub);
  const joins: { what: string; limitMs?: number; subjects: Subject[] }[] = [
    { what: 'RTMP in: RTMP player', limitMs: joinLimitMs, subjects: [signalboxToPlayers(ours, 'rtmp'), nginxRtmp] },
    { what: 'SRT in: SRT player', limitMs: joinLimitMs, subjects: [signalboxToPlayers(ours, 'srt')] },
    { what: 'RTMP in: SRT player', limitMs: joinLimitMs, subjects: [signalboxAcross(ours)] },
    {
      what: 'RTMP in: first HLS viewer',
      limitMs: joinLimitMs,
      subjects: [signalboxToHttp(ours, 'lowLatencyHls'), nginxHls],
    },
    { what: 'RTMP in: first HTTP-TS viewer', limitMs: joinLimitMs, subjects: [signalboxToHttp(ours, 'http')] },
  ];
  const timings: Timing[] = [];
  for (const { what, limitMs, subjects } of joins) {
    for (const { id, label, open } of subjects) {
      const of = { what: `${what}, from its connection to the first picture`, label, isOurs: id === 'signalbox' };
      const times = () =>
        many(
          plan.attempts,
          () => open(1),
          (relay) => joinOnce(toolbox, relay),
        );
      timings.push(...(await timing(plan, { ...of, ...(limitMs !== undefined && { limitMs }) }, times)));
    }
  }
  const starts: { what: string; subjects: Subject[] }[] = [
    { what: 'RTMP in: waiting RTMP player', subjects: [signalboxToPlayers(ours, 'rtmp'), nginxRtmp] },
    { what: 'UDP in: waiting UDP receiver', subjects: [signalboxToUdp(ours, 'udp', 'udp')] },
  ];
  for (const { what, subjects } of starts) {
    for (const { id, label, open } of subjects) {
      const of = { what: `${what}, from the first packet in to the first picture`, label, isOurs: id === 'signalbox' };
      const times = () =>
        many(
          plan.attempts,
          () => open(1),
          (relay) => startOnce(toolbox, relay),
        );
      timings.push(...(await timing(plan, of, times)));
    }
  }
  return timings;
}

/** A separate relay for each attempt, all at once: the second attempt is not warmed up by the first. */
async function many(
  attempts: number,
  open: () => ReturnType<Subject['open']>,
  once: (relay: Awaited<ReturnType<Subject['open']>>) => Promise<number>,
): Promise<number[]> {
  const relays = [];
  try {
    for (let i = 0; i < attempts; i++) relays.push(await open());
    return await Promise.all(relays.map(once));
  } finally {
    await Promise.all(relays.map((relay) => relay.close()));
  }
}

/** One after the other, so that they do not compete for CPU. */
let turn: Promise<unknown> = Promise.resolve();

async function joinOnce(toolbox: Toolbox, { ingest, egress }: Awaited<ReturnType<Subject['open']>>): Promise<number> {
  const sender = startSender(toolbox, ingest, limitSeconds);
  try {
    await sender.sending;
    await Bun.sleep(streamMs);
    const mine = turn.then(async () => {
      const sink = startSink(toolbox, { ...egress, isPrompt: true }, 1, limitSeconds);
      return ended(sink, async () => (await sink.picture).maxMs);
    });
    turn = mine.catch(() => undefined);
    return await mine;
  } finally {
    await sender.stop();
  }
}

async function startOnce(toolbox: Toolbox, { ingest, egress }: Awaited<ReturnType<Subject['open']>>): Promise<number> {
  const sink = startSink(toolbox, { ...egress, isPrompt: true }, 1, limitSeconds);
  return ended(sink, async () => {
    await sink.waits;
    const sender = startSender(toolbox, ingest, limitSeconds);
    try {
      const started = await sender.sending;
      return (await sink.picture).atMs - started;
    } finally {
      await sender.stop();
    }
  });
}

async function ended<T>(sink: Sink, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await sink.stop();
  }
}
