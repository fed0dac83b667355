/** Who sees what, in words, and what an object inherits from. */
import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import { groupName } from '../../../i18n/group-name.ts';
import type { People } from '../../../shared/users/user-calls.ts';
import { securityChoices, securityValues } from './security-form.ts';

interface Masks {
  readonly 'group-mask': number;
  readonly 'usr-mask': number;
}

/**
 * Returns the group whose setting applies to what is in the group `id`, with id 0 for that of all devices; undefined
 * until the groups are known, or if the user may not see them.
 */
export function settingAbove(groups: readonly DeviceGroup[], id: number): DeviceGroup | undefined {
  const passed = new Set<number>();
  let at = groups.find((group) => group.id === id) ?? groups.find((group) => group.id === 0);
  while (at !== undefined && at.id !== 0 && at['is-inherit'] !== 0 && !passed.has(at.id)) {
    passed.add(at.id);
    const above = at['parent-id'];
    at = groups.find((group) => group.id === above);
  }
  return at;
}

export function viewersText(i18n: I18n, comma: string, { masks, people }: { masks: Masks; people: People }): string {
  const { mode, groups, users } = securityValues(masks, people);
  if (mode === 'all') return i18n._(msg`All users`);
  const choices = securityChoices(people);
  const names = [
    ...choices.groups.filter(({ id }) => groups.includes(String(id))).map(({ id, name }) => groupName(i18n, id, name)),
    ...choices.users.filter(({ id }) => users.includes(String(id))).map(({ name }) => name),
  ];
  return names.length === 0 ? i18n._(msg`Administrators only`) : names.join(comma);
}
