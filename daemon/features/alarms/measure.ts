/** What the rules of a channel say about its figures at one moment. Pure; times are those of a clock that never jumps. */

import type { AlarmKind, AlarmRules, RuleKind } from '../../contract/alarms.ts';
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { MediaStatus } from '../../media/port.ts';
import type { ChannelStatus, InputStatus, OutputStatus } from '../../media/status.ts';
import { lowSpaceBytes, type Space } from '../../store/folder-space.ts';
import { timing } from '../../timing.ts';

/**
 * `between`: not bad enough to raise an alarm, not good enough to clear one. `unknown`: nobody can tell now.
 */
export type Verdict = 'bad' | 'good' | 'between' | 'unknown';

export interface Reading {
  readonly kind: AlarmKind;
  readonly channel: { readonly id: number; readonly name: string };
  readonly output: { readonly id: number; readonly name: string } | undefined;
  readonly verdict: Verdict;
  /** How long it has to be bad. */
  readonly holdMs: number;
  readonly threshold: number;
  /** In the unit of the threshold; undefined where it is the time since it began. */
  readonly value: number | undefined;
  /** A word of the contract. */
  readonly reason?: string;
}

export interface WatchedChannel {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  /** Undefined: whoever publishes with the push key. */
  readonly input: object | undefined;
  /** The input that takes over when that one is lost. */
  readonly backup: object | undefined;
  readonly outputs: readonly { readonly id: number; readonly name: string; readonly enabled: boolean }[];
}

interface Sample {
  readonly at: number;
  readonly ccErrors: number;
  readonly lost: number;
  readonly packets: number;
}
/** The last minute of an input. */
export interface Past {
  /** When packets began to flow, by the engine's word for it; 0 while they don't. */
  readonly since: number;
  /** The same by our clock. */
  readonly flowsFrom: number;
  readonly samples: readonly Sample[];
}

const minuteMs = 60_000;
const lossMs = 10_000;
/** A stream without sound has been quiet for that long at least once in its life; a frame a second is no fault. */
const quietAtMost = 2;

export function remember(past: Past | undefined, input: InputStatus, now: number): Past {
  const { lost = 0, packets = 0 } = input.srt ?? {};
  const sample = { at: now, ccErrors: input.ccErrors ?? 0, lost, packets };
  const last = past?.samples.at(-1);
  const isSame = past?.since === input.since && last && last.ccErrors <= sample.ccErrors && last.lost <= sample.lost;
  if (!isSame) return { since: input.since, flowsFrom: now, samples: [sample] };
  const kept = past.samples.filter(({ at }) => at >= now - minuteMs);
  return { ...past, samples: [...kept, sample] };
}

/** One reading per rule that is on; none for a channel that is off. `status` is missing while nobody can tell. */
export function readChannel(
  channel: WatchedChannel,
  rules: AlarmRules,
  status: ChannelStatus | undefined,
  past: Past | undefined,
  now: number,
): Reading[] {
  if (!channel.enabled) return [];
  const isSettled = past !== undefined && past.since !== 0 && now - past.flowsFrom >= timing.alarms.settlingMs;
  const of = (kind: RuleKind, reading: Measured, output?: Reading['output']): Reading[] => {
    if (!rules[kind].enable) return [];
    const verdict = status === undefined ? 'unknown' : reading.verdict;
    return [{ kind, channel, output, ...reading, verdict }];
  };
  const input = status?.input;
  return [
    ...of('no-input', noInput(channel, rules, input)),
    ...of('no-video', quiet(rules['no-video'].seconds, input?.quiet?.video, isSettled)),
    ...of('no-audio', quiet(rules['no-audio'].seconds, input?.quiet?.audio, isSettled)),
    ...of('bitrate-below', bitrate(rules, input?.kbps ?? 0, isSettled)),
    ...of('cc-errors', counted(rules['cc-errors']['per-minute'], faultsPerMinute(past, now))),
    ...of(
      'srt-loss',
      input?.srt ? counted(rules['srt-loss'].percent, lossPercent(past, now)) : fine(rules['srt-loss'].percent),
    ),
    ...of('on-backup', notOnMain(rules['on-backup'].seconds, 'backup', status)),
    ...of('on-slate', notOnMain(rules['on-slate'].seconds, 'slate', status)),
    ...channel.outputs
      .filter(({ enabled }) => enabled)
      .flatMap((output) => {
        const of_ = status?.outputs.find(({ id }) => id === output.id);
        return of('output-failed', outputFailed(rules, of_, isSettled), { id: output.id, name: output.name });
      }),
  ];
}

type Measured = Pick<Reading, 'verdict' | 'holdMs' | 'threshold' | 'value'>;

/** What can't be wrong now. */
function fine(threshold: number): Measured {
  return { verdict: 'good', holdMs: 0, threshold, value: undefined };
}

function noInput(channel: WatchedChannel, rules: AlarmRules, input: InputStatus | undefined): Measured {
  const { seconds } = rules['no-input'];
  const measured = { holdMs: seconds * 1000, threshold: seconds, value: undefined };
  if (input?.conn === connectionStates.connected) return { verdict: 'good', ...measured };
  // Somebody who set up a channel for tomorrow misses nothing today.
  const isFetched = channel.input !== undefined || channel.backup !== undefined;
  const isExpected = isFetched || (input?.bytes ?? 0) > 0;
  return { verdict: isExpected ? 'bad' : 'between', ...measured };
}

/** Counted by the engine already, so that it needn't last once more. */
function quiet(seconds: number, silent: number | undefined, isSettled: boolean): Measured {
  // Without an input that is another alarm's matter.
  if (silent === undefined || !isSettled) return fine(seconds);
  const verdict = silent >= seconds ? 'bad' : silent < Math.min(seconds, quietAtMost) ? 'good' : 'between';
  return { verdict, holdMs: 0, threshold: seconds, value: silent };
}

function bitrate(rules: AlarmRules, kbps: number, isSettled: boolean): Measured {
  const rule = rules['bitrate-below'];
  if (!isSettled) return fine(rule.kbps);
  const verdict = kbps < rule.kbps ? 'bad' : kbps >= rule.kbps * 1.05 ? 'good' : 'between';
  return { verdict, holdMs: rule.seconds * 1000, threshold: rule.kbps, value: kbps };
}

/** Half of what raised it is good again: a figure that sways around its threshold is one alarm. */
function counted(threshold: number, value: number | undefined): Measured {
  if (value === undefined) return { verdict: 'between', holdMs: 0, threshold, value };
  const verdict = value >= threshold ? 'bad' : value <= threshold / 2 ? 'good' : 'between';
  return { verdict, holdMs: 0, threshold, value };
}

function faultsPerMinute(past: Past | undefined, now: number): number | undefined {
  const samples = past?.samples.filter(({ at }) => at >= now - minuteMs) ?? [];
  const [first] = samples;
  const last = samples.at(-1);
  return first && last ? last.ccErrors - first.ccErrors : undefined;
}

/** Undefined until the time it is taken over has passed. */
function lossPercent(past: Past | undefined, now: number): number | undefined {
  const last = past?.samples.at(-1);
  const first = past?.samples.findLast(({ at }) => at <= now - lossMs);
  if (!first || !last) return undefined;
  const lost = last.lost - first.lost;
  const packets = Math.max(lost, last.packets - first.packets);
  return lost <= 0 ? 0 : Math.round((1000 * lost) / packets) / 10;
}

/** A channel without a backup is never on it. */
function notOnMain(seconds: number, role: 'backup' | 'slate', status: ChannelStatus | undefined): Measured {
  const verdict = status?.failover?.active === role ? 'bad' : 'good';
  return { verdict, holdMs: seconds * 1000, threshold: seconds, value: undefined };
}

function outputFailed(rules: AlarmRules, output: OutputStatus | undefined, isSettled: boolean): Measured {
  const { seconds } = rules['output-failed'];
  const measured = { holdMs: seconds * 1000, threshold: seconds, value: undefined };
  if (!isSettled) return fine(seconds);
  if (!output) return { verdict: 'between', ...measured };
  const isBroken = output.conn >= connectionStates.failed || output.state === sourceStates.failed;
  // Trying again is no cure yet, and a listener that waits for callers is none that failed.
  const isTrying = output.conn === connectionStates.connecting || output.conn === connectionStates.waitingForData;
  return { verdict: isBroken || isTrying ? 'bad' : 'good', ...measured };
}

const megabyte = 1024 * 1024;
const theHub = { channel: { id: 0, name: '' }, output: undefined };
const atOnce = { holdMs: 0, threshold: 0, value: undefined };

/** The engine and the disk that all channels need. */
export function readHub({ engine, parts, replaced }: MediaStatus, space: Space, now: number): Reading[] {
  return [
    readEngine(engine === 'running'),
    readReplaced(replaced, now),
    { kind: 'few-descriptors', ...theHub, ...atOnce, verdict: runsOut(parts) ? 'bad' : 'good' },
    { kind: 'no-space', ...theHub, ...readSpace(space) },
  ];
}

function readEngine(isRunning: boolean): Reading {
  const seconds = 5;
  const measured = { holdMs: seconds * 1000, threshold: seconds, value: undefined };
  return { kind: 'engine-down', ...theHub, verdict: isRunning ? 'good' : 'bad', ...measured };
}

/** Lasts until the new engine has run for as long as clears the failures before it. */
function readReplaced(replaced: MediaStatus['replaced'], now: number): Reading {
  const isRecent = replaced !== undefined && now - replaced.at < timing.supervisor.goodRunMs;
  const why = replaced && { reason: replaced.cause };
  return { kind: 'engine-replaced', ...theHub, ...atOnce, verdict: isRecent ? 'bad' : 'good', ...why };
}

function runsOut(parts: MediaStatus['parts']): boolean {
  return parts.some(({ name, ok }) => name === 'descriptors' && !ok);
}

function readSpace({ freeBytes, isFull }: Space): Measured {
  const measured = { holdMs: 0, threshold: lowSpaceBytes / megabyte };
  if (freeBytes === undefined) return { verdict: 'unknown', ...measured, value: undefined };
  const value = isFull ? 0 : Math.floor(freeBytes / megabyte);
  const isGood = freeBytes >= lowSpaceBytes * 1.05;
  return { verdict: freeBytes < lowSpaceBytes ? 'bad' : isGood ? 'good' : 'between', ...measured, value };
}
