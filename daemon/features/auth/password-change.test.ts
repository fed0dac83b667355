import { afterAll, expect, test } from 'bun:test';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { md5Of } from '../../lib/password.ts';
import { operationLog } from '../../store/schema.ts';

const { hub, db, call, json, post, signIn, addUser, remove } = await composedHub();
afterAll(remove);

const update = (body: object, as: string) => post('/api/usr/update', body, as);
const whose = async (as: string) => (await json('/api/session', { as })).user?.name;

test('a user changes their password with the old one; other sessions end, this one gets a new string', async () => {
  const first = await addUser('ann', 4);
  const other = await signIn('ann');
  expect(await update({ password: 'better-than-it' }, first)).toMatchObject({
    result: 7,
    fields: [{ path: 'old-password', rule: 'required' }],
  });
  expect(await update({ password: 'better-than-it', 'old-password': 'wrong' }, first)).toMatchObject({ result: 39 });
  const response = await call('/api/usr/update', {
    ...{ method: 'POST', as: first },
    body: { password: 'better-than-it', 'old-password': adminPassword },
  });
  const { result, token } = await response.json();
  expect(result).toBe(0);
  expect(response.headers.getSetCookie().join('; ')).toContain(token);
  expect([await whose(token), await whose(first), await whose(other)]).toEqual(['ann', undefined, undefined]);
  expect(await signIn('ann', 'better-than-it')).toMatch(/^[A-Z]{32}$/);
});

test('the published form changes it by MD5', async () => {
  const as = await addUser('bob', 4);
  const body = { name: 'bob', 'old-passwd': md5Of(adminPassword), passwd: md5Of('quite-another') };
  expect(await update(body, as)).toMatchObject({ result: 0 });
  expect(await signIn('bob', 'quite-another')).toBeTruthy();
});

test('an administrator sets another user’s password without the old one, which ends all sessions of that user', async () => {
  const admin = await signIn('Admin');
  const eve = await addUser('eve', 2);
  const ended: string[] = [];
  hub.sessions.onEnd((idHash) => ended.push(idHash));
  expect(await update({ name: 'eve', password: 'fresh-as-dew' }, admin)).toEqual({ result: 0 });
  expect(await whose(eve)).toBeUndefined();
  expect(ended).toHaveLength(1);
  expect(await whose(admin)).toBe('Admin');
  expect(await update({ name: 'nobody', password: 'fresh-as-dew' }, admin)).toMatchObject({ result: 16 });
});

test('other users cannot set passwords', async () => {
  const user = await addUser('max', 2);
  expect(await update({ name: 'Admin', password: 'mine-alone-now' }, user)).toMatchObject({ result: 31 });
  expect(await signIn('Admin')).toBeTruthy();
});

test('the password rule applies, and the log has who did what, never the password', async () => {
  const admin = await signIn('Admin');
  await post('/api/settings/set', { 'pwd-rule': { length: 12 } }, admin);
  const body = { name: 'eve', password: 'too-short-1' };
  expect(await update(body, admin)).toMatchObject({ result: 7, fields: [{ path: 'password', rule: 'weak' }] });
  expect(await update({ name: 'eve', passwd: md5Of('too-short-1') }, admin)).toMatchObject({ result: 7 });
  expect(await update({ name: 'eve', password: 'LongEnough-1' }, admin)).toEqual({ result: 0 });
  const entries = db.select().from(operationLog).all();
  expect(entries.at(-1)).toMatchObject({ user: 'Admin', action: 'user.password', detail: 'eve: password' });
  expect(entries.some(({ action, result }) => action === 'user.password' && result === 39)).toBe(true);
  const text = JSON.stringify(entries);
  for (const secret of ['LongEnough-1', 'better-than-it', md5Of('quite-another'), md5Of(adminPassword)])
    expect(text).not.toContain(secret);
});
