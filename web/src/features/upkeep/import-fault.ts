import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { ruleText, ruleTexts } from '../../i18n/rule-text.ts';
import { CallError } from '../../lib/call-error.ts';
import { sectionName } from './section-names.ts';

const fileFaults: Readonly<Record<string, MessageDescriptor>> = {
  notSettings: msg`This is not a settings file.`,
  otherProduct: msg`The file is from another product.`,
  newerFormat: msg`The file is from a newer version. Upgrade this hub first.`,
  damaged: msg`The file is damaged or incomplete.`,
  checksum: msg`The file was changed or damaged: its checksum does not match. If you edited it on purpose, remove the checksum from it.`,
  tooDeep: msg`The file is nested too deeply.`,
  contradictory: msg`The file contradicts itself: two objects use something that only one can have.`,
  passphraseWrong: msg`Wrong passphrase`,
};

/** Undefined text: the usual text of the result says it. `field`: of the form. */
export interface ImportFault {
  readonly field: 'file' | 'passphrase';
  readonly text: string | undefined;
}

export function importFault(i18n: I18n, error: unknown): ImportFault {
  const fault = error instanceof CallError ? error.fields[0] : undefined;
  if (fault === undefined) return { field: 'file', text: undefined };
  const { path, rule } = fault;
  const own = fileFaults[rule];
  const text = own ? i18n._(own) : ruleText(i18n, Object.hasOwn(ruleTexts, rule) ? rule : 'format');
  if (path === 'passphrase') return { field: 'passphrase', text };
  // `section/object/member`
  const [section = '', object = '', member = ''] = path.split('/');
  if (object === '') return { field: 'file', text };
  return { field: 'file', text: `${i18n._(sectionName(section))} › ${object} › ${member}: ${text}` };
}
