import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../tests/fixtures/composed-hub.ts';
import { endpointsOf } from '../../tests/fixtures/endpoints.ts';
import { api } from '../contract/api.ts';
import { groupTypes, holds, permissions } from '../contract/permission.ts';
import { accessFor } from './access.ts';

const { hub, call, json, addUser, signIn, remove } = await composedHub();
afterAll(remove);

const endpoints = endpointsOf(api);
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const viewer = await addUser('viewer', groupTypes.viewer);
const viewerSession = hub.sessions.identify(viewer, { isUse: true });
const admin = await signIn('Admin');

test('every call of the contract is bound exactly once, and nothing else is', async () => {
  const groups = await Promise.all(hub.routes.map(async ({ calls, load }) => ({ calls, routes: await load() })));
  for (const { calls, routes } of groups) {
    expect(routes.map(({ endpoint }) => nameOf(endpoint)).toSorted()).toEqual(calls.map(nameOf).toSorted());
  }
  const bound = groups.flatMap(({ calls }) => calls.map(nameOf));
  expect(bound.toSorted()).toEqual(endpoints.map(nameOf).toSorted());
  expect(new Set(bound).size).toBe(bound.length);
});

for (const endpoint of endpoints.filter(({ scope }) => scope !== 'public')) {
  test(`${nameOf(endpoint)} returns 37 without a session`, async () => {
    expect(await json(endpoint.path, { method: endpoint.method })).toMatchObject({ result: 37 });
  });

  const mayView = accessFor(viewerSession, endpoint.scope) === 'granted';
  test(`${nameOf(endpoint)} ${mayView ? 'accepts a viewer' : 'returns 31 to a viewer'}`, async () => {
    const { result } = await json(endpoint.path, { method: endpoint.method, as: viewer });
    if (mayView) expect(result).not.toBe(31);
    else expect(result).toBe(31);
  });
}

for (const endpoint of endpoints.filter(({ method }) => method === 'POST')) {
  test(`${nameOf(endpoint)} refuses another origin, regardless of the session`, async () => {
    const headers = { origin: 'http://evil.example' };
    const response = await call(endpoint.path, { method: 'POST', as: admin, headers, body: {} });
    expect([response.status, (await response.json()).result]).toEqual([403, 31]);
  });
}

test('a viewer may read everything and change nothing', () => {
  const mask = viewerSession?.user.permission ?? 0;
  expect(permissions.filter((name) => holds(mask, name))).toEqual(permissions.filter((name) => name.endsWith('View')));
  // A user's own password, sessions, tokens, preview stream and favorites affect no other user. The second list of
  // devices is a read whose serial numbers need not fit into a query.
  const own = [
    '/api/preview/setup',
    '/api/usr/update',
    '/api/session/end',
    '/api/session/stay',
    '/api/token/add',
    '/api/token/del',
    '/api/task/cancel',
    '/api/device/favorite',
    '/api/device/list',
  ];
  const isOwn = (path: string) => own.includes(path);
  const writes = endpoints.filter(({ method, scope, path }) => method === 'POST' && scope !== 'public' && !isOwn(path));
  expect(writes.filter(({ scope }) => accessFor(viewerSession, scope) === 'granted').map(nameOf)).toEqual([]);
});

test('plain routes require a session as declared', async () => {
  for (const route of hub.plainRoutes) {
    const { status } = await call(route.path, { method: 'GET' });
    expect([route.path, status]).toEqual([route.path, route.scope === 'public' ? 200 : 401]);
  }
});

test('body routes require a session as declared, and refuse another origin regardless of it', async () => {
  expect(hub.bodyRoutes.map(({ path }) => path)).toEqual(['/api/upload/data']);
  for (const { path } of hub.bodyRoutes) {
    const refused = await call(path, { method: 'PUT' });
    expect([refused.status, (await refused.json()).result]).toEqual([401, 37]);
    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const foreign = await call(path, { method: 'PUT', as: admin, headers });
      expect([foreign.status, (await foreign.json()).result]).toEqual([403, 31]);
    }
  }
});

test('the API description, which needs no session, is neither compressed for each caller nor stored by browsers', async () => {
  const { headers } = await call('/api/openapi.json', { method: 'GET', headers: { 'accept-encoding': 'gzip' } });
  expect([headers.get('content-encoding'), headers.get('cache-control')]).toEqual([null, 'no-store, no-transform']);
});

test('the API description lists every call and every other route with its scope', async () => {
  const description = await json('/api/openapi.json', { as: viewer });
  for (const endpoint of endpoints) {
    const operation = description.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    expect(operation).toMatchObject({ summary: endpoint.summary, 'x-scope': endpoint.scope });
    expect(Boolean(operation.requestBody)).toBe((endpoint.body ?? endpoint.upload) !== undefined);
    expect(Boolean(operation.parameters)).toBe(endpoint.query !== undefined);
  }
  for (const route of hub.plainRoutes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    expect(description.paths[path]?.get.summary).toBe(route.summary);
  }
  for (const route of hub.bodyRoutes) {
    expect(description.paths[route.path]?.put).toMatchObject({
      ...{ summary: route.summary, 'x-scope': route.scope },
      requestBody: { content: { 'application/octet-stream': {} } },
    });
  }
  for (const { prefix, summary, scope } of hub.prefixRoutes) {
    expect(description.paths[prefix]?.get).toMatchObject({ summary, 'x-scope': scope });
  }
  const operations = Object.values<Record<string, { operationId: string }>>(description.paths).flatMap(Object.values);
  const others = [hub.plainRoutes, hub.bodyRoutes, hub.prefixRoutes];
  expect(operations).toHaveLength(endpoints.length + others.flat().length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});
