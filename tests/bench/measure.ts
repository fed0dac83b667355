/** One run: start a relay, its source and its readers, let it settle, look at one window. */
import { cpuSeconds, pssBytes, threadTimes } from './proc.ts';
import type { Relay, Subject } from './subjects/subject.ts';
import { type Sink, type SinkReport, startSender, startSink, type Toolbox } from './tools.ts';

export interface Timing {
  readonly settleMs: number;
  readonly windowMs: number;
}

export interface Part {
  /** Seconds of CPU per second of stream. */
  readonly cpu: number;
  readonly pssBytes: number;
}

export interface Measurement {
  readonly subject: string;
  readonly readers: number;
  readonly parts: Readonly<Record<string, Part>>;
  readonly firstMediaMs: number;
  readonly report: SinkReport;
}

/** Everything is over by then, whatever hangs. */
const limitSeconds = 60;

export async function measure(
  toolbox: Toolbox,
  subject: Subject,
  readers: number,
  timing: Timing,
): Promise<Measurement> {
  const relay = await subject.open(readers);
  // Nobody connects to these: they have to be there before the first datagram or caller.
  const isWaitedFor = /^(udp|srt-listener):/.test(relay.egress.url);
  const early = isWaitedFor ? startSink(toolbox, relay.egress, readers, limitSeconds) : undefined;
  const sender = startSender(toolbox, relay.ingest, limitSeconds);
  let sink = early;
  try {
    await sender.sending;
    sink ??= startSink(toolbox, relay.egress, readers, limitSeconds);
    const firstMediaMs = await sink.ready;
    await Bun.sleep(timing.settleMs);
    const { report, parts } = await lookAt(relay, sink, timing.windowMs);
    return { subject: subject.id, readers, parts, firstMediaMs, report };
  } finally {
    await Promise.all([sender.stop(), sink?.stop()]);
    await relay.close();
  }
}

async function lookAt(
  relay: Relay,
  sink: Sink,
  windowMs: number,
): Promise<{ report: SinkReport; parts: Record<string, Part> }> {
  const groups = Object.entries(relay.processes());
  sink.beginWindow();
  const before = groups.map(([, pids]) => threadTimes(pids));
  const started = performance.now();
  await Bun.sleep(windowMs);
  const after = groups.map(([, pids]) => threadTimes(pids));
  const seconds = (performance.now() - started) / 1000;
  const report = await sink.report();
  const parts: Record<string, Part> = {};
  for (const [i, [name, pids]] of groups.entries()) {
    parts[name] = {
      cpu: cpuSeconds(before[i] ?? new Map(), after[i] ?? new Map()) / seconds,
      pssBytes: pssBytes(pids),
    };
  }
  return { report, parts };
}
