/** Changes channels: the rules, the operation log entry and the transaction; then the engine gets the new state. */
import { randomUUID } from 'node:crypto';
import type { channelApi } from '../../contract/channels.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { ChangeWord, OperationChange } from '../../contract/logs.ts';
import { defaultChannelNdi } from '../../contract/ndi.ts';
import { NewStreamKey } from '../../contract/rules.ts';
import { protocolBits } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { inUse, nameTaken, notExist, tooMany } from '../../lib/refusals.ts';
import { refuseTaken } from '../../store/constraint.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { revisionOf } from '../../store/revisions.ts';
import { channelRows, inputRows, outputRows, refuseFullChannel } from '../../store/rows.ts';
import type { License } from '../license/license.ts';
import type { Audit } from '../logs/audit.ts';
import { ndiColumns, ndiSettingText } from './channel-ndi.ts';
import { chooseInput, chooseInputDevice, type InputChoice } from './choose-input.ts';
import type { SlateFiles } from './slate-files.ts';
import {
  type ChannelRow,
  channelEdit,
  deviceById,
  type NewChannelRow,
  type OutputRow,
  unchangedChannel,
} from './store.ts';

export interface ChannelServiceDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly now: () => number;
  readonly license: License;
  /** Passes the new desired state to the media engine. */
  readonly applyDesired: () => void;
  readonly slates: Pick<SlateFiles, 'remove' | 'copy'>;
  /** Gives a channel the alarm rules of another one. */
  readonly copyAlarmRules: (tx: Queries, of: { readonly from: number; readonly to: number }) => void;
}

type OutputOfChannel = BodyOf<typeof channelApi.addOutput>;
type Change = BodyOf<typeof channelApi.set>;
type ConfigChange = NonNullable<Change['config']>;

const newKey = (kind: 'PULL' | 'PUSH'): string => `${kind}-${randomUUID().toUpperCase()}`;

export type ChannelService = ReturnType<typeof createChannelService>;

export function createChannelService(deps: ChannelServiceDeps) {
  const { db, license, applyDesired } = deps;
  /** One change: stored completely, with its log entry, or not at all. */
  const change = <T>(work: (tx: Queries) => T extends PromiseLike<unknown> ? never : T): T => {
    const value = transaction<T>(db, (tx) => license.within(tx, () => work(tx)));
    applyDesired();
    return value;
  };
  return {
    /** Returns the id. */
    add: (actor: Actor, channel: BodyOf<typeof channelApi.add>): number =>
      refusingTaken(channel.name, () => change<number>((tx) => add(tx, deps, actor, channel))),
    /** Returns the new revision. */
    set: (actor: Actor, desired: Change): number =>
      refusingTaken(desired.name, () => change<number>((tx) => set(tx, deps, actor, desired))),
    /** Returns the push key after recording the access in the operation log. */
    revealKey: (actor: Actor, id: number): string =>
      transaction<string>(db, (tx) => {
        const { name, pushKey } = channelRows.existing(tx, id);
        deps.audit.record(tx, actor, { action: 'channel.reveal', subject: name });
        return pushKey;
      }),
    del(actor: Actor, ids: readonly number[]): void {
      const slates = change<string[]>((tx) => del(tx, deps, actor, ids));
      for (const name of slates) deps.slates.remove(name);
    },
    enable: (actor: Actor, { id, enable }: BodyOf<typeof channelApi.enable>): void =>
      void change<number>((tx) => set(tx, deps, actor, { id, config: { enable } })),
    /** Returns the new revision. */
    setInput: (actor: Actor, choice: InputChoice): number =>
      change<number>((tx) => chooseInput(tx, deps.audit, actor, choice)),
    /** Whether the choice is a device that is not the input of the channel yet. */
    isOtherDevice({ id, input }: InputChoice): boolean {
      if (input === 0 || inputRows.find(db, input) !== undefined || deviceById(db, input) === undefined) return false;
      return channelRows.existing(db, id).inputDeviceId !== input;
    },
    refuseStale: ({ id, revision }: InputChoice): void => void unchangedChannel(db, id, revision),
    /** Makes a device the publisher of a channel, or with 0 its push key. */
    setInputDevice: (actor: Actor, choice: { readonly id: number; readonly deviceId: number }): void =>
      void change<number>((tx) => chooseInputDevice(tx, deps.audit, actor, choice)),
    addOutput: (actor: Actor, of: OutputOfChannel): void => change<void>((tx) => addOutput(tx, deps, actor, of)),
    delOutput: (actor: Actor, of: OutputOfChannel): void => change<void>((tx) => delOutput(tx, deps, actor, of)),
    enableOutput: (actor: Actor, of: BodyOf<typeof channelApi.enableOutput>): void =>
      change<void>((tx) => enableOutput(tx, deps, actor, of)),
  };
}

type Recorder = Pick<ChannelServiceDeps, 'audit' | 'now'>;

function add(
  tx: Queries,
  { audit, now, slates, copyAlarmRules }: ChannelServiceDeps,
  actor: Actor,
  { name, config = {}, 'copy-of': copyOf }: BodyOf<typeof channelApi.add>,
): number {
  const original = copyOf === undefined ? undefined : channelRows.existing(tx, copyOf);
  if (channelRows.count(tx) >= limits.channels) throw tooMany('channels', limits.channels);
  const blank: NewChannelRow = {
    name,
    enabled: true,
    playKey: newKey('PULL'),
    pushKey: newKey('PUSH'),
    allowRtmp: true,
    allowSrt: true,
    allowNdiHx: false,
    preferredProtocol: protocolBits.rtmp,
    takeover: false,
    inputId: null,
    inputDeviceId: null,
    backupInputId: null,
    failover: null,
    slate: null,
    ndi: null,
    createdAt: now(),
    ...(original && settingsOf(original)),
  };
  refuseShortKeys(blank, config);
  const row = { ...blank, ...changedColumns(config, blank) };
  refuseNoWayIn(row);
  refuseSameKeys(row, config);
  const id = channelRows.insert(tx, row);
  if (original) {
    if (original.slate !== null) channelRows.update(tx, id, { slate: slates.copy(original.slate, id) });
    copyAlarmRules(tx, { from: original.id, to: id });
  }
  const changes: OperationChange[] = original ? [{ word: 'copyOf', value: original.name }] : [];
  audit.record(tx, actor, { action: 'channel.add', subject: name, changes });
  return id;
}

/** What a copy takes over; the slate image is a file of its own, and a device sends to one channel. */
function settingsOf(original: ChannelRow) {
  const { id: _, name: __, playKey, pushKey, createdAt, revision, slate, inputDeviceId, ...settings } = original;
  return settings;
}

function set(tx: Queries, { audit }: Recorder, actor: Actor, request: Change): number {
  const { name, config = {} } = request;
  const { id } = channelRows.existingBy(tx, request);
  const row = unchangedChannel(tx, id, request.revision);
  const desired = { ...changedColumns(config, row), ...(name !== undefined && { name }) };
  const names = Object.keys(desired) as (keyof typeof desired)[];
  const changed = names.filter((column) => desired[column] !== row[column]);
  if (changed.length === 0) return row.revision;
  refuseShortKeys(row, config);
  refuseNoWayIn({ ...row, ...desired });
  refuseSameKeys({ ...row, ...desired }, config);
  channelRows.update(tx, id, desired);
  const changes = changed.map((column) => described(column, desired));
  const action = changed.length === 1 && changed[0] === 'enabled' ? 'channel.enable' : 'channel.set';
  audit.record(tx, actor, { action, subject: row.name, changes, edited: [channelEdit(id)] });
  return revisionOf(tx, channelEdit(id));
}

type Changeable = Partial<
  Omit<NewChannelRow, 'revision' | 'inputId' | 'inputDeviceId' | 'backupInputId' | 'failover' | 'slate' | 'createdAt'>
>;

function changedColumns(config: ConfigChange, row: NewChannelRow): Changeable {
  const { rtmp, srt, ndihx, prefer, takeover } = config.protocol ?? {};
  return {
    ...(config.enable !== undefined && { enabled: config.enable }),
    ...(config['play-key'] !== undefined && { playKey: config['play-key'] }),
    ...(config['push-key'] !== undefined && { pushKey: config['push-key'] }),
    ...(rtmp !== undefined && { allowRtmp: rtmp }),
    ...(srt !== undefined && { allowSrt: srt }),
    ...ndiColumns({ ndi: config.ndi, ndihx }, row),
    ...(prefer !== undefined && { preferredProtocol: prefer }),
    ...(takeover !== undefined && { takeover }),
  };
}

/** For the operation log, which never contains a key. */
function described(column: keyof Changeable, desired: Changeable): OperationChange {
  // The words are those of the contract; this checks that every column has one.
  const word = column satisfies ChangeWord;
  if (column === 'ndi') return { word, value: ndiSettingText({ ...defaultChannelNdi, ...desired.ndi }) };
  return column === 'playKey' || column === 'pushKey' ? { word } : { word, value: String(desired[column]) };
}

function keyRefusal(kind: 'play' | 'push', rule: 'exists' | 'sameKey', message: string): HubError {
  const fields = [{ path: `config.${kind}-key`, rule, message }];
  return new HubError(kind === 'play' ? 'pullKeyExists' : 'pushKeyExists', message, { fields });
}

/** Existing keys of the channel are not checked. */
function refuseShortKeys(row: Pick<ChannelRow, 'playKey' | 'pushKey'>, config: ConfigChange): void {
  for (const kind of ['push', 'play'] as const) {
    const key = config[`${kind}-key`];
    if (key === undefined || key === row[`${kind}Key`] || NewStreamKey.safeParse(key).success) continue;
    const min = limits.newKeyMin;
    throw fieldError(`config.${kind}-key`, 'shortKey', `give a stream key at least ${min} characters`, { min });
  }
}

/** Without an input, the stream comes from an encoder, which needs a protocol. */
function refuseNoWayIn({
  allowRtmp,
  allowSrt,
  inputId,
}: Pick<NewChannelRow, 'allowRtmp' | 'allowSrt' | 'inputId'>): void {
  if (allowRtmp || allowSrt || inputId !== null) return;
  throw fieldError(
    'config.protocol',
    'required',
    'allow RTMP or SRT: the channel has no input, so an encoder must be able to send to it',
  );
}

function refuseSameKeys(keys: Pick<ChannelRow, 'playKey' | 'pushKey'>, config: ConfigChange): void {
  if (keys.playKey !== keys.pushKey) return;
  throw keyRefusal(config['push-key'] === undefined ? 'play' : 'push', 'sameKey', 'push and play need different keys');
}

function refusingTaken<T>(name: string | undefined, work: () => T): T {
  const taken = (kind: 'play' | 'push') => () => keyRefusal(kind, 'exists', `the ${kind} key is used already`);
  const refusals = {
    'channels.name': () => nameTaken(name ?? ''),
    'channels.play_key': taken('play'),
    'channels.push_key': taken('push'),
  };
  return refuseTaken(refusals, work);
}

/** Returns the files that are no longer needed. */
function del(tx: Queries, { audit }: Recorder, actor: Actor, ids: readonly number[]): string[] {
  const rows = [...new Set(ids)].map((id) => channelRows.existing(tx, id));
  channelRows.delete(tx, ids);
  for (const { name } of rows) {
    audit.record(tx, actor, { action: 'channel.del', subject: name });
  }
  return rows.flatMap(({ slate }) => slate ?? []);
}

function addOutput(tx: Queries, { audit }: Recorder, actor: Actor, of: OutputOfChannel): void {
  const channel = channelRows.existing(tx, of.id);
  const output = outputRows.existing(tx, of.output);
  if (output.channelId === of.id) return;
  if (output.channelId !== null) throw inUse(output.name, channelRows.existing(tx, output.channelId).name);
  refuseFullChannel(tx, of.id);
  outputRows.update(tx, of.output, { channelId: of.id });
  const changes: OperationChange[] = [{ word: 'output', value: output.name }];
  audit.record(tx, actor, { action: 'channel.addOutput', subject: channel.name, changes });
}

function delOutput(tx: Queries, { audit }: Recorder, actor: Actor, of: OutputOfChannel): void {
  const { channel, output } = outputOf(tx, of);
  outputRows.update(tx, of.output, { channelId: null });
  const changes: OperationChange[] = [{ word: 'output', value: output.name }];
  audit.record(tx, actor, { action: 'channel.delOutput', subject: channel.name, changes });
}

function enableOutput(
  tx: Queries,
  { audit }: Recorder,
  actor: Actor,
  of: BodyOf<typeof channelApi.enableOutput>,
): void {
  const { channel, output } = outputOf(tx, of);
  if (output.enabled === of.enable) return;
  outputRows.update(tx, of.output, { enabled: of.enable });
  const changes: OperationChange[] = [{ word: of.enable ? 'outputOn' : 'outputOff', value: output.name }];
  audit.record(tx, actor, { action: 'channel.enableOutput', subject: channel.name, changes });
}

function outputOf(tx: Queries, of: OutputOfChannel): { channel: ChannelRow; output: OutputRow } {
  const channel = channelRows.existing(tx, of.id);
  const output = outputRows.find(tx, of.output);
  if (output?.channelId !== of.id) throw notExist(`output of '${channel.name}'`, of.output);
  return { channel, output };
}
