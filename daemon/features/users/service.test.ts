import { expect, test } from 'bun:test';
import { firstPasswordRule, type PasswordRule } from '../../contract/password-rule.ts';
import { groupTypes, maskOf } from '../../contract/permission.ts';
import { createPasswords, md5Of } from '../../lib/password.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { createGroupService } from './groups.ts';
import { createUserService } from './service.ts';

const passwords = createPasswords({ memoryCost: 8, timeCost: 1, iterations: 10 });
const actor = { name: 'Admin', ip: '192.0.2.1' };

function setup(rule: Partial<PasswordRule> = {}) {
  const db = memoryDatabase();
  const audit = createAudit(Date.now);
  const ended: number[] = [];
  const endSessions = (_tx: unknown, id: number) => ended.push(id);
  const common = { db, audit, endSessions, onRights: () => {} };
  const passwordRule = () => ({ ...firstPasswordRule, ...rule });
  const users = createUserService({
    ...common,
    onDeleted: () => {},
    passwords,
    passwordRule,
    allowsMd5: () => true,
    secrets: { seal: (clear) => `sealed:${clear}` },
    now: Date.now,
  });
  const groups = createGroupService({ ...common, onDeleted: () => {} });
  const lastLog = () => {
    const last = db.select().from(operationLog).all().at(-1);
    return last && `${last.action} ${last.detail}`;
  };
  const add = (name: string, groupId?: number) =>
    users.create(actor, { name, password: 'a-long-secret', 'group-id': groupId });
  return { db, users, groups, ended, lastLog, add };
}

test('a user gets the lowest free bit as id and the mask of the group', async () => {
  const { users, add } = setup();
  expect(await add('ann')).toBe(2);
  expect(await add('bob', 2)).toBe(4);
  expect(users.findByName('ann')).toMatchObject({ groupName: 'Viewer', type: 4 });
  const bob = users.findByName('bob');
  expect(bob).toMatchObject({ id: 4, groupName: 'User', type: 2, permission: 57183 });
  expect(await passwords.verifyMd5(md5Of('a-long-secret'), bob?.passwordHash ?? null)).toBe(true);
  users.del(actor, 'ann');
  expect(await add('eve')).toBe(2);
});

test('a name is unique regardless of case; the group must exist', async () => {
  const { add } = setup();
  await add('ann');
  await expect(add('ann')).rejects.toMatchObject({ result: 'objectExists', params: { what: 'ann' } });
  for (const alike of ['Ann', 'admin', 'ADMIN']) {
    await expect(add(alike)).rejects.toMatchObject({ result: 'objectExists', params: { what: alike } });
  }
  await expect(add('bob', 8)).rejects.toMatchObject({ result: 'userGroupNotExist' });
});

test('the number of users is limited to 32, and the refusal says so', async () => {
  const { users, add } = setup();
  for (let i = 1; i < 32; i++) await add(`user${i}`);
  expect(users.findByName('user31')?.id).toBe(2 ** 31);
  await expect(add('more')).rejects.toMatchObject({ result: 'tooMany', params: { what: 'users', limit: 32 } });
});

test('exactly one of several parallel set-ups succeeds', async () => {
  const { db, users } = setup();
  expect(users.isSetUp()).toBe(false);
  const all = await Promise.allSettled(
    ['first-of-all', 'second-one', 'third-of-all'].map((password) => users.setUp(actor, password)),
  );
  expect(all.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(users.isSetUp()).toBe(true);
  const winner =
    ['first-of-all', 'second-one', 'third-of-all'][all.findIndex((one) => one.status === 'fulfilled')] ?? '';
  expect(await passwords.verifyMd5(md5Of(winner), users.findByName('Admin')?.passwordHash ?? null)).toBe(true);
  await expect(users.setUp(actor, 'later-than-all')).rejects.toMatchObject({ result: 'wrongState' });
  expect(db.select().from(operationLog).all()).toHaveLength(1);
});

test('a password is checked against the rule; an MD5, which cannot be checked, is refused while there is a rule', async () => {
  const { users } = setup({ length: 11, number: 2, 'chk-name': 1 });
  const refusal = async (given: { password?: string; passwd?: string }) => {
    const refused = users.create(actor, { name: 'ann', ...given });
    return refused.then(
      () => undefined,
      ({ fields }) => `${fields[0].path} ${fields[0].rule}: ${fields[0].message}`,
    );
  };
  expect(await refusal({ password: 'Annexe12-34' })).toBe('password weak: it may not have the user name in it');
  expect(await refusal({ password: 'short-1234' })).toBe('password weak: it needs at least 11 characters');
  expect(await refusal({ password: 'only-digit-1' })).toBe('password weak: it needs at least 2 digits');
  expect(await refusal({ passwd: md5Of('long-enough-12') })).toStartWith('password sendPassword: ');
  expect(await refusal({})).toStartWith('password required: ');
  expect(await refusal({ password: 'good-enough-12', passwd: md5Of('good-enough-12') })).toStartWith(
    'passwd exactlyOne: ',
  );
  expect(await refusal({ password: 'good-enough-12' })).toBeUndefined();
});

test('a user moves between groups; sessions end only when permissions are lost', async () => {
  const { users, ended, add, lastLog } = setup();
  const id = await add('ann');
  users.set(actor, { name: 'ann', 'group-id': 2, nick: 'Ann of the rack' });
  expect(users.findByName('ann')).toMatchObject({ groupName: 'User', nick: 'Ann of the rack', revision: 2 });
  // A viewer sees the system's settings and NDI, and may do more now, but no longer sees NDI.
  expect(ended).toEqual([id]);
  users.set(actor, { name: 'ann', 'group-id': 1 });
  expect(ended).toEqual([id]);
  users.set(actor, { name: 'ann', 'group-id': 4 });
  expect(ended).toEqual([id, id]);
  expect(lastLog()).toBe('user.set ann: group Viewer');
  users.set(actor, { name: 'ann', 'group-id': 4 });
  expect(users.findByName('ann')?.revision).toBe(4);
});

test('Admin stays, and users cannot lock themselves out', async () => {
  const { users, groups, add } = setup();
  await add('ann', 1);
  const ann = { name: 'ann', ip: '192.0.2.2' };
  expect(() => users.del(ann, 'Admin')).toThrow('cannot be deleted');
  expect(() => users.del(ann, 'ann')).toThrow('your own account');
  expect(() => users.set(ann, { name: 'Admin', 'group-id': 2 })).toThrow('administrator');
  expect(() => users.set(ann, { name: 'ann', 'group-id': 4 })).toThrow('your own permissions');
  expect(() => groups.set(ann, { id: 1, users: ['Admin'] })).toThrow('your own permissions');
  expect(() => groups.set(ann, { id: 1, users: ['ann'] })).toThrow('administrator');
  expect(() => groups.set(ann, { id: 2, users: ['ann'] })).toThrow('your own permissions');
  expect(() => groups.set(ann, { id: 1, permissions: 4 })).toThrow('every permission');
  expect(users.list().map(({ name, 'group-id': group }) => [name, group])).toEqual([
    ['Admin', 1],
    ['ann', 1],
  ]);
  users.set(actor, { name: 'ann', 'group-id': 4 });
  expect(users.findByName('ann')?.groupId).toBe(4);
});

test('a change based on an older revision is refused with the name of the other editor, and changes nothing', async () => {
  const { users, add } = setup();
  await add('ann');
  const { revision } = users.list()[1] ?? { revision: 0 };
  users.set({ name: 'bob', ip: '' }, { name: 'ann', nick: 'first', revision });
  let refused: unknown;
  try {
    users.set(actor, { name: 'ann', 'group-id': 2, revision });
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({
    result: 'stateChanged',
    params: { what: 'ann', by: 'bob', change: 'ann: display name first', revision: revision + 1 },
    later: [{ user: 'bob', subject: 'ann', changes: [{ word: 'nick', value: 'first' }] }],
  });
  expect(users.findByName('ann')?.groupId).toBe(4);
  users.set(actor, { name: 'ann', 'group-id': 2 });
  expect(users.findByName('ann')?.groupId).toBe(2);
});

test('a group has the permissions that its own require, its members, and the lowest free bit', async () => {
  const { groups, users, add, lastLog } = setup();
  await add('ann');
  const id = groups.add(actor, { name: 'Crew', permissions: maskOf('channelControl'), users: ['ann'], desc: 'Rack 2' });
  expect(id).toBe(8);
  expect(lastLog()).toBe('group.add Crew: may ioView, channelView, channelControl, members ann');
  expect(groups.list({ id, isDetailed: false })).toEqual([
    {
      ...{ id, name: 'Crew', desc: 'Rack 2', type: groupTypes.custom, users: ['ann'], revision: 2 },
      permission: maskOf('channelControl', 'channelView', 'ioView'),
    },
  ]);
  expect(groups.list({ id, isDetailed: true })[0]?.users).toEqual([{ id: 2, name: 'ann' }]);
  expect(users.findByName('ann')?.groupName).toBe('Crew');
  expect(groups.list({ id: 4, isDetailed: false })[0]).not.toHaveProperty('users');
});

test('there are at most three custom groups; deleting one makes its members viewers and frees its bit', async () => {
  const { groups, users, add, ended } = setup();
  const ann = await add('ann');
  const ids = ['A', 'B', 'C'].map((name) => groups.add(actor, { name, permissions: 0xdf5f }));
  expect(ids).toEqual([8, 16, 32]);
  expect(() => groups.add(actor, { name: 'D', permissions: 4 })).toThrow('6 user groups');
  groups.set(actor, { id: 16, users: ['ann'] });
  expect(ended).toEqual([ann]);
  groups.del(actor, 16);
  expect(users.findByName('ann')?.groupName).toBe('Viewer');
  expect(ended).toEqual([ann, ann]);
  expect(groups.add(actor, { name: 'D', permissions: 4 })).toBe(16);
  for (const id of [1, 2, 4]) expect(() => groups.del(actor, id)).toThrow('built in');
  expect(() => groups.del(actor, 64)).toThrow('no user group');
});

test('an invalid group is refused, and nothing is partly changed', async () => {
  const { groups, users, add } = setup();
  await add('ann');
  const broken = (permissions: number) => () => groups.add(actor, { name: 'Crew', permissions, users: ['ann'] });
  expect(broken(0)).toThrow('a group needs at least one permission');
  expect(broken(maskOf('userControl'))).toThrow('only administrators');
  expect(broken(2 ** 20)).toThrow('not permissions');
  expect(() => groups.add(actor, { name: 'Crew', permissions: 4, users: ['ann', 'nobody'] })).toThrow('no user nobody');
  expect(() => groups.add(actor, { name: 'Viewer', permissions: 4, users: ['ann'] })).toThrow('already exists');
  expect(() => groups.set(actor, { id: 2, name: 'Crew' })).toThrow('keeps its name');
  expect(() => groups.set(actor, { id: 4, users: [] })).toThrow('another group instead');
  expect(users.findByName('ann')?.groupId).toBe(4);
  expect(groups.list({ isDetailed: false })).toHaveLength(3);
});

test('removing a permission from a group ends the sessions of its members', async () => {
  const { groups, ended, add, lastLog } = setup();
  const ann = await add('ann', 2);
  groups.set(actor, { id: 2, permissions: 57183 | maskOf('ndiView') });
  expect(ended).toEqual([]);
  groups.set(actor, { id: 2, permissions: 57183 });
  expect(ended).toEqual([ann]);
  expect(lastLog()).toBe('group.set User: may no longer ndiView');
});
