import { afterEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { until } from '../../../tests/support/until.ts';
import { limits } from '../../contract/limits.ts';
import { groupTypes, maskOf } from '../../contract/permission.ts';
import { md5Of } from '../../lib/password.ts';
import { accessTokens, operationLog } from '../../store/schema.ts';

type Composed = Awaited<ReturnType<typeof composedHub>>;
const hubs: Composed[] = [];

async function setup() {
  const hub = await composedHub({ env: { SIGNALBOX_VARIANT: 'hardware' } });
  hubs.push(hub);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const asToken = (path: string, token: string, body?: object) =>
    hub.json(path, { headers: bearer(token), ...(body && { method: 'POST', body }) });
  const plain = async (path: string, token: string) => (await hub.call(path, { headers: bearer(token) })).status;
  const add = (as: string, token: object = {}) =>
    hub.post('/api/token/add', { name: 'Script', password: adminPassword, ...token }, as);
  return { ...hub, asToken, plain, add };
}
afterEach(() => {
  for (const hub of hubs.splice(0)) hub.remove();
});

test('a token is returned once, stored as a hash, and does what its owner may', async () => {
  const { db, signIn, add, asToken, plain, json } = await setup();
  const admin = await signIn('Admin');
  const { result, id, token } = await add(admin);
  expect(result).toBe(0);
  expect(token).toMatch(/^[A-Za-z0-9]{64}$/);
  expect(JSON.stringify(db.select().from(accessTokens).all())).not.toContain(token);
  expect(await asToken('/api/session', token)).toMatchObject({ user: { name: 'Admin', type: groupTypes.admin } });
  expect(await asToken('/api/log/list', token)).toMatchObject({ result: 0 });
  expect(await plain('/metrics', token)).toBe(200);
  const { list } = await json('/api/token/list', { as: admin });
  expect(list).toMatchObject([{ id, name: 'Script', owner: 'Admin', 'last-ip': '192.0.2.1' }]);
  expect(list[0]['last-used']).toBeGreaterThan(0);
  // In 90 days, unless another time or never is requested.
  const days = (list[0].expire - Date.now()) / (24 * 60 * 60_000);
  expect(days > 89.9 && days <= 90).toBe(true);
  expect(JSON.stringify(list)).not.toContain(token);
});

test('an invalid token, a cookie with one, or one with a changed letter gives no access', async () => {
  const { signIn, add, asToken, json } = await setup();
  const { token } = await add(await signIn('Admin'));
  const changed = `${token.slice(0, 63)}${token.endsWith('a') ? 'b' : 'a'}`;
  for (const wrong of [changed, token.slice(1), `${token}a`, 'x'.repeat(64)]) {
    expect(await asToken('/api/session', wrong)).toMatchObject({ result: 37 });
  }
  expect(await json('/api/session', { as: token })).toMatchObject({ result: 37 });
});

test('a token has only the requested permissions, and never more than its owner has now', async () => {
  const { signIn, addUser, add, asToken, post } = await setup();
  const admin = await signIn('Admin');
  const user = await addUser('ann', groupTypes.user);
  expect(await add(user, { permission: maskOf('userControl') })).toMatchObject({
    fields: [{ path: 'permission', rule: 'wider' }],
  });
  const { token } = await add(user, { permission: maskOf('channelControl') });
  expect(await asToken('/api/session', token)).toMatchObject({
    user: { name: 'ann', permission: maskOf('channelControl', 'channelView', 'ioView') },
  });
  expect(await asToken('/api/channel/dashboard', token)).toMatchObject({ result: 0 });
  expect(await asToken('/api/settings/get', token)).toMatchObject({ result: 31 });
  await post('/api/usr/set', { name: 'ann', 'group-id': groupTypes.viewer }, admin);
  expect(await asToken('/api/session', token)).toMatchObject({ user: { permission: maskOf('channelView', 'ioView') } });
  await post('/api/usr/del', { name: 'ann' }, admin);
  expect(await asToken('/api/session', token)).toMatchObject({ result: 37 });
});

test('an administrator’s token with limited permissions does not count as administrator', async () => {
  const { signIn, add, asToken } = await setup();
  const { token } = await add(await signIn('Admin'), { permission: maskOf('systemEdit', 'userControl') });
  expect(await asToken('/api/session', token)).toMatchObject({ user: { type: groupTypes.custom } });
  expect(await asToken('/api/log/list', token)).toMatchObject({ result: 31 });
  expect(await asToken('/api/usr/list', token)).toMatchObject({ result: 0 });
});

test('a limited token cannot create or change anyone with more permissions', async () => {
  const { signIn, addUser, add, asToken, post } = await setup();
  const admin = await signIn('Admin');
  const { id } = await post('/api/usr-group/add', { name: 'Look', permissions: maskOf('channelView') }, admin);
  await addUser('ann', groupTypes.user);
  await addUser('bob', id);
  const { token } = await add(admin, { permission: maskOf('userControl', 'channelView') });
  const password = 'mine-alone-now';
  const [wider, asAdmin] = [maskOf('channelView', 'systemView'), { 'group-id': groupTypes.admin }];
  for (const [path, body] of [
    ['/api/usr/add', { name: 'eve', password, ...asAdmin }],
    ['/api/usr/add', { name: 'eve', password, 'group-id': groupTypes.user }],
    ['/api/usr/set', { name: 'bob', ...asAdmin }],
    ['/api/usr/update', { name: 'ann', password }],
    ['/api/usr-group/add', { name: 'Wider', permissions: wider }],
    ['/api/usr-group/set', { id, permissions: wider }],
    ['/api/usr-group/set', { id: groupTypes.admin, users: ['Admin', 'bob'] }],
    ['/api/usr-group/del', { id }],
  ] as const) {
    expect([path, body, await asToken(path, token, body)]).toMatchObject([path, body, { result: 31 }]);
  }
  expect(await asToken('/api/usr/add', token, { name: 'eve', password, 'group-id': id })).toMatchObject({ result: 0 });
  expect(await asToken('/api/usr/update', token, { name: 'bob', password })).toEqual({ result: 0 });
  expect(await asToken('/api/usr-group/set', token, { id, desc: 'Only look' })).toMatchObject({ result: 0 });
  const { token: whole } = await add(admin);
  expect(await asToken('/api/usr/set', whole, { name: 'bob', ...asAdmin })).toMatchObject({ result: 0 });
});

test('a token cannot end sessions of its owner, or a token with more permissions', async () => {
  const { signIn, add, asToken, json } = await setup();
  const admin = await signIn('Admin');
  const whole = await add(admin, { name: 'Whole' });
  const little = await add(admin, { name: 'Little', permission: maskOf('channelView') });
  const same = await add(admin, { name: 'Same', permission: maskOf('channelView') });
  expect(await asToken('/api/session/end', little.token, { others: true })).toMatchObject({ result: 31 });
  expect(await json('/api/session', { as: admin })).toMatchObject({ result: 0 });
  expect(await asToken('/api/token/del', little.token, { id: [same.id, whole.id] })).toMatchObject({ result: 31 });
  expect(await asToken('/api/session', same.token)).toMatchObject({ result: 0 });
  expect(await asToken('/api/token/del', little.token, { id: [same.id, little.id] })).toMatchObject({ result: 0 });
  for (const { token } of [same, little]) expect(await asToken('/api/session', token)).toMatchObject({ result: 37 });
  expect(await asToken('/api/session', whole.token)).toMatchObject({ result: 0 });
});

test('a given token is kept unchanged; a duplicate and one of another form are refused', async () => {
  const { signIn, add, asToken } = await setup();
  const admin = await signIn('Admin');
  const given = createHash('sha256').update('a token').digest('hex');
  expect(await add(admin, { token: given })).toMatchObject({ result: 0, token: given });
  expect(await asToken('/api/session', given)).toMatchObject({ result: 0 });
  expect(await add(admin, { token: given })).toMatchObject({
    result: 1003,
    fields: [{ path: 'token', rule: 'exists' }],
  });
  const rule = async (token: string) => (await add(admin, { token })).fields[0].rule;
  expect([await rule('a'.repeat(63)), await rule(`${'a'.repeat(63)}-`)]).toEqual(['tokenLength', 'characters']);
});

test('a token expires, and a token that it creates does not outlive it', async () => {
  const { signIn, add, asToken } = await setup();
  const admin = await signIn('Admin');
  expect(await add(admin, { expire: Date.now() - 1 })).toMatchObject({ fields: [{ path: 'expire', rule: 'past' }] });
  const expire = Date.now() + 400;
  const { token } = await add(admin, { expire });
  const child = (rest: object) => asToken('/api/token/add', token, { name: 'Child', ...rest });
  expect(await child({ expire: -1 })).toMatchObject({ fields: [{ path: 'expire', rule: 'wider' }] });
  const heir = await child({});
  expect(await asToken('/api/session', heir.token)).toMatchObject({ result: 0 });
  await until(() => Date.now() > expire);
  for (const ended of [token, heir.token]) {
    expect(await asToken('/api/session', ended)).toMatchObject({ result: 37 });
  }
});

test('users see and delete their own tokens; administrators those of all; deleted tokens end at once', async () => {
  const { signIn, addUser, add, asToken, json, post, hub } = await setup();
  const admin = await signIn('Admin');
  const user = await addUser('ann', groupTypes.user);
  const mine = await add(user);
  const theirs = await add(admin, { name: 'Backup' });
  const names = async (as: string) =>
    (await json('/api/token/list', { as })).list.map((one: { name: string }) => one.name);
  expect([await names(user), await names(admin)]).toEqual([['Script'], ['Script', 'Backup']]);
  expect(await post('/api/token/del', { id: theirs.id }, user)).toMatchObject({ result: 16 });
  const ended: string[] = [];
  hub.authenticator.onEnd((name) => ended.push(name));
  expect(await post('/api/token/del', { id: mine.id }, admin)).toEqual({ result: 0 });
  expect(ended).toEqual([`token:${mine.id}`]);
  expect(await asToken('/api/session', mine.token)).toMatchObject({ result: 37 });
});

test('a token neither changes its owner’s password nor signs anyone out, and the log names it', async () => {
  const { db, signIn, add, asToken } = await setup();
  const admin = await signIn('Admin');
  const { token } = await add(admin, { name: 'Night job' });
  const change = { password: 'mine-alone-now', 'old-password': adminPassword };
  expect(await asToken('/api/usr/update', token, change)).toMatchObject({ result: 31 });
  expect(await asToken('/api/logout', token, {})).toMatchObject({ result: 0 });
  expect(await asToken('/api/usr/add', token, { name: 'ann', password: 'a-long-secret' })).toMatchObject({ result: 0 });
  const entries = db.select().from(operationLog).all();
  expect(entries.at(-1)).toMatchObject({ user: 'Admin', via: 'Night job', action: 'user.add' });
  expect(entries.map(({ action }) => action)).not.toContain('session.end');
});

test('the number of tokens is limited to 64', async () => {
  const { signIn, add } = await setup();
  const admin = await signIn('Admin');
  for (let i = 0; i < limits.tokens; i++) expect(await add(admin)).toMatchObject({ result: 0 });
  expect(await add(admin)).toMatchObject({ result: 17, params: { limit: 64 } });
});

test('creating a token in a session requires the user’s password; wrong ones wait, and are logged', async () => {
  const waits: number[] = [];
  const hub = await composedHub({ env: { SIGNALBOX_VARIANT: 'hardware' }, sleep: async (ms) => void waits.push(ms) });
  hubs.push(hub);
  const admin = await hub.signIn('Admin');
  const add = (given: object) => hub.post('/api/token/add', { name: 'Script', ...given }, admin);
  expect(await add({})).toMatchObject({ result: 7, fields: [{ path: 'password', rule: 'required' }] });
  for (let i = 0; i < 8; i++) {
    expect(await add({ password: 'not-that-one' })).toMatchObject({
      result: 39,
      fields: [{ path: 'password', rule: 'mismatch' }],
    });
  }
  expect(waits.length).toBeGreaterThanOrEqual(3);
  expect(hub.db.select().from(accessTokens).all()).toEqual([]);
  expect(hub.db.select().from(operationLog).all().at(-1)).toMatchObject({ action: 'token.add', result: 39 });
  expect(await add({ pass: md5Of(adminPassword) })).toMatchObject({ result: 0 });
});

test('tokens end when an administrator sets the password, and with one’s own change unless they are kept', async () => {
  const { db, signIn, addUser, add, asToken, post, hub } = await setup();
  const admin = await signIn('Admin');
  const works = async (token: string) => (await asToken('/api/session', token)).result === 0;
  const update = (body: object, as: string) => post('/api/usr/update', body, as);
  const ann = await addUser('ann', groupTypes.user);
  const [first, ofAdmin] = [await add(ann), await add(admin)];
  const ended: string[] = [];
  hub.authenticator.onEnd((name) => ended.push(name));

  expect(await update({ name: 'ann', password: 'by-the-boss-1', 'end-tokens': false }, admin)).toEqual({ result: 0 });
  expect([await works(first.token), await works(ofAdmin.token)]).toEqual([false, true]);
  expect(ended).toContain(`token:${first.id}`);
  expect(db.select().from(operationLog).all().at(-1)).toMatchObject({ detail: 'ann: password, access tokens ended 1' });

  let as = await signIn('ann', 'by-the-boss-1');
  const kept = await add(as, { password: 'by-the-boss-1' });
  const own = { 'old-password': 'by-the-boss-1', password: 'second-choice' };
  ({ token: as } = await update({ ...own, 'end-tokens': false }, as));
  expect(await works(kept.token)).toBe(true);
  await update({ 'old-password': 'second-choice', password: 'third-choice' }, as);
  expect(await works(kept.token)).toBe(false);
});

test('a given token that is easy to guess is refused', async () => {
  const { signIn, add } = await setup();
  const admin = await signIn('Admin');
  const alphabet = 'abcdefghijklmnopqrstuvwxyz';
  const counting = `${alphabet}${alphabet.toUpperCase()}0123456789ab`;
  for (const token of ['A'.repeat(64), 'Taken123'.repeat(8), `${'ab1'.repeat(21)}z`, counting]) {
    expect(await add(admin, { token })).toMatchObject({ result: 7, fields: [{ path: 'token', rule: 'guessable' }] });
  }
});
