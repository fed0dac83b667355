/** One run: starts a relay, its source and its readers, lets it settle, and measures one window. */
import { cpuSeconds, machineBusySeconds, pssBytes, type ThreadTimes, threadTimes } from './proc.ts';
import type { Subject } from './subjects/subject.ts';
import { type SinkReport, startSender, startSink, type Toolbox } from './tools.ts';

export interface Timing {
  readonly settleMs: number;
  readonly windowMs: number;
}

export interface Part {
  /** CPU seconds per second of stream. */
  readonly cpu: number;
  readonly pssBytes: number;
}

export interface Measurement extends Usage {
  readonly subject: string;
  readonly readers: number;
  readonly firstMediaMs: number;
  readonly report: SinkReport;
}

/** Everything must have ended by then, even after a hang. */
const limitSeconds = 60;

export async function measure(
  toolbox: Toolbox,
  subject: Subject,
  readers: number,
  timing: Timing,
): Promise<Measurement> {
  const relay = await subject.open(readers);
  // No connection is made to these: they must be open before the first datagram or caller.
  const isWaitedFor = /^(udp|rtp|srt-listener):/.test(relay.egress.url);
  const early = isWaitedFor ? startSink(toolbox, relay.egress, readers, limitSeconds) : undefined;
  const sender = startSender(toolbox, relay.ingest, limitSeconds);
  let sink = early;
  try {
    await sender.sending;
    sink ??= startSink(toolbox, relay.egress, readers, limitSeconds);
    const firstMediaMs = await sink.ready;
    await Bun.sleep(timing.settleMs);
    sink.beginWindow();
    const usage = await countUsage(relay.processes(), [sender.child.pid, sink.child.pid], timing.windowMs);
    return { subject: subject.id, readers, firstMediaMs, ...usage, report: await sink.report() };
  } finally {
    await Promise.all([sender.stop(), sink?.stop()]);
    await relay.close();
  }
}

export interface Usage {
  readonly parts: Readonly<Record<string, Part>>;
  /** CPU used by other programs, in cores. */
  readonly othersCpu: number;
}

/** Usage of these processes, by group, from now on. `tools`: our processes that are not measured. */
export async function countUsage(
  processes: Readonly<Record<string, readonly number[]>>,
  tools: readonly number[],
  windowMs: number,
): Promise<Usage> {
  const groups = Object.entries(processes);
  const own = [...groups.flatMap(([, pids]) => pids), ...tools, process.pid];
  const sample = (): Sample => ({
    groups: groups.map(([, pids]) => threadTimes(pids)),
    own: threadTimes(own),
    machine: machineBusySeconds(),
    at: performance.now(),
  });
  const before = sample();
  await Bun.sleep(windowMs);
  const after = sample();
  const seconds = (after.at - before.at) / 1000;
  const parts: Record<string, Part> = {};
  for (const [i, [name, pids]] of groups.entries()) {
    const cpu = cpuSeconds(before.groups[i] ?? new Map(), after.groups[i] ?? new Map()) / seconds;
    parts[name] = { cpu, pssBytes: pssBytes(pids) };
  }
  const others = after.machine - before.machine - cpuSeconds(before.own, after.own);
  return { parts, othersCpu: Math.max(0, others / seconds) };
}

interface Sample {
  readonly groups: readonly ThreadTimes[];
  readonly own: ThreadTimes;
  readonly machine: number;
  readonly at: number;
}
