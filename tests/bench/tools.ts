/** The measuring programs in `native/`, driven by lines of JSON. */
import { type Child, startTalkingChild } from './child.ts';

export interface Toolbox {
  readonly send: string;
  readonly sink: string;
  readonly flvClip: string;
  readonly tsClip: string;
  readonly clipMs: number;
}

/** Where a sender or a sink of the tools connects to. */
export interface ToolAddress {
  readonly url: string;
  readonly streamId?: string;
  /** Port offset between readers; 0 if all use the same. */
  readonly portStep?: number;
  /** The value of `{}` in the path or the stream id for the first reader; the next ones increment it. */
  readonly first?: number;
  /** Wakes readers at once instead of on the time grid: for latency tests, which do not measure CPU. */
  readonly isPrompt?: boolean;
}

export interface SinkReport {
  readonly readers: number;
  readonly withMedia: number;
  readonly closed: number;
  readonly stalled: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly frames: number;
  readonly fewestFrames: number;
  readonly lost: number;
  readonly repeated: number;
  readonly faults: number;
  readonly longestGapMs: number;
  readonly latencyMs: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
}

export interface Sink {
  readonly child: Child;
  /** All readers are connected and wait for media. */
  readonly waits: Promise<void>;
  /** Milliseconds from opening to the first media, of the slowest reader, once all have received some. */
  readonly ready: Promise<number>;
  /** The first complete keyframe of the slowest reader: since it opened, and on the monotonic clock. */
  readonly picture: Promise<PictureTime>;
  beginWindow(): void;
  report(): Promise<SinkReport>;
  stop(): Promise<void>;
}

export interface PictureTime {
  readonly maxMs: number;
  readonly atMs: number;
}

export interface Sender {
  readonly child: Child;
  /** Resolves with the time on the monotonic clock. */
  readonly sending: Promise<number>;
  stop(): Promise<void>;
}

const answerTimeoutMs = 20_000;

export function startSender(toolbox: Toolbox, to: ToolAddress, limitSeconds: number): Sender {
  const clip = to.url.startsWith('rtmp:') ? toolbox.flvClip : toolbox.tsClip;
  const argv = [toolbox.send, `to=${to.url}`, `clip=${clip}`, `length=${toolbox.clipMs}`, `seconds=${limitSeconds}`];
  if (to.streamId !== undefined) argv.push(`streamid=${to.streamId}`);
  const sending = Promise.withResolvers<number>();
  const { child, say } = startTalkingChild('send', argv, (line) => {
    const event = readEvent(line);
    if (event.event === 'sending') sending.resolve(event.atMs);
  });
  return { child, sending: inTime(sending.promise, child, 'began to send'), stop: () => end(child, say) };
}

export function startSink(toolbox: Toolbox, from: ToolAddress, count: number, limitSeconds: number): Sink {
  const argv = [toolbox.sink, `from=${from.url}`, `count=${count}`, `seconds=${limitSeconds}`];
  if (from.streamId !== undefined) argv.push(`streamid=${from.streamId}`);
  if (from.portStep !== undefined) argv.push(`step=${from.portStep}`);
  if (from.first !== undefined) argv.push(`first=${from.first}`);
  if (from.isPrompt === true) argv.push('grid=0');
  const ready = Promise.withResolvers<number>();
  const waits = Promise.withResolvers<void>();
  const picture = Promise.withResolvers<PictureTime>();
  let awaited = Promise.withResolvers<SinkReport>();
  const { child, say } = startTalkingChild('sink', argv, (line) => {
    const event = readEvent(line);
    if (event.event === 'ready') ready.resolve(event.firstMediaMs.max);
    if (event.event === 'waiting') waits.resolve();
    if (event.event === 'picture') picture.resolve(event);
    if (event.event === 'report') awaited.resolve(event);
  });
  return {
    child,
    waits: inTime(waits.promise, child, 'waited for media'),
    ready: inTime(ready.promise, child, `had media for all ${count} readers`),
    picture: inTime(picture.promise, child, `had a picture for all ${count} readers`),
    beginWindow: () => say('mark'),
    report: () => {
      awaited = Promise.withResolvers<SinkReport>();
      say('report');
      return inTime(awaited.promise, child, 'reported');
    },
    stop: () => end(child, say),
  };
}

type ToolEvent =
  | { readonly event: 'sending'; readonly atMs: number }
  | { readonly event: 'sent' | 'waiting' }
  | ({ readonly event: 'picture' } & PictureTime)
  | { readonly event: 'ready'; readonly firstMediaMs: { readonly mean: number; readonly max: number } }
  | ({ readonly event: 'report' } & SinkReport);

function readEvent(line: string): ToolEvent {
  // The tools are built together with this file, so their lines are trusted.
  return JSON.parse(line) as ToolEvent;
}

function inTime<T>(promise: Promise<T>, child: Child, did: string): Promise<T> {
  const failure = (why: string): Error => new Error(`${child.name} never ${did}: ${why}\n${child.lastWords()}`);
  const guarded = Promise.race([
    promise,
    child.exited.then((code): never => {
      throw failure(`it ended with ${code}`);
    }),
    Bun.sleep(answerTimeoutMs).then((): never => {
      throw failure(`${answerTimeoutMs / 1000} s passed`);
    }),
  ]);
  // There may be no waiter left after a run was aborted.
  guarded.catch(() => {});
  return guarded;
}

async function end(child: Child, say: (line: string) => void): Promise<void> {
  say('stop');
  await Promise.race([child.exited, Bun.sleep(500)]);
  await child.stop();
}
