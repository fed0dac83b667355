import { expect, test } from 'bun:test';
import { createPasswords, md5Of } from '../../lib/password.ts';
import { memoryDatabase } from '../../store/memory-database.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { createUserService } from './service.ts';

const passwords = createPasswords({ memoryCost: 8, timeCost: 1 });
const actor = { name: '', ip: '192.0.2.1' };

function setup() {
  const db = memoryDatabase();
  return { db, users: createUserService({ db, audit: createAudit(Date.now), passwords, now: Date.now }) };
}

test('a user gets the lowest free bit as id and the mask of the group', async () => {
  const { users } = setup();
  expect(await users.create(actor, { name: 'ann', password: 'secret', groupId: 4 })).toBe(2);
  expect(await users.create(actor, { name: 'bob', password: 'secret', groupId: 2 })).toBe(4);
  const bob = users.findByName('bob');
  expect(bob).toMatchObject({ id: 4, groupName: 'User', type: 2, permission: 57183 });
  expect(await passwords.verifyMd5(md5Of('secret'), bob?.passwordHash ?? null)).toBe(true);
});

test('a name is used once, a group has to exist', async () => {
  const { users } = setup();
  await users.create(actor, { name: 'ann', password: 'secret', groupId: 4 });
  await expect(users.create(actor, { name: 'ann', password: 'other', groupId: 4 })).rejects.toMatchObject({
    result: 'objectExists',
    params: { what: 'ann' },
  });
  await expect(users.create(actor, { name: 'bob', password: 'other', groupId: 8 })).rejects.toMatchObject({
    result: 'userGroupNotExist',
  });
});

test('there are 32 users at most', async () => {
  const { users } = setup();
  for (let i = 1; i < 32; i++) await users.create(actor, { name: `user${i}`, password: 'x', groupId: 4 });
  expect(users.findByName('user31')?.id).toBe(2 ** 31);
  await expect(users.create(actor, { name: 'more', password: 'x', groupId: 4 })).rejects.toMatchObject({
    result: 'tooMany',
  });
});

test('of several set-ups at once exactly one wins', async () => {
  const { db, users } = setup();
  expect(users.isSetUp()).toBe(false);
  const all = await Promise.allSettled(['a', 'b', 'c'].map((password) => users.setUp(actor, password)));
  expect(all.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(users.isSetUp()).toBe(true);
  const winner = ['a', 'b', 'c'][all.findIndex((one) => one.status === 'fulfilled')] ?? '';
  expect(await passwords.verifyMd5(md5Of(winner), users.findByName('Admin')?.passwordHash ?? null)).toBe(true);
  await expect(users.setUp(actor, 'later')).rejects.toMatchObject({ result: 'wrongState' });
  expect(db.select().from(operationLog).all()).toHaveLength(1);
});
