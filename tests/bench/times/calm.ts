/** The longest time without a frame at one player while others are added, frozen and removed. */
import type { BenchHub } from '../hub.ts';
import { nginxRtmp } from '../subjects/nginx-rtmp.ts';
import { signalboxToPlayers } from '../subjects/signalbox.ts';
import type { Subject } from '../subjects/subject.ts';
import { type Sink, startSender, startSink, type Toolbox } from '../tools.ts';
import { type Timing, type TimingPlan, timing } from './timing.ts';

const others = 8;
const windowMs = 3000;
const limitSeconds = 60;
/** In addition to the longest gap without any changes, which is the clip's own. */
const limitMs = 15;
const phases = ['added', 'frozen', 'removed'] as const;

export async function measureCalm(toolbox: Toolbox, hub: BenchHub, plan: TimingPlan): Promise<Timing[]> {
  const timings: Timing[] = [];
  for (const subject of [signalboxToPlayers(() => Promise.resolve(hub), 'rtmp'), nginxRtmp]) {
    const { label } = subject;
    const isOurs = subject.id === 'signalbox';
    const gaps: number[] = [];
    await timing(plan, { what: 'players beside', label, isOurs }, async () => {
      gaps.push(...(await gapsOf(toolbox, subject)));
      return gaps;
    });
    for (const [i, phase] of phases.entries()) {
      const gap = gaps[i];
      const what = `RTMP player beside ${others} that are ${phase}: longest gap, beyond the one before`;
      if (gap !== undefined) timings.push({ what, label, isOurs, ms: [gap], ...(isOurs && { limitMs }) });
    }
  }
  return timings;
}

async function gapsOf(toolbox: Toolbox, subject: Subject): Promise<number[]> {
  const relay = await subject.open(others + 1);
  const sender = startSender(toolbox, relay.ingest, limitSeconds);
  try {
    await sender.sending;
    const watched = startSink(toolbox, { ...relay.egress, isPrompt: true }, 1, limitSeconds);
    await watched.ready;
    const gapWhile = async (act: () => void): Promise<number> => {
      watched.beginWindow();
      act();
      await Bun.sleep(windowMs);
      const report = await watched.report();
      if (report.lost + report.closed + report.stalled > 0) throw new Error('the player lost frames');
      return report.longestGapMs;
    };
    const before = await gapWhile(() => {});
    const beside: Sink[] = [];
    const signal = (name: NodeJS.Signals): void => {
      for (const { child } of beside) process.kill(child.pid, name);
    };
    const gaps = [
      await gapWhile(() => void beside.push(startSink(toolbox, relay.egress, others, limitSeconds))),
      await gapWhile(() => signal('SIGSTOP')),
      await gapWhile(() => signal('SIGKILL')),
    ];
    await watched.stop();
    return gaps.map((gap) => Math.max(0, gap - before));
  } finally {
    await sender.stop();
    await relay.close();
  }
}
