/**
 * From what the hub wants to the channels of the engine. One channel opens an input; others that want the same one tap
 * it there. The inputs of a channel with a backup are opened by feeders: channels that the hub doesn't know, without
 * players or outputs. Pure.
 */
import type { FetchSource } from './addresses.ts';
import type { FailoverRule, WantedChannel } from './wanted.ts';

/** The stream that another channel of the engine has already. */
export interface TapSource {
  readonly protocol: 'tap';
  readonly feeder: number;
}
/** One of two, each fed by another channel of the engine. */
export interface FailoverSource {
  readonly protocol: 'failover';
  readonly main: number;
  readonly backup: number;
  readonly rule: FailoverRule;
}
/** Where a channel of the engine takes its stream from, when nobody pushes it. */
export type StagedFetch = FetchSource | TapSource | FailoverSource;
export type StagedSource = StagedFetch | { readonly protocol: 'push' };

export interface StagedChannel extends Omit<WantedChannel, 'input' | 'backup'> {
  readonly input: StagedSource;
  /** Other channels need the input, whether or not this one is switched on. */
  readonly feedsOthers?: boolean;
}

/** Which channel has an input open, by the input's id. */
export type Owners = ReadonlyMap<number, number>;

export interface Staging {
  /** Those of the hub. */
  readonly channels: readonly StagedChannel[];
  readonly feeders: readonly StagedChannel[];
  /** To be handed in the next time: an input stays where it is, so that nobody who takes it notices a change. */
  readonly owners: Owners;
}

/** Above every id that the hub gives. */
const firstInputFeeder = 0x4000_0000;
const firstPushFeeder = 0x2000_0000;

interface Use {
  readonly channel: WantedChannel;
  readonly input: FetchSource;
  /** It takes the input alone, so that it can open it itself. */
  readonly isDirect: boolean;
  /** It needs the input all the time while it is on. */
  readonly isSteady: boolean;
}

export function stage(wanted: readonly WantedChannel[], before: Owners): Staging {
  const uses = usesOf(wanted);
  const known = new Set(wanted.map(({ id }) => id));
  const owners = new Map<number, number>();
  for (const [inputId, users] of uses) owners.set(inputId, ownerOf(inputId, users, known, before.get(inputId)));
  const feedsOthers = (inputId: number, owner: number) =>
    (uses.get(inputId) ?? []).some((use) => use.channel.id !== owner && use.isSteady && use.channel.enabled);
  const channels = wanted.map((channel) => stagedChannel(channel, owners, feedsOthers));
  const feeders: StagedChannel[] = [];
  for (const [inputId, users] of uses) {
    const id = owners.get(inputId) as number;
    const [first] = users;
    if (known.has(id) || !first) continue;
    feeders.push(feeder(id, { inputId, input: first.input, feedsOthers: feedsOthers(inputId, id) }));
  }
  for (const channel of wanted) {
    if (channel.backup && channel.input.protocol === 'push') feeders.push(pushFeeder(channel));
  }
  return { channels, feeders, owners };
}

function usesOf(wanted: readonly WantedChannel[]): Map<number, Use[]> {
  const uses = new Map<number, Use[]>();
  const add = (inputId: number, use: Use) => {
    const list = uses.get(inputId) ?? [];
    list.push(use);
    uses.set(inputId, list);
  };
  for (const channel of wanted) {
    const { input, inputId, backup } = channel;
    if (input.protocol !== 'push') add(inputId, { channel, input, isDirect: !backup, isSteady: true });
    if (!backup) continue;
    const isSteady = backup.failover.standby === 'hot';
    add(backup.inputId, { channel, input: backup.input, isDirect: false, isSteady });
  }
  return uses;
}

function ownerOf(inputId: number, users: readonly Use[], known: ReadonlySet<number>, last: number | undefined): number {
  const feederId = firstInputFeeder + inputId;
  const directs = users.filter(({ isDirect }) => isDirect);
  // Of a channel that was deleted only the input goes on.
  const couldKeep = (id: number) => !known.has(id) || directs.some(({ channel }) => channel.id === id);
  if (last !== undefined) return couldKeep(last) ? last : feederId;
  const first = directs.find(({ channel }) => channel.enabled) ?? directs[0];
  return first?.channel.id ?? feederId;
}

function stagedChannel(
  { backup, ...channel }: WantedChannel,
  owners: Owners,
  feedsOthers: (inputId: number, owner: number) => boolean,
): StagedChannel {
  const { id, input, inputId } = channel;
  if (backup) {
    const main = input.protocol === 'push' ? firstPushFeeder + id : (owners.get(inputId) as number);
    const spare = owners.get(backup.inputId) as number;
    const source: FailoverSource = { protocol: 'failover', main, backup: spare, rule: backup.failover };
    // Whoever pushes comes to the feeder.
    return { ...channel, pushKey: '', input: source };
  }
  if (input.protocol === 'push') return { ...channel, input };
  const owner = owners.get(inputId) as number;
  if (owner !== id) return { ...channel, input: { protocol: 'tap', feeder: owner } };
  return { ...channel, input, feedsOthers: feedsOthers(inputId, id) };
}

function feeder(
  id: number,
  rest: Pick<StagedChannel, 'inputId' | 'input'> & { readonly feedsOthers: boolean },
): StagedChannel {
  const allow = { rtmp: false, srt: false };
  return { id, name: '', enabled: false, pushKey: '', playKey: '', allow, takeover: false, outputs: [], ...rest };
}

function pushFeeder(channel: WantedChannel): StagedChannel {
  const id = firstPushFeeder + channel.id;
  const { pushKey, allow, enabled, takeover } = channel;
  return { ...feeder(id, { inputId: 0, input: { protocol: 'push' }, feedsOthers: enabled }), pushKey, allow, takeover };
}
