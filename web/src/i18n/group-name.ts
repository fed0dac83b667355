/** The groups that every hub has go by the reader's word, those that somebody made by their own name. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { SessionUser } from '../../../daemon/contract/auth.ts';
import { groupTypes } from '../../../daemon/contract/permission.ts';

const builtIn: Readonly<Record<number, MessageDescriptor>> = {
  [groupTypes.admin]: msg`Admin`,
  [groupTypes.user]: msg`User`,
  [groupTypes.viewer]: msg`Viewer`,
};

export function groupName(i18n: I18n, { type, 'group-name': name }: SessionUser): string {
  const text = builtIn[type];
  return text === undefined ? name : i18n._(text);
}
