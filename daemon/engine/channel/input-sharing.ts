/**
 * Turns the desired state of the hub into the channels of the engine. One channel opens an input; others that use the
 * same input read it there. Inputs of a channel with a backup are opened by source channels, which the hub does not
 * know and which have no players or outputs. Pure.
 */

import { type DesiredChannel, type FailoverRule, noPublishers } from '../../media/protocol/desired.ts';
import type { FetchSource, OutputTarget } from '../../sources/stream-address.ts';

/** A stream that another channel of the engine already has. */
export interface SharedSource {
  readonly protocol: 'shared';
  readonly sourceChannel: number;
}
/** One of two streams, each provided by another channel of the engine. */
export interface FailoverSource {
  readonly protocol: 'failover';
  readonly main: number;
  readonly backup: number;
  readonly rule: FailoverRule;
}
/** Where a channel of the engine takes its stream from, unless it is pushed. */
export type PlannedFetch = FetchSource | SharedSource | FailoverSource;
export type PlannedSource = PlannedFetch | { readonly protocol: 'push' };
/** Of a connection that the engine opens. */
export type PlannedAddress = PlannedFetch | OutputTarget;
/** Resolves when a connection to this address may be opened; undefined to open it immediately. */
export type Ready = (address: PlannedAddress) => Promise<unknown> | undefined;

export interface PlannedChannel extends Omit<DesiredChannel, 'input' | 'backup'> {
  readonly input: PlannedSource;
  /** Other channels need the input, whether or not this one is enabled. */
  readonly feedsOthers?: boolean;
}

/** Which channel has an input open, by input id. */
export type Owners = ReadonlyMap<number, number>;

export interface ChannelPlan {
  /** Channels of the hub. */
  readonly channels: readonly PlannedChannel[];
  readonly sourceChannels: readonly PlannedChannel[];
  /** Pass this to the next call: an input keeps its owner, so that its readers are not disturbed. */
  readonly owners: Owners;
}

/** Above every id that the hub assigns. */
const firstInputSourceChannel = 0x4000_0000;
const firstPushSourceChannel = 0x2000_0000;

interface Use {
  readonly channel: DesiredChannel;
  readonly input: FetchSource;
  /** The channel uses only this input, so it can open it itself. */
  readonly isDirect: boolean;
  /** The channel needs the input all the time while it is enabled. */
  readonly isSteady: boolean;
}

export function planChannels(desired: readonly DesiredChannel[], before: Owners): ChannelPlan {
  const uses = usesOf(desired);
  const known = new Set(desired.map(({ id }) => id));
  const owners = new Map<number, number>();
  for (const [inputId, users] of uses) owners.set(inputId, ownerOf(inputId, users, known, before.get(inputId)));
  const feedsOthers = (inputId: number, owner: number) =>
    (uses.get(inputId) ?? []).some((use) => use.channel.id !== owner && use.isSteady && use.channel.enabled);
  const channels = desired.map((channel) => plannedChannel(channel, owners, feedsOthers));
  const sourceChannels: PlannedChannel[] = [];
  for (const [inputId, users] of uses) {
    const id = owners.get(inputId) as number;
    const [first] = users;
    if (known.has(id) || !first) continue;
    sourceChannels.push(sourceChannel(id, { inputId, input: first.input, feedsOthers: feedsOthers(inputId, id) }));
  }
  for (const channel of desired) {
    if (channel.backup && channel.input.protocol === 'push') sourceChannels.push(pushSourceChannel(channel));
  }
  return { channels, sourceChannels, owners };
}

function usesOf(desired: readonly DesiredChannel[]): Map<number, Use[]> {
  const uses = new Map<number, Use[]>();
  const add = (inputId: number, use: Use) => {
    const list = uses.get(inputId) ?? [];
    list.push(use);
    uses.set(inputId, list);
  };
  for (const channel of desired) {
    const { input, inputId, backup } = channel;
    if (input.protocol !== 'push') add(inputId, { channel, input, isDirect: !backup, isSteady: true });
    if (!backup) continue;
    const isSteady = backup.failover.standby === 'hot';
    add(backup.inputId, { channel, input: backup.input, isDirect: false, isSteady });
  }
  return uses;
}

function ownerOf(inputId: number, users: readonly Use[], known: ReadonlySet<number>, last: number | undefined): number {
  const sourceChannelId = firstInputSourceChannel + inputId;
  const directs = users.filter(({ isDirect }) => isDirect);
  // Of a deleted channel, only the input continues.
  const couldKeep = (id: number) => !known.has(id) || directs.some(({ channel }) => channel.id === id);
  if (last !== undefined) return couldKeep(last) ? last : sourceChannelId;
  const first = directs.find(({ channel }) => channel.enabled) ?? directs[0];
  return first?.channel.id ?? sourceChannelId;
}

function plannedChannel(
  { backup, ...channel }: DesiredChannel,
  owners: Owners,
  feedsOthers: (inputId: number, owner: number) => boolean,
): PlannedChannel {
  const { id, input, inputId } = channel;
  if (backup) {
    const main = input.protocol === 'push' ? firstPushSourceChannel + id : (owners.get(inputId) as number);
    const spare = owners.get(backup.inputId) as number;
    const source: FailoverSource = { protocol: 'failover', main, backup: spare, rule: backup.failover };
    // Publishers connect to the source channel.
    return { ...channel, pushKey: '', input: source };
  }
  if (input.protocol === 'push') return { ...channel, input };
  const owner = owners.get(inputId) as number;
  if (owner !== id) return { ...channel, input: { protocol: 'shared', sourceChannel: owner } };
  return { ...channel, input, feedsOthers: feedsOthers(inputId, id) };
}

function sourceChannel(
  id: number,
  rest: Pick<PlannedChannel, 'inputId' | 'input'> & { readonly feedsOthers: boolean },
): PlannedChannel {
  return {
    ...{ id, name: '', enabled: false, pushKey: '', playKey: '', allow: noPublishers, takeover: false, outputs: [] },
    ...rest,
  };
}

function pushSourceChannel(channel: DesiredChannel): PlannedChannel {
  const id = firstPushSourceChannel + channel.id;
  const { pushKey, allow, enabled, takeover } = channel;
  return {
    ...sourceChannel(id, { inputId: 0, input: { protocol: 'push' }, feedsOthers: enabled }),
    pushKey,
    allow,
    takeover,
  };
}
