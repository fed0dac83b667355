/** Requests every call and plain route with each single permission, and with deleted, expired and foreign sessions. */
import { afterAll, expect, test } from 'bun:test';
import { adminPassword, composedHub } from '../../tests/fixtures/composed-hub.ts';
import { endpointsOf } from '../../tests/fixtures/endpoints.ts';
import {
  bySession,
  byToken,
  leftOut,
  nobody,
  openedBy,
  type Proof,
  type WalkedRoute,
  walkRoutes,
} from '../../tests/fixtures/route-walk.ts';
import { scopesOf, specifiedScopes } from '../../tests/fixtures/specified-scopes.ts';
import { until } from '../../tests/support/until.ts';
import { api } from '../contract/api.ts';
import { adminOnlyPermissions, bitOf, type Permission, permissions } from '../contract/permission.ts';

const { hub, call, post, signIn, remove } = await composedHub({
  env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router,devices' },
});
afterAll(remove);
const admin = await signIn('Admin');
const all: WalkedRoute[] = [
  ...endpointsOf(api).map(({ method, path, scope }) => ({ method, path, scope, isPlain: false })),
  ...hub.plainRoutes.map(({ path, scope }) => ({ method: 'GET' as const, path, scope, isPlain: true })),
  ...hub.bodyRoutes.map(({ path, scope }) => ({ method: 'PUT' as const, path, scope, isPlain: false })),
  ...hub.prefixRoutes.map(({ prefix, scope }) => ({ method: 'GET' as const, path: prefix, scope, isPlain: false })),
];
const routes = all.filter(({ scope, path }) => scope !== 'public' && !leftOut.includes(path));

const addToken = (token: object, as = admin) => post('/api/token/add', { ...token, password: adminPassword }, as);
const walk = (proof: Proof) => walkRoutes(routes, proof, ({ path, ...asked }) => call(path, { ...asked }));

await post('/api/usr/add', { name: 'ann', password: adminPassword }, admin);
const { id: group } = await post('/api/usr-group/add', { name: 'Trial', permissions: 4, users: ['ann'] }, admin);

async function heldBy(permission: Permission): Promise<Proof> {
  if (!adminOnlyPermissions.includes(permission)) {
    await post('/api/usr-group/set', { id: group, permissions: bitOf(permission) }, admin);
    return bySession(await signIn('ann'));
  }
  const { token } = await addToken({ name: permission, permission: bitOf(permission) });
  return byToken(token);
}

test('every route requires the scope that the specification gives it', () => {
  expect(scopesOf(all)).toEqual([...specifiedScopes]);
});

for (const permission of permissions) {
  test(`with ${permission} alone exactly its own calls are allowed`, async () => {
    const { open, shut, unknown } = await walk(await heldBy(permission));
    expect(unknown).toEqual([]);
    expect(new Set(open)).toEqual(openedBy(routes, permission));
    expect(open.length + shut.length).toBe(routes.length);
  });
}

test('an administrator may call everything', async () => {
  expect((await walk(bySession(admin))).shut).toEqual([]);
});

test('without a session, or with a deleted user or an expired or deleted token, no call is allowed', async () => {
  await post('/api/usr/add', { name: 'gone', password: adminPassword, 'group-id': 1 }, admin);
  const gone = await signIn('gone');
  const { token: theirs } = await addToken({ name: 'theirs' }, gone);
  await post('/api/usr/del', { name: 'gone' }, admin);
  const { id, token: deleted } = await addToken({ name: 'deleted' });
  await post('/api/token/del', { id }, admin);
  const expire = Date.now() + 100;
  const { token: expired } = await addToken({ name: 'expired', expire });
  await until(() => Date.now() > expire);
  for (const proof of [nobody, bySession(gone), ...[theirs, deleted, expired].map(byToken)]) {
    const { open, shut } = await walk(proof);
    expect([open, shut]).toEqual([[], []]);
  }
});
