/** Changes made while a password is being checked, which takes a while and may have to wait before. */
import { afterAll, expect, test } from 'bun:test';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { groupTypes } from '../../contract/permission.ts';
import { createLog } from '../../lib/log.ts';
import { createPasswords, md5Of } from '../../lib/password.ts';
import { createAuthService } from './service.ts';
import { createSetupCode } from './setup-code.ts';

const { hub, db, json, post, signIn, addUser, remove } = await composedHub();
afterAll(remove);

const root = { name: 'Admin', ip: '192.0.2.1' };

/** Every password is right, and `meanwhile` runs before the result is known. */
function withMeanwhile(meanwhile: () => unknown) {
  const passwords = {
    ...createPasswords({ memoryCost: 8, timeCost: 1, iterations: 10 }),
    async verifyMd5() {
      await meanwhile();
      return true;
    },
  };
  const { audit, users, sessions } = hub;
  const secrets = { seal: (text: string) => text, open: (text: string) => text, derive: () => Buffer.alloc(32) };
  const sleep = () => Promise.resolve();
  const setupCode = createSetupCode();
  return createAuthService({
    log: createLog('error'),
    db,
    audit,
    users,
    passwords,
    secrets,
    sessions,
    setupCode,
    allowsMd5: () => true,
    endTokens: () => 0,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    sleep,
  });
}
const credentials = (name: string) => ({ name, pass: md5Of(adminPassword) });

test('a sign-in fails if its password was reset meanwhile', async () => {
  await addUser('ann', groupTypes.viewer);
  const admin = await signIn('Admin');
  const auth = withMeanwhile(() => post('/api/usr/update', { name: 'ann', password: 'quite-another' }, admin));
  const before = hub.sessions.list(hub.users.findByName('ann')!.id).length;
  expect(before).toBe(1);
  await expect(auth.login({ name: '', ip: '192.0.2.1' }, null, credentials('ann'))).rejects.toMatchObject({
    result: 'mismatch',
  });
  expect(hub.sessions.list(hub.users.findByName('ann')!.id)).toEqual([]);
});

test('the old password does not sign in a new user with the id of a deleted one', async () => {
  await addUser('bob', groupTypes.viewer);
  const { id } = hub.users.findByName('bob')!;
  const auth = withMeanwhile(async () => {
    hub.users.del(root, 'bob');
    expect(await hub.users.create(root, { name: 'eve', password: 'good-morning', 'group-id': groupTypes.user })).toBe(
      id,
    );
  });
  await expect(auth.login({ name: '', ip: '192.0.2.1' }, null, credentials('bob'))).rejects.toMatchObject({
    result: 'mismatch',
  });
  expect(hub.sessions.list(id)).toEqual([]);
});

test('the session has the permissions of the group that the user moved to meanwhile', async () => {
  await addUser('max', groupTypes.viewer);
  const auth = withMeanwhile(() => hub.users.set(root, { name: 'max', 'group-id': groupTypes.user }));
  const { user } = await auth.login({ name: '', ip: '192.0.2.1' }, null, credentials('max'));
  expect(user).toMatchObject({ name: 'max', type: groupTypes.user });
});

test('changing one’s own password fails if an administrator set a new one meanwhile', async () => {
  const as = await addUser('zoe', groupTypes.viewer);
  const admin = await signIn('Admin');
  const session = hub.sessions.identify(as, { isUse: true })!;
  const auth = withMeanwhile(() => post('/api/usr/update', { name: 'zoe', password: 'chosen-by-root' }, admin));
  const change = { password: 'mine-alone-now', old: { pass: md5Of(adminPassword) } };
  await expect(auth.changePassword({ name: 'zoe', ip: '192.0.2.1' }, session, change)).rejects.toMatchObject({
    result: 'mismatch',
  });
  const whose = await json('/api/session', { as: await signIn('zoe', 'chosen-by-root') });
  expect(whose.user.name).toBe('zoe');
});
