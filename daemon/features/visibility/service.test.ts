import { expect, test } from 'bun:test';
import { groupTypes, maskOf } from '../../contract/permission.ts';
import { accessOf } from '../../http/object-access.ts';
import type { Session } from '../../http/route.ts';
import { type SecuredGroup, usualSecurity } from './security.ts';
import { createObjectAccess } from './service.ts';

const session = (id: number, groupId: number, type: number, permission = 0): Session => ({
  user: { id, name: `user ${id}`, groupId, groupName: '', permission, type },
  idHash: String(id),
});
const admin = session(1, 1, groupTypes.admin, 0xffffffff);
const ann = session(2, 8, groupTypes.custom, maskOf('deviceControl'));
const bob = session(4, 16, groupTypes.custom);
const only = (groupMask: number, userMask: number) => ({ isInherited: false, groupMask, userMask });

test('an object with an owner is seen by that user and by administrators', () => {
  const { canSee } = createObjectAccess();
  expect([admin, ann, bob].map((one) => canSee(one, { ownerId: 2 }))).toEqual([true, true, false]);
});

test('an object without a group of objects is seen by everyone unless its masks say otherwise', () => {
  const { canSee } = createObjectAccess();
  const seen = (security: typeof usualSecurity) =>
    [admin, ann, bob].map((one) => canSee(one, { security, groupId: 0 }));
  expect(seen(usualSecurity)).toEqual([true, true, true]);
  expect(seen(only(16, 0))).toEqual([true, false, true]);
  expect(seen(only(0, 2))).toEqual([true, true, false]);
});

test('an object inherits the masks of its group, and those of the hub, as they are now', () => {
  const access = createObjectAccess();
  const groups = new Map<number, SecuredGroup>([[7, { id: 7, parentId: 0, security: only(8, 0) }]]);
  let ofHub = { groupMask: 0, userMask: 0 };
  access.groupsFrom({ groups: () => groups, ofHub: () => ofHub });
  const inGroup = { security: usualSecurity, groupId: 7 };
  expect([admin, ann, bob].map((one) => access.canSee(one, inGroup))).toEqual([true, true, false]);
  groups.set(7, { id: 7, parentId: 0, security: usualSecurity });
  expect(access.canSee(ann, inGroup)).toBe(false);
  ofHub = { groupMask: 0, userMask: 4 };
  expect([ann, bob].map((one) => access.canSee(one, inGroup))).toEqual([false, true]);
});

test('acting needs the permission and a visible object', () => {
  const { canAct } = createObjectAccess();
  const visible = { security: usualSecurity, groupId: 0 };
  expect([admin, ann, bob].map((one) => canAct(one, visible, 'deviceControl'))).toEqual([true, true, false]);
  expect(canAct(ann, { security: only(16, 0), groupId: 0 }, 'deviceControl')).toBe(false);
});

test('an invisible object is reported like one that does not exist, and callers without a session see none', () => {
  const access = createObjectAccess();
  const hidden = { security: only(16, 0), groupId: 0 };
  const messageFor = (who: Session | null, object: typeof hidden | undefined) => {
    try {
      return accessOf(access, who).visible(object, 'device', 5);
    } catch (error) {
      return String(error);
    }
  };
  expect(messageFor(bob, hidden)).toBe(hidden);
  expect(messageFor(ann, hidden)).toBe(messageFor(ann, undefined));
  expect(messageFor(null, { ...hidden, security: usualSecurity })).toContain('there is no device 5');
  expect(accessOf(access, null).canAct({ ownerId: 1 }, 'deviceControl')).toBe(false);
});
