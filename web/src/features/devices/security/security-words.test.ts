import { expect, test } from 'bun:test';
import { i18n } from '@lingui/core';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import type { People } from '../../../shared/users/user-calls.ts';
import { settingAbove, viewersText } from './security-words.ts';

const everyone = 4294967295;
const group = (id: number, parent: number, inherits: boolean) =>
  ({ id, 'parent-id': parent, name: `G${id}`, 'is-inherit': inherits ? 1 : 0 }) as DeviceGroup;
/** 1 > 2 (inherits) > 3 (inherits); 4 (inherits) at the top. */
const groups = [group(0, 0, false), group(1, 0, false), group(2, 1, true), group(3, 2, true), group(4, 0, true)];

test.each([
  [3, 1],
  [2, 1],
  [1, 1],
  [4, 0],
  [0, 0],
  // Of a group that the user does not see, nothing is known; the hub decides.
  [9, 0],
])('what is in group %d inherits from %d', (id, from) => {
  expect(settingAbove(groups, id)?.id).toBe(from);
});

test('groups that contain each other end the search', () => {
  expect(settingAbove([group(1, 2, true), group(2, 1, true)], 1)).toMatchObject({ id: 1 });
  expect(settingAbove([], 1)).toBeUndefined();
});

test('the viewers are named; administrators see everything', () => {
  i18n.activate('en');
  const people = {
    groups: [
      { id: 1, type: 1, name: 'Admin' },
      { id: 8, type: 8, name: 'Crew' },
    ],
    users: [{ id: 16, name: 'ann', nick: '', 'group-id': 8 }],
  } as unknown as People;
  const text = (groupMask: number, userMask: number) =>
    viewersText(i18n, ', ', { masks: { 'group-mask': groupMask, 'usr-mask': userMask }, people });
  expect(text(everyone, 0)).toBe('All users');
  expect(text(8, 16)).toBe('Crew, ann');
  expect(text(1, 0)).toBe('Administrators only');
});
