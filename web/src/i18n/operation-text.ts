/** Sentences for the operation log: what was done, and why it was refused. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { type ResultName, resultName } from '../../../daemon/contract/result.ts';
import { CallError } from '../api/result.ts';
import type { OperationWord } from '../features/logs/operation-word.ts';
import { faultText } from './result-text.ts';

const text = {
  'session.start': msg`Signed in`,
  'session.refused': msg`Tried to sign in`,
  'session.end': msg`Signed out`,
  'setup.finish': msg`Set up the hub`,
  'settings.set': msg`Changed settings`,
  'channel.add': msg`Added a channel`,
  'channel.set': msg`Changed a channel`,
  'channel.del': msg`Deleted a channel`,
  'channel.enable': msg`Started or stopped a channel`,
  'channel.enable.true': msg`Started a channel`,
  'channel.enable.false': msg`Stopped a channel`,
  'channel.setInput': msg`Chose the input of a channel`,
  'channel.addOutput': msg`Gave a channel an output`,
  'channel.delOutput': msg`Took an output from a channel`,
  'channel.enableOutput': msg`Switched an output`,
  'channel.enableOutput.true': msg`Switched an output on`,
  'channel.enableOutput.false': msg`Switched an output off`,
  'input.add': msg`Added an input`,
  'input.set': msg`Changed an input`,
  'input.del': msg`Deleted an input`,
  'output.add': msg`Added an output`,
  'output.set': msg`Changed an output`,
  'output.del': msg`Deleted an output`,
  'user.add': msg`Added a user`,
} satisfies Record<OperationWord, MessageDescriptor>;

/** Undefined for what a later hub does. */
export function operationText(i18n: I18n, word: OperationWord | undefined): string | undefined {
  return word === undefined ? undefined : i18n._(text[word]);
}

/** Here, unlike on the sign-in page, one may know which of the two was wrong. */
const signInRefusals: Partial<Record<ResultName, MessageDescriptor>> = {
  mismatch: msg`Wrong password`,
  notExist: msg`No such user`,
};

export function resultText(i18n: I18n, { action, result }: { action: string; result: number }): string {
  const name = resultName(result);
  const own = action === 'session.start' && name !== undefined ? signInRefusals[name] : undefined;
  if (own !== undefined) return i18n._(own);
  const fault = name === undefined || name === 'success' ? 'unknownCode' : name;
  return faultText(i18n, new CallError(fault, { code: result }));
}
