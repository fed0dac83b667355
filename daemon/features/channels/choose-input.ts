/** Sets the inputs of a channel: the main one, the backup, and when it takes over. */
import { defaultFailover, type FailoverRule } from '../../contract/failover.ts';
import type { ChangeWord, OperationChange } from '../../contract/logs.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { notExist } from '../../lib/refusals.ts';
import type { Queries } from '../../store/database.ts';
import { revisionOf } from '../../store/revisions.ts';
import type { Audit } from '../logs/audit.ts';
import { channelEdit, unchangedChannel } from './existing-channel.ts';
import { findInput, type InputRow, updateChannel } from './store.ts';

/** Absent members stay unchanged. */
export interface InputChoice {
  readonly id: number;
  /** 0: a publisher with the push key. */
  readonly input: number;
  /** 0: none. */
  readonly backup?: number | undefined;
  readonly failover?: { readonly [K in keyof FailoverRule]?: FailoverRule[K] | undefined } | undefined;
  readonly revision?: number | undefined;
}

/** Returns the new revision. */
export function chooseInput(tx: Queries, audit: Audit, actor: Actor, choice: InputChoice): number {
  const row = unchangedChannel(tx, choice.id, choice.revision);
  const main = chosen(tx, choice.input);
  const backup = chosen(tx, choice.backup ?? row.backupInputId ?? 0);
  if (backup && backup.id === main?.id) {
    const path = choice.backup === undefined ? 'input' : 'backup';
    throw fieldError(path, 'unique', 'the backup has to be another input than the main one');
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
  updateChannel(tx, row.id, {
    inputId: main?.id ?? null,
    backupInputId: backup?.id ?? null,
    failover: choice.failover ? { ...row.failover, ...given } : row.failover,
  });
  const edited = [channelEdit(row.id)];
  audit.record(tx, actor, { action: 'channel.setInput', subject: row.name, changes, edited });
  return revisionOf(tx, channelEdit(row.id));
}

function chosen(tx: Queries, id: number): InputRow | undefined {
  if (id === 0) return undefined;
  const input = findInput(tx, id);
  if (!input) throw notExist('input', id);
  return input;
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
