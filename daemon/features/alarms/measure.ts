/** Applies the rules of a channel to its statistics at one moment. Pure; times are monotonic. */

import type { AlarmRules } from '../../contract/alarm-fields.ts';
import type { RuleKind } from '../../contract/alarm-kinds.ts';
import type { AlarmKind } from '../../contract/alarms.ts';
import { connectionStates, sourceStates } from '../../contract/streams.ts';
import type { MediaStatus } from '../../media/port.ts';
import type { ChannelStatus, InputStatus, OutputStatus } from '../../media/protocol/reported.ts';
import { lowSpaceBytes, type Space } from '../../store/folder-space.ts';
import { timing } from '../../timing.ts';

/**
 * `between`: not bad enough to raise an alarm, not good enough to clear one. `unknown`: cannot be determined now.
 */
export type Condition = 'bad' | 'good' | 'between' | 'unknown';

export interface Reading {
  readonly kind: AlarmKind;
  readonly channel: { readonly id: number; readonly name: string };
  /** Serial number, if it is about a device. */
  readonly device?: string | undefined;
  readonly output: { readonly id: number; readonly name: string } | undefined;
  readonly condition: Condition;
  /** How long the condition must be bad before the alarm is raised. */
  readonly holdMs: number;
  readonly threshold: number;
  /** In the unit of the threshold; undefined if the value is the time since the condition began. */
  readonly value: number | undefined;
  /** A word from the contract. */
  readonly reason?: string;
}

export interface WatchedChannel {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  /** Undefined if the channel accepts a publisher with the push key. */
  readonly input: object | undefined;
  /** The input that takes over when the main input is lost. */
  readonly backup: object | undefined;
  readonly outputs: readonly { readonly id: number; readonly name: string; readonly enabled: boolean }[];
}

interface Sample {
  readonly at: number;
  readonly ccErrors: number;
  readonly lost: number;
  readonly packets: number;
}
/** The last minute of an input's statistics. */
export interface Past {
  /** When packets began to flow, as reported by the engine; 0 while there are none. */
  readonly since: number;
  /** The same on our clock. */
  readonly flowsFrom: number;
  readonly samples: readonly Sample[];
}

const minuteMs = 60_000;
const lossMs = 10_000;
/** Seconds of silence that still count as sound, so that a stream with one frame per second is not a fault. */
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

/** Returns one reading per enabled rule; none for a disabled channel. `status` is undefined while it is unknown. */
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
    const condition = status === undefined ? 'unknown' : reading.condition;
    return [{ kind, channel, output, ...reading, condition }];
  };
  const input = status?.input;
  return [
    ...of('no-input', noInput(channel, rules, input)),
    ...of('no-video', quiet(rules['no-video'].seconds, input?.quiet?.video, isSettled)),
    ...of('no-audio', quiet(rules['no-audio'].seconds, input?.quiet?.audio, isSettled)),
    // The alarm for the slate covers the case without an input.
    ...of('bitrate-below', bitrate(rules, input?.kbps ?? 0, isSettled && status?.failover?.active !== 'slate')),
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

type Measured = Pick<Reading, 'condition' | 'holdMs' | 'threshold' | 'value'>;

/** The reading of a rule that does not apply now. */
function fine(threshold: number): Measured {
  return { condition: 'good', holdMs: 0, threshold, value: undefined };
}

function noInput(channel: WatchedChannel, rules: AlarmRules, input: InputStatus | undefined): Measured {
  const { seconds } = rules['no-input'];
  const measured = { holdMs: seconds * 1000, threshold: seconds, value: undefined };
  if (input?.conn === connectionStates.connected) return { condition: 'good', ...measured };
  // A channel that is set up in advance, without a stream yet, is not a fault.
  const isFetched = channel.input !== undefined || channel.backup !== undefined;
  const isExpected = isFetched || (input?.bytes ?? 0) > 0;
  return { condition: isExpected ? 'bad' : 'between', ...measured };
}

/** The engine measures the duration already, so the condition does not have to last again here. */
function quiet(seconds: number, silent: number | undefined, isSettled: boolean): Measured {
  // The alarm for a missing input covers the case without one.
  if (silent === undefined || !isSettled) return fine(seconds);
  const condition = silent >= seconds ? 'bad' : silent < Math.min(seconds, quietAtMost) ? 'good' : 'between';
  return { condition, holdMs: 0, threshold: seconds, value: silent };
}

function bitrate(rules: AlarmRules, kbps: number, isSettled: boolean): Measured {
  const rule = rules['bitrate-below'];
  if (!isSettled) return fine(rule.kbps);
  const condition = kbps < rule.kbps ? 'bad' : kbps >= rule.kbps * 1.05 ? 'good' : 'between';
  return { condition, holdMs: rule.seconds * 1000, threshold: rule.kbps, value: kbps };
}

/** Good again only at half the threshold, so that a value that fluctuates around it is one alarm. */
function counted(threshold: number, value: number | undefined): Measured {
  if (value === undefined) return { condition: 'between', holdMs: 0, threshold, value };
  const condition = value >= threshold ? 'bad' : value <= threshold / 2 ? 'good' : 'between';
  return { condition, holdMs: 0, threshold, value };
}

function faultsPerMinute(past: Past | undefined, now: number): number | undefined {
  const samples = past?.samples.filter(({ at }) => at >= now - minuteMs) ?? [];
  const [first] = samples;
  const last = samples.at(-1);
  return first && last ? last.ccErrors - first.ccErrors : undefined;
}

/** Undefined until the measuring period has elapsed. */
function lossPercent(past: Past | undefined, now: number): number | undefined {
  const last = past?.samples.at(-1);
  const first = past?.samples.findLast(({ at }) => at <= now - lossMs);
  if (!first || !last) return undefined;
  const lost = last.lost - first.lost;
  const packets = Math.max(lost, last.packets - first.packets);
  return lost <= 0 ? 0 : Math.round((1000 * lost) / packets) / 10;
}

/** Always good for a channel without a backup. */
function notOnMain(seconds: number, role: 'backup' | 'slate', status: ChannelStatus | undefined): Measured {
  const condition = status?.failover?.active === role ? 'bad' : 'good';
  return { condition, holdMs: seconds * 1000, threshold: seconds, value: undefined };
}

function outputFailed(rules: AlarmRules, output: OutputStatus | undefined, isSettled: boolean): Measured {
  const { seconds } = rules['output-failed'];
  const measured = { holdMs: seconds * 1000, threshold: seconds, value: undefined };
  if (!isSettled) return fine(seconds);
  if (!output) return { condition: 'between', ...measured };
  const isBroken = output.conn >= connectionStates.failed || output.state === sourceStates.failed;
  // A retry does not clear the alarm. A listener that waits for callers has not failed.
  const isTrying = output.conn === connectionStates.connecting || output.conn === connectionStates.waitingForData;
  return { condition: isBroken || isTrying ? 'bad' : 'good', ...measured };
}

const megabyte = 1024 * 1024;
const theHub = { channel: { id: 0, name: '' }, output: undefined };
const atOnce = { holdMs: 0, threshold: 0, value: undefined };

/** Readings of the engine and the disk, which all channels depend on. */
export function readHub({ engine, parts, replaced }: MediaStatus, space: Space, now: number): Reading[] {
  return [
    readEngine(engine === 'running'),
    readReplaced(replaced, now),
    { kind: 'few-descriptors', ...theHub, ...atOnce, condition: runsOut(parts) ? 'bad' : 'good' },
    { kind: 'no-space', ...theHub, ...readSpace(space) },
  ];
}

function readEngine(isRunning: boolean): Reading {
  const seconds = 5;
  const measured = { holdMs: seconds * 1000, threshold: seconds, value: undefined };
  return { kind: 'engine-down', ...theHub, condition: isRunning ? 'good' : 'bad', ...measured };
}

/** Lasts until the new engine has run long enough to clear the failures before it. */
function readReplaced(replaced: MediaStatus['replaced'], now: number): Reading {
  const isRecent = replaced !== undefined && now - replaced.at < timing.supervisor.goodRunMs;
  const why = replaced && { reason: replaced.cause };
  return { kind: 'engine-replaced', ...theHub, ...atOnce, condition: isRecent ? 'bad' : 'good', ...why };
}

function runsOut(parts: MediaStatus['parts']): boolean {
  return parts.some(({ name, ok }) => name === 'descriptors' && !ok);
}

function readSpace({ freeBytes, isFull }: Space): Measured {
  const measured = { holdMs: 0, threshold: lowSpaceBytes / megabyte };
  if (freeBytes === undefined) return { condition: 'unknown', ...measured, value: undefined };
  const value = isFull ? 0 : Math.floor(freeBytes / megabyte);
  const isGood = freeBytes >= lowSpaceBytes * 1.05;
  return { condition: freeBytes < lowSpaceBytes ? 'bad' : isGood ? 'good' : 'between', ...measured, value };
}
