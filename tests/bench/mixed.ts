/** Many channels with four outputs each: the cost, and whether any reader gets too little data. */
import type { BenchHub } from './hub.ts';
import { countUsage } from './measure.ts';
import type { MixedReaders, MixedResult, MixedSubjectResult } from './report/result.ts';
import { nginxAndFfmpegMixed, signalboxMixed } from './subjects/mixed.ts';
import type { MixedSubject } from './subjects/subject.ts';
import { type Sink, type SinkReport, startSender, startSink, type Toolbox } from './tools.ts';

const channels = 16;
const limitSeconds = 90;
const settleMs = 8000;
const framesPerSecond = 30;

export async function measureMixed(toolbox: Toolbox, hub: BenchHub, windowMs: number): Promise<MixedResult> {
  const subjects: MixedSubjectResult[] = [];
  for (const subject of [signalboxMixed(hub), nginxAndFfmpegMixed]) {
    subjects.push(await measureOne(toolbox, subject, windowMs));
  }
  return { channels, subjects };
}

async function measureOne(toolbox: Toolbox, subject: MixedSubject, windowMs: number): Promise<MixedSubjectResult> {
  const relay = await subject.open(channels);
  const running: { stop(): Promise<void> }[] = [];
  const read = (at: MixedSinkAddress): Sink => {
    const sink = startSink(toolbox, at, channels, limitSeconds);
    running.push(sink);
    return sink;
  };
  try {
    // Datagrams may arrive as soon as there is a source.
    const isEarly = ({ kind }: MixedSinkAddress) => kind === 'UDP';
    const early = relay.egresses.filter(isEarly).map(read);
    const senders = relay.ingests.map((ingest) => startSender(toolbox, ingest, limitSeconds));
    running.push(...senders);
    await Promise.all(senders.map(({ sending }) => sending));
    relay.begin?.();
    const late = relay.egresses.filter((each) => !isEarly(each)).map(read);
    const sinks = [...early, ...late];
    await Promise.all(sinks.map(({ ready }) => ready));
    await Bun.sleep(settleMs);
    for (const sink of sinks) sink.beginWindow();
    const tools = [...senders, ...sinks].map(({ child }) => child.pid);
    const { parts, othersCpu } = await countUsage(relay.processes(), tools, windowMs);
    const reports = await Promise.all(sinks.map((sink) => sink.report()));
    const kinds = [...relay.egresses.filter(isEarly), ...relay.egresses.filter((each) => !isEarly(each))];
    const readers = reports.map((report, i) => readersOf(kinds[i]?.kind ?? '', report));
    return { label: subject.label, isOurs: subject.id === 'signalbox', parts, othersCpu, readers };
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await relay.close();
  }
}

type MixedSinkAddress = Awaited<ReturnType<MixedSubject['open']>>['egresses'][number];

function readersOf(kind: string, report: SinkReport): MixedReaders {
  return {
    kind,
    kbpsEach: (report.bytes * 8) / report.seconds / report.readers / 1000,
    // Of the reader with the least data; segments of 2 s arrive completely or not at all within a window.
    leastShare: report.fewestFrames / (report.seconds * framesPerSecond),
    lost: report.lost,
    faults: report.faults,
    failed: report.closed + report.stalled,
    p50Ms: report.latencyMs.p50,
    p99Ms: report.latencyMs.p99,
  };
}
