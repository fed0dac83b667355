/** Sets the inputs of a channel: the main one, the backup, and when it takes over. */
import type { channelApi } from '../../contract/channels.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { defaultFailover, type FailoverRule } from '../../contract/failover.ts';
import type { ChangeWord, OperationChange } from '../../contract/logs.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import type { Queries } from '../../store/database.ts';
import { revisionOf } from '../../store/revisions.ts';
import { channelRows, inputRows } from '../../store/rows.ts';
import type { Audit } from '../logs/audit.ts';
import { channelEdit, type InputRow, unchangedChannel } from './store.ts';

export type InputChoice = BodyOf<typeof channelApi.setInput>;

/** Returns the new revision. */
export function chooseInput(tx: Queries, audit: Audit, actor: Actor, choice: InputChoice): number {
  const row = unchangedChannel(tx, choice.id, choice.revision);
  const main = chosen(tx, choice.input);
  const backup = chosen(tx, choice.backup ?? row.backupInputId ?? 0);
  if (backup && backup.id === main?.id) {
    const path = choice.backup === undefined ? 'input' : 'backup';
    throw fieldError(path, 'unique', 'the backup has to be another input than the main one');
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
    ...inputChange({ before: row.inputId, now: main }, 'input', 'noInput'),
    ...inputChange({ before: row.backupInputId, now: backup }, 'backup', 'noBackup'),
    ...ruleChanges(before, rule),
  ];
  if (changes.length === 0) return row.revision;
  channelRows.update(tx, row.id, {
    inputId: main?.id ?? null,
    backupInputId: backup?.id ?? null,
    failover: choice.failover ? { ...row.failover, ...given } : row.failover,
  });
  const edited = [channelEdit(row.id)];
  audit.record(tx, actor, { action: 'channel.setInput', subject: row.name, changes, edited });
  return revisionOf(tx, channelEdit(row.id));
}

function chosen(tx: Queries, id: number): InputRow | undefined {
  return id === 0 ? undefined : inputRows.existing(tx, id);
}

function withoutHoles(given: NonNullable<InputChoice['failover']>): Partial<FailoverRule> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function inputChange(
  { before, now }: { before: number | null; now: InputRow | undefined },
  word: ChangeWord,
  none: ChangeWord,
): OperationChange[] {
  if (before === (now?.id ?? null)) return [];
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
