/** RTMP players that stop reading: memory of the server over time, and the effect on another player. */
import { pssBytes } from './proc.ts';
import type { FrozenResult, FrozenSeries } from './report/result.ts';
import type { Relay, Subject } from './subjects/subject.ts';
import { type Sender, type Sink, startSender, startSink, type Toolbox } from './tools.ts';

const players = 4;
/** Longer than any queue, so that memory the server always keeps is allocated before the measurement. */
const settleMs = 6000;
const secondsBefore = 10;

interface Stage {
  readonly subject: Subject;
  readonly relay: Relay;
  readonly sender: Sender;
  readonly frozen: Sink;
  readonly healthy: Sink;
}

/** All subjects at once: only memory is measured, which they do not share. */
export async function measureFrozen(
  toolbox: Toolbox,
  subjects: readonly Subject[],
  seconds: number,
  oursId: string,
): Promise<FrozenResult> {
  const limit = seconds + 40;
  const stages: Stage[] = [];
  try {
    for (const subject of subjects) stages.push(await setUp(toolbox, subject, limit));
    await Bun.sleep(settleMs);
    const samples = await sampleMemory(stages, seconds, () => {
      for (const { healthy } of stages) healthy.beginWindow();
      // The kernel stops the process: its sockets stay open and fill up, as with a player on a hung machine.
      for (const { frozen } of stages) process.kill(frozen.child.pid, 'SIGSTOP');
    });
    const series = await Promise.all(stages.map((stage, i) => summarize(stage, samples[i] ?? [], oursId)));
    return { players, series };
  } finally {
    for (const stage of stages) {
      process.kill(stage.frozen.child.pid, 'SIGKILL');
      await Promise.all([stage.sender.stop(), stage.healthy.stop(), stage.frozen.child.exited]);
      await stage.relay.close();
    }
  }
}

async function setUp(toolbox: Toolbox, subject: Subject, limit: number): Promise<Stage> {
  const relay = await subject.open(players + 1);
  const sender = startSender(toolbox, relay.ingest, limit);
  await sender.sending;
  const frozen = startSink(toolbox, relay.egress, players, limit);
  const healthy = startSink(toolbox, relay.egress, 1, limit);
  await Promise.all([frozen.ready, healthy.ready]);
  return { subject, relay, sender, frozen, healthy };
}

/** Every second, starting before the freeze: a garbage collector moves memory up and down by itself. */
async function sampleMemory(
  stages: readonly Stage[],
  seconds: number,
  freeze: () => void,
): Promise<FrozenSeries['samples'][]> {
  const series = stages.map((): { second: number; bytes: number }[] => []);
  const started = performance.now() + secondsBefore * 1000;
  for (let second = -secondsBefore; second <= seconds; second++) {
    await Bun.sleep(Math.max(0, started + second * 1000 - performance.now()));
    for (const [i, { relay }] of stages.entries()) {
      const { hub: _, ...media } = relay.processes();
      series[i]?.push({ second, bytes: pssBytes(Object.values(media).flat()) });
    }
    if (second === 0) freeze();
  }
  return series;
}

async function summarize(
  { subject, healthy }: Stage,
  samples: FrozenSeries['samples'],
  oursId: string,
): Promise<FrozenSeries> {
  const report = await healthy.report();
  return {
    label: subject.label,
    isOurs: subject.id === oursId,
    samples,
    healthyP99Ms: report.latencyMs.p99,
    healthyLost: report.lost + report.stalled + report.closed,
  };
}
