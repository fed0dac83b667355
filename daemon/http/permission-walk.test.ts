/** Every call and plain route, asked by somebody with each permission alone, by the deleted, the expired and the foreign. */
import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../tests/fixtures/composed-hub.ts';
import { api } from '../contract/api.ts';
import type { Scope } from '../contract/endpoint.ts';
import { adminOnlyPermissions, bitOf, type Permission, permissions } from '../contract/permission.ts';
import { endpointsOf } from './openapi.ts';

const { hub, call, json, post, signIn, remove } = await composedHub({
  env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router' },
});
afterAll(remove);
const admin = await signIn('Admin');
// A token changes no password of its owner, and ending sessions would end the walk.
const apart = ['/api/usr/update', '/api/session/end'];
const endpoints = endpointsOf(api).filter(({ scope, path }) => scope !== 'public' && !apart.includes(path));
const plain = hub.plainRoutes.filter(({ scope }) => scope !== 'public');

/** What each permission lets somebody do, of calls and streams: section 6 of the specification, carried through by hand. */
const opens: Record<Permission, readonly Scope[]> = {
  firmwareView: ['firmwareView'],
  firmwareManage: ['firmwareManage', 'firmwareView'],
  deviceView: ['deviceView'],
  deviceControl: ['deviceControl', 'deviceView', 'firmwareView'],
  deviceAdvanced: ['deviceAdvanced', 'deviceControl', 'deviceView', 'firmwareView'],
  deviceSecurity: ['deviceSecurity'],
  groupView: ['groupView'],
  groupControl: ['groupControl'],
  ioView: ['ioView'],
  ioEdit: ['ioEdit', 'ioView'],
  channelView: ['channelView'],
  channelControl: ['channelControl', 'channelView', 'ioView'],
  channelEdit: ['channelEdit', 'channelControl', 'channelView', 'ioEdit', 'ioView'],
  userControl: ['userControl'],
  systemView: ['systemView'],
  systemEdit: ['systemEdit', 'systemView'],
  ndiView: ['ndiView'],
  ndiEdit: ['ndiEdit', 'ndiView'],
};

type Proof = { as: string } | { headers: Record<string, string> };

/** Paths that refuse for want of permission, and those that don't. */
async function walk(proof: Proof): Promise<{ open: string[]; shut: string[]; unknown: string[] }> {
  const found = { open: [] as string[], shut: [] as string[], unknown: [] as string[] };
  for (const { method, path } of endpoints) {
    const { result } = await json(path, { method, ...(method === 'POST' && { body: { none: 1 } }), ...proof });
    found[result === 37 ? 'unknown' : result === 31 ? 'shut' : 'open'].push(path);
  }
  for (const { path } of plain) {
    // HEAD, because some of them never end.
    const { status } = await call(path, { method: 'HEAD' as 'GET', ...proof });
    found[status === 401 ? 'unknown' : status === 403 ? 'shut' : 'open'].push(path);
  }
  return found;
}

const all = [...endpoints, ...plain];
const pathsOf = (scopes: readonly Scope[]) => all.filter(({ scope }) => scopes.includes(scope)).map(({ path }) => path);

await post('/api/usr/add', { name: 'ann', password: 'secret' }, admin);
const { id: group } = await post('/api/usr-group/add', { name: 'Trial', permissions: 4, users: ['ann'] }, admin);

async function heldBy(permission: Permission): Promise<Proof> {
  if (!adminOnlyPermissions.includes(permission)) {
    await post('/api/usr-group/set', { id: group, permissions: bitOf(permission) }, admin);
    return { as: await signIn('ann') };
  }
  const { token } = await post('/api/token/add', { name: permission, permission: bitOf(permission) }, admin);
  return { headers: { authorization: `Bearer ${token}` } };
}

for (const permission of permissions) {
  test(`with ${permission} alone exactly its own calls open`, async () => {
    const { open, shut, unknown } = await walk(await heldBy(permission));
    expect(unknown).toEqual([]);
    expect(new Set(open)).toEqual(new Set(pathsOf(['signedIn', ...opens[permission]])));
    expect(open.length + shut.length).toBe(all.length);
  });
}

test('an administrator may call everything', async () => {
  expect((await walk({ as: admin })).shut).toEqual([]);
});

test('nobody, the deleted, and an expired or deleted token get nowhere', async () => {
  await post('/api/usr/add', { name: 'gone', password: 'secret', 'group-id': 1 }, admin);
  const gone = await signIn('gone');
  const { token: theirs } = await post('/api/token/add', { name: 'theirs' }, gone);
  await post('/api/usr/del', { name: 'gone' }, admin);
  const { id, token: deleted } = await post('/api/token/add', { name: 'deleted' }, admin);
  await post('/api/token/del', { id }, admin);
  const expire = Date.now() + 100;
  const { token: expired } = await post('/api/token/add', { name: 'expired', expire }, admin);
  while (Date.now() <= expire) await Bun.sleep(10);
  const proofs: Proof[] = [{ headers: {} }, { as: gone }];
  for (const token of [theirs, deleted, expired]) proofs.push({ headers: { authorization: `Bearer ${token}` } });
  for (const proof of proofs) {
    const { open, shut } = await walk(proof);
    expect([open, shut]).toEqual([[], []]);
  }
});
