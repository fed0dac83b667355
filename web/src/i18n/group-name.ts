/** Built-in groups have a translated name, user-created groups their own. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { groupTypes } from '../../../daemon/contract/permission.ts';

const builtIn: Readonly<Record<number, MessageDescriptor>> = {
  [groupTypes.admin]: msg`Admin`,
  [groupTypes.user]: msg`User`,
  [groupTypes.viewer]: msg`Viewer`,
};

/** The id of a built-in group is its type. */
export function groupName(i18n: I18n, idOrType: number, name: string): string {
  const text = builtIn[idOrType];
  return text === undefined ? name : i18n._(text);
}
