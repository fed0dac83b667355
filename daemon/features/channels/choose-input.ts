/** Sets the inputs of a channel: the main one, the backup, and when it takes over. */
import type { channelApi } from '../../contract/channels.ts';
import { isPulled } from '../../contract/device-catalog.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { defaultFailover, type FailoverRule } from '../../contract/failover.ts';
import type { ChangeWord, OperationChange } from '../../contract/logs.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { notExist } from '../../lib/refusals.ts';
import type { Queries } from '../../store/database.ts';
import { type Edited, revisionOf } from '../../store/revisions.ts';
import { channelRows, inputRows } from '../../store/rows.ts';
import type { Audit } from '../logs/audit.ts';
import { channelEdit, deviceById, type InputRow, releaseDevice, unchangedChannel } from './store.ts';

export type InputChoice = BodyOf<typeof channelApi.setInput>;

/** A device that is the input already may be named again, when other members change. Returns the new revision. */
export function chooseInput(tx: Queries, audit: Audit, actor: Actor, choice: InputChoice): number {
  const row = unchangedChannel(tx, choice.id, choice.revision);
  const keptDevice = choice.input === row.inputDeviceId ? row.inputDeviceId : null;
  const main = keptDevice === null ? chosen(tx, choice.input) : undefined;
  const backup = chosen(tx, choice.backup ?? row.backupInputId ?? 0);
  if (backup && backup.id === main?.id) {
    const path = choice.backup === undefined ? 'input' : 'backup';
    throw fieldError(path, 'unique', 'the backup must be another input than the main one');
  }
  if (!main && row.inputId !== null && !row.allowRtmp && !row.allowSrt) {
    throw fieldError(
      'input',
      'required',
      'allow RTMP or SRT first: without an input, an encoder has to send to the channel',
    );
  }
  const given = withoutHoles(choice.failover ?? {});
  const before = { ...defaultFailover, ...row.failover };
  const rule = { ...before, ...given };
  if (given.slate === 'picture' && row.slate === null) {
    throw fieldError('failover.slate', 'required', 'upload a picture first');
  }
  const changes: OperationChange[] = [
    ...inputChange({ before: row.inputId ?? row.inputDeviceId, now: main ?? keptDevice }, 'input', 'noInput'),
    ...inputChange({ before: row.backupInputId, now: backup }, 'backup', 'noBackup'),
    ...ruleChanges(before, rule),
  ];
  if (changes.length === 0) return row.revision;
  channelRows.update(tx, row.id, {
    inputId: main?.id ?? null,
    inputDeviceId: keptDevice,
    backupInputId: backup?.id ?? null,
    failover: choice.failover ? { ...row.failover, ...given } : row.failover,
  });
  const edited = [channelEdit(row.id)];
  audit.record(tx, actor, { action: 'channel.setInput', subject: row.name, changes, edited });
  return revisionOf(tx, channelEdit(row.id));
}

/** Makes a device the publisher of a channel, which it is of one at a time; with 0, the push key is used again. */
export function chooseInputDevice(
  tx: Queries,
  audit: Audit,
  actor: Actor,
  { id, deviceId }: { readonly id: number; readonly deviceId: number },
): number {
  const row = channelRows.existing(tx, id);
  const device = deviceId === 0 ? undefined : deviceById(tx, deviceId);
  if (deviceId !== 0 && device === undefined) throw notExist('device', deviceId);
  if (device !== undefined && !isPulled(device.api) && !row.allowRtmp && !row.allowSrt) {
    throw fieldError('channel', 'required', `allow RTMP or SRT in '${row.name}' first: the device has to send to it`);
  }
  const released = deviceId === 0 ? [] : releaseDevice(tx, deviceId);
  channelRows.update(tx, id, { inputId: null, inputDeviceId: deviceId === 0 ? null : deviceId });
  const changes: OperationChange[] = [
    device === undefined ? { word: 'noInput' } : { word: 'input', value: device.name },
  ];
  // Of the two, only the device that the caller connects or disconnects; it reads that one again.
  const connected = deviceId === 0 ? row.inputDeviceId : deviceId;
  const edited: Edited[] = [...new Set([id, ...released])].map(channelEdit);
  if (connected !== null) edited.push({ noun: 'device', id: connected });
  audit.record(tx, actor, { action: 'channel.setInput', subject: row.name, changes, edited });
  return revisionOf(tx, channelEdit(id));
}

function chosen(tx: Queries, id: number): InputRow | undefined {
  return id === 0 ? undefined : inputRows.existing(tx, id);
}

function withoutHoles(given: NonNullable<InputChoice['failover']>): Partial<FailoverRule> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** `now`: undefined or null for none; a number is a device that stays. */
function inputChange(
  { before, now }: { before: number | null; now: InputRow | number | null | undefined },
  word: ChangeWord,
  none: ChangeWord,
): OperationChange[] {
  if (typeof now === 'number' || before === (now?.id ?? null)) return [];
  return [now ? { word, value: now.name } : { word: none }];
}

const ruleWords = {
  standby: 'standby',
  'no-data-ms': 'lostAfter',
  'no-video-ms': 'lostWithoutVideo',
  'no-audio-ms': 'lostWithoutAudio',
  back: 'back',
  'stable-s': 'stableFor',
  slate: 'slate',
} as const satisfies Record<keyof FailoverRule, ChangeWord>;

function ruleChanges(before: FailoverRule, rule: FailoverRule): OperationChange[] {
  const names = Object.keys(ruleWords) as (keyof FailoverRule)[];
  return names
    .filter((name) => before[name] !== rule[name])
    .map((name) => ({ word: ruleWords[name], value: String(rule[name]) }));
}
