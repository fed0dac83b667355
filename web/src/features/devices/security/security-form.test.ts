import { expect, test } from 'bun:test';
import type { People } from '../../../shared/users/user-calls.ts';
import { securityChange, securityChoices, securityValues } from './security-form.ts';

const group = (id: number, type: number) => ({ id, type, name: `G${id}` });
const user = (id: number, of: number) => ({ id, name: `u${id}`, nick: '', 'group-id': of });
const people = {
  groups: [group(1, 1), group(2, 2), group(4, 4), group(8, 8)],
  users: [user(1, 1), user(2, 2), user(0x80000000, 8)],
} as unknown as People;

test('administrators are not offered, because they see everything', () => {
  const { groups, users } = securityChoices(people);
  expect(groups.map(({ id }) => id)).toEqual([2, 4, 8]);
  expect(users.map(({ id }) => id)).toEqual([2, 0x80000000]);
});

test.each([
  [{ 'is-inherit': 1, 'group-mask': 2, 'usr-mask': 0 }, 'inherit', ['2'], []],
  [{ 'is-inherit': 0, 'group-mask': 4294967295, 'usr-mask': 0 }, 'all', [], []],
  [{ 'is-inherit': 0, 'group-mask': 12, 'usr-mask': 0x80000000 }, 'chosen', ['4', '8'], ['2147483648']],
  [{ 'group-mask': 0, 'usr-mask': 0 }, 'chosen', [], []],
] as const)('%p is shown as %s', (security, mode, groups, users) => {
  expect(securityValues(security, people)).toEqual({ mode, groups: [...groups], users: [...users] });
});

test('what is chosen becomes masks without a sign', () => {
  expect(securityChange({ mode: 'chosen', groups: ['4', '8'], users: ['2147483648', '2'] })).toEqual({
    ...{ 'is-inherit': false, 'group-mask': 12, 'usr-mask': 0x80000002 },
  });
  expect(securityChange({ mode: 'all', groups: ['4'], users: [] })).toMatchObject({ 'group-mask': 4294967295 });
  expect(securityChange({ mode: 'inherit', groups: ['4'], users: [] })).toEqual({ 'is-inherit': true });
});
