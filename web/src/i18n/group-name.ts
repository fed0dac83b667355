/** The groups that every hub has go by the reader's word, those that somebody made by their own name. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { groupTypes } from '../../../daemon/contract/permission.ts';

const builtIn: Readonly<Record<number, MessageDescriptor>> = {
  [groupTypes.admin]: msg`Admin`,
  [groupTypes.user]: msg`User`,
  [groupTypes.viewer]: msg`Viewer`,
};

/** The id of such a group is its type. */
export function groupName(i18n: I18n, idOrType: number, name: string): string {
  const text = builtIn[idOrType];
  return text === undefined ? name : i18n._(text);
}
