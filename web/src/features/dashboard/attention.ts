/** What needs attention, one entry per channel and device. Pure. */
import { type AlarmSeverity, severityOf } from '../../../../daemon/contract/alarm-severity.ts';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import type { Channel, ChannelOutput } from '../../../../daemon/contract/channels.ts';
import { isOutputFaulty } from '../../shared/streams/state-look.ts';

export type Problem =
  /** The state of the channel itself, or the slate, which is on air because no input is left. */
  | { readonly what: 'state'; readonly since: number | undefined }
  | { readonly what: 'slate'; readonly since: number | undefined }
  | { readonly what: 'alarm'; readonly alarm: Alarm; readonly since: number }
  | { readonly what: 'outputs'; readonly failed: readonly ChannelOutput[]; readonly since: number | undefined };

export interface Attention {
  readonly key: string;
  readonly severity: AlarmSeverity;
  /** Undefined for the hub and devices. */
  readonly channel: Channel | undefined;
  /** Undefined for channels and the hub. */
  readonly device?: { readonly sn: string; readonly name: string };
  /** The worst problem, which determines severity and place. */
  readonly main: Problem;
  readonly others: readonly Problem[];
}

const lostStates: ReadonlySet<string> = new Set(['failed', 'engineDown', 'stale']);
/** Alarms already shown in a banner with their remedy. */
const inBanners: ReadonlySet<string> = new Set(['engine-down', 'few-descriptors', 'no-space']);

/** Returns one entry for each channel, device, and alarm of the hub: lost programs first, then the newest. */
export function attentionOf(channels: readonly Channel[], alarms: readonly Alarm[]): Attention[] {
  const ofDevice = Map.groupBy(alarms, ({ device }) => device);
  const ofChannel = Map.groupBy(ofDevice.get(undefined) ?? [], ({ channel }) => channel);
  const ofHub = (ofChannel.get(0) ?? []).filter(({ kind }) => !inBanners.has(kind));
  const list = [
    ...ofHub.flatMap((alarm) => entryOf(`alarm-${alarm.id}`, undefined, [alarmProblem(alarm)])),
    ...[...ofDevice].flatMap(([sn, [first, ...rest]]) =>
      sn === undefined || first === undefined
        ? []
        : entryOf(sn, undefined, [first, ...rest].map(alarmProblem)).map((entry) => ({
            ...entry,
            device: { sn, name: first.name },
          })),
    ),
    ...channels.flatMap((channel) =>
      entryOf(`${channel.id}`, channel, problemsOf(channel, ofChannel.get(channel.id) ?? [])),
    ),
  ];
  return list.toSorted((a, b) => rankOf(a) - rankOf(b) || (b.main.since ?? 0) - (a.main.since ?? 0));
}

const severityOfProblem = (problem: Problem): AlarmSeverity => {
  if (problem.what === 'alarm') return severityOf(problem.alarm.kind);
  return problem.what === 'outputs' ? 'warning' : 'critical';
};
const rankOf = ({ severity }: { readonly severity: AlarmSeverity }): number => (severity === 'critical' ? 0 : 1);
const alarmProblem = (alarm: Alarm): Problem => ({ what: 'alarm', alarm, since: alarm.raised });

function entryOf(key: string, channel: Channel | undefined, problems: readonly Problem[]): Attention[] {
  const ranked = problems
    .map((problem) => ({ problem, severity: severityOfProblem(problem) }))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const [worst, ...others] = ranked;
  if (worst === undefined) return [];
  const { problem: main, severity } = worst;
  return [{ key, severity, channel, main, others: others.map(({ problem }) => problem) }];
}

function problemsOf(channel: Channel, alarms: readonly Alarm[]): Problem[] {
  const isOnSlate = channel.config.enable && channel.input.role === 'slate';
  const isLost = lostStates.has(channel.state);
  const state: Problem[] = [];
  if (isLost) state.push({ what: 'state', since: channel.since });
  else if (isOnSlate) state.push({ what: 'slate', since: channel.failover?.['switched-at'] ?? channel.since });
  const failed = isLost ? [] : failedOutputs(channel, alarms);
  const outputs: Problem[] = failed.length === 0 ? [] : [{ what: 'outputs', failed, since: earliest(failed) }];
  const shown = (kind: string): boolean =>
    kind === 'output-failed' || (state.length > 0 && (kind === 'no-input' || kind === 'on-slate'));
  return [...state, ...alarms.filter(({ kind }) => !shown(kind)).map(alarmProblem), ...outputs];
}

/** Outputs in a faulty state, and those with an alarm, which are connecting once more. */
function failedOutputs({ state, outputs }: Channel, alarms: readonly Alarm[]): ChannelOutput[] {
  const alarmed = new Set(
    alarms.flatMap(({ kind, output }) => (kind === 'output-failed' && output ? [output.id] : [])),
  );
  const hasData = state !== 'waiting' && state !== 'disabled';
  return outputs.list.filter((output) => alarmed.has(output.id) || (hasData && isOutputFaulty(output)));
}

function earliest(outputs: readonly ChannelOutput[]): number | undefined {
  const known = outputs.flatMap(({ since }) => (since === undefined ? [] : [since]));
  return known.length === 0 ? undefined : Math.min(...known);
}
