import { expect, test } from 'bun:test';
import { groupTypes } from '../../contract/permission.ts';
import type { Masks, Security } from '../../http/object-access.ts';
import {
  effective,
  everyone,
  type SecuredGroup,
  sees,
  usualSecurity,
  type Viewer,
  visibleGroups,
  without,
} from './security.ts';

const admin: Viewer = { id: 1, groupId: 1, type: groupTypes.admin };
const ann: Viewer = { id: 2, groupId: 8, type: groupTypes.custom };
const bob: Viewer = { id: 2 ** 31, groupId: 4, type: groupTypes.viewer };
const own = (groupMask: number, userMask: number): Security => ({ isInherited: false, groupMask, userMask });
const nobody = own(0, 0);
const all: Masks = { groupMask: everyone, userMask: everyone };

/** Hall (Ann's group) > Rack (inherits) > Shelf (only Bob); Van (no one); Roof (as the hub). */
const tree = new Map<number, SecuredGroup>(
  [
    { id: 1, parentId: 0, security: own(8, 0) },
    { id: 2, parentId: 1, security: { ...nobody, isInherited: true } },
    { id: 3, parentId: 2, security: own(0, bob.id) },
    { id: 4, parentId: 0, security: nobody },
    { id: 5, parentId: 0, security: usualSecurity },
  ].map((group) => [group.id, group]),
);

test('a mask of groups or of users grants access, and an administrator always has it', () => {
  expect([sees(ann, own(8, 0)), sees(ann, own(0, 2)), sees(ann, own(4, 4)), sees(ann, nobody)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([sees(bob, own(0, 2 ** 31)), sees(bob, all), sees(bob, own(2 ** 31, 0))]).toEqual([true, true, false]);
  expect(sees(admin, nobody)).toBe(true);
});

test('an inheriting group takes the masks of its nearest ancestor with masks, or those of the hub', () => {
  const masks = (groupId: number) => effective(usualSecurity, groupId, tree, nobody);
  expect(masks(3)).toMatchObject({ groupMask: 0, userMask: bob.id });
  expect([masks(2), masks(1)]).toEqual([own(8, 0), own(8, 0)]);
  expect(masks(5)).toBe(nobody);
  expect(masks(0)).toBe(nobody);
  expect(effective(own(4, 0), 1, tree, nobody)).toEqual(own(4, 0));
});

test('each user sees the groups of the tree that are visible to them', () => {
  const seen = (viewer: Viewer, ofHub: Masks) => [...visibleGroups(viewer, tree, ofHub)];
  expect(seen(admin, nobody)).toEqual([1, 2, 3, 4, 5]);
  expect(seen(ann, all)).toEqual([1, 2, 5]);
  expect(seen(bob, all)).toEqual([3, 5]);
  expect(seen(bob, nobody)).toEqual([3]);
});

test('a change of the hub’s masks affects all groups that inherit them, and no others', () => {
  expect([...visibleGroups(ann, tree, nobody)]).toEqual([1, 2]);
  expect([...visibleGroups(ann, tree, own(0, 2))]).toEqual([1, 2, 5]);
});

test('a missing parent and a cycle of parents end at the hub', () => {
  const ring = new Map<number, SecuredGroup>([
    [1, { id: 1, parentId: 2, security: usualSecurity }],
    [2, { id: 2, parentId: 1, security: usualSecurity }],
    [3, { id: 3, parentId: 99, security: usualSecurity }],
  ]);
  expect(effective(usualSecurity, 1, ring, nobody)).toBe(nobody);
  expect(effective(usualSecurity, 3, ring, nobody)).toBe(nobody);
});

test('the bit of a deleted user or group grants nothing to its next owner; masks for everyone stay unchanged', () => {
  const before = own(8 | 16, 2 | (2 ** 31));
  expect(without(before, { userId: 2 ** 31 })).toEqual(own(24, 2));
  expect(without(before, { groupId: 8 })).toEqual(own(16, (2 | (2 ** 31)) >>> 0));
  expect(without(usualSecurity, { userId: 2, groupId: 8 })).toEqual(usualSecurity);
});
