/** Calls every route that a real hub lists over HTTP, with and without the required permissions. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cookieNames } from '../../daemon/contract/auth.ts';
import type { Scope } from '../../daemon/contract/calls.ts';
import {
  type Asked,
  bySession,
  byToken,
  leftOut,
  nameOf,
  nobody,
  type Proof,
  type WalkedRoute,
  walkRoutes,
} from '../fixtures/route-walk.ts';
import { scopesOf, specifiedScopes } from '../fixtures/specified-scopes.ts';
import { until } from '../support/until.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { type RawCall, rawCall } from './raw-call.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
let admin: string;
/** Those that require authentication. */
let routes: WalkedRoute[];
let publicRoutes: WalkedRoute[];
let described: WalkedRoute[];

interface Described {
  readonly paths: Record<string, Record<string, { readonly 'x-scope': Scope; readonly responses: object }>>;
}
async function describedRoutes(): Promise<WalkedRoute[]> {
  const { paths } = await hub.api<Described>('/api/openapi.json');
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { 'x-scope': scope, responses }]) => ({
      method: method.toUpperCase() as WalkedRoute['method'],
      path,
      ...{ scope, isPlain: method === 'get' && '401' in responses },
    })),
  );
}

beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router,devices' } });
  admin = await sessionOf('Admin', adminPassword);
  await hub.login();
  described = await describedRoutes();
  const filled = described.map((route) => ({ ...route, path: route.path.replaceAll(/\{\w+\}/g, '1') }));
  // A real hub would restart.
  const all = filled.filter(({ path }) => ![...leftOut, '/api/reboot'].includes(path));
  routes = all.filter(({ scope }) => scope !== 'public');
  publicRoutes = all.filter(({ scope }) => scope === 'public');
  expect(routes.length).toBeGreaterThan(50);
  await hub.api('/api/usr/add', { name: 'ann', password: 'a-long-secret' });
});
afterAll(() => hub.stop());

/** From another machine, according to a local proxy: metrics are open to this machine itself. */
const elsewhere = { 'x-forwarded-for': '192.0.2.1' };
const ask = ({ path, method, headers, body }: Asked) =>
  fetch(`${hub.url}${path}`, {
    method,
    headers: { ...elsewhere, ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const walk = (proof: Proof) => walkRoutes(routes, proof, ask);
const sessionOf = async (id: string, password: string) =>
  (await rawCall(hub, { path: '/api/login', body: { id, password } })).json.token as string;
const namesOf = (list: readonly WalkedRoute[]) => list.map(nameOf).toSorted();
const newToken = (body: object) =>
  hub.api<{ id: number; token: string }>('/api/token/add', { ...body, password: adminPassword });

test('the description of the API gives every route the scope from the specification', () => {
  expect(scopesOf(described)).toEqual([...specifiedScopes]);
});

test('a viewer can call all reads and manage their own session, the administrator everything, others nothing', async () => {
  await hub.api('/api/usr/add', { name: 'viewer', password: 'a-long-secret', 'group-id': 4 });
  const own = ['device/favorite', 'device/list', 'preview/setup', 'task/cancel', 'token/add', 'token/del'].map(
    (path) => `POST /api/${path}`,
  );
  const { open, unknown } = await walk(bySession(await sessionOf('viewer', 'a-long-secret')));
  expect(unknown).toEqual([]);
  const mayWrite = open.filter((name) => name.startsWith('POST'));
  expect(mayWrite.toSorted()).toEqual(own);
  const seen = routes.filter(({ scope }) => scope === 'signedIn' || scope.endsWith('View'));
  expect(open.toSorted()).toEqual(namesOf(seen));
  expect((await walk(bySession(admin))).open.toSorted()).toEqual(namesOf(routes));
  expect((await walk(nobody)).unknown.toSorted()).toEqual(namesOf(routes));
});

test('forged cookies for Admin without the session give no access', async () => {
  const { sid: _, ...shown } = cookieNames;
  const forged = Object.values(shown).map((name) => `${name}=${name === cookieNames.permission ? 4294967295 : 1}`);
  for (const sid of ['', 'Admin', 'A'.repeat(32), "' OR 1=1 --"]) {
    const cookie = [...forged, `${cookieNames.uid}=Admin`, `${cookieNames.sid}=${sid}`].join('; ');
    expect((await walk({ cookie })).unknown.toSorted()).toEqual(namesOf(routes));
  }
});

test('deleted users, ended sessions, and expired or revoked tokens give no access', async () => {
  await hub.api('/api/usr/add', { name: 'gone', password: 'a-long-secret', 'group-id': 1 });
  const gone = await sessionOf('gone', 'a-long-secret');
  const theirs = await ask({
    ...{
      method: 'POST',
      path: '/api/token/add',
      headers: bySession(gone),
      body: { name: 'theirs', password: 'a-long-secret' },
    },
  }).then((response) => response.json() as Promise<{ token: string }>);
  expect((await walk(byToken(theirs.token))).shut).toEqual([]);
  await hub.api('/api/usr/del', { name: 'gone' });
  const signedOut = await sessionOf('ann', 'a-long-secret');
  await ask({ method: 'GET', path: '/api/logout', headers: bySession(signedOut) });
  const revoked = await newToken({ name: 'revoked' });
  await hub.api('/api/token/del', { id: revoked.id });
  const expire = Date.now() + 500;
  const expired = await newToken({ name: 'expired', expire });
  await until(() => Date.now() > expire, 10_000, 'the token expires');
  for (const proof of [
    bySession(gone),
    bySession(signedOut),
    ...[theirs, revoked, expired].map(({ token }) => byToken(token)),
  ]) {
    expect((await walk(proof)).unknown.toSorted()).toEqual(namesOf(routes));
  }
});

const call = (route: WalkedRoute, headers: RawCall['headers']) =>
  rawCall(hub, {
    ...{ path: route.path, method: route.isPlain ? 'HEAD' : route.method },
    ...(route.method === 'POST' && { body: {} }),
    headers: { ...bySession(admin), ...headers },
  });
const host = () => `127.0.0.1:${hub.ports.http}`;

test('a page of another origin reaches no route, regardless of the session', async () => {
  const foreign = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    // Another port of the same host, such as the console of a device.
    { origin: `http://127.0.0.1:${hub.ports.hls}` },
    { 'sec-fetch-site': 'same-site', origin: `http://${host()}` },
  ];
  for (const route of [...routes, ...publicRoutes]) {
    for (const headers of foreign) {
      const { status } = await call(route, headers);
      expect([nameOf(route), headers, status]).toEqual([nameOf(route), headers, 403]);
    }
  }
  const own = { origin: `http://${host()}`, 'sec-fetch-site': 'same-origin' };
  expect(
    (await call({ method: 'GET', path: '/api/session', scope: 'signedIn', isPlain: false }, own)).json.result,
  ).toBe(0);
});

/** Their bodies are files: the slate an image, certificates and firmware as published a form. */
const takesFile = ['/api/channel/slate/set', '/api/cert/upload', '/api/cert/upload-key', '/api/firmware/upload'];

test('neither a form nor another content type is read as JSON, and no WebSocket is opened', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', '']) {
    for (const { path } of routes.filter(({ method, path: at }) => method === 'POST' && !takesFile.includes(at))) {
      const headers = { ...bySession(admin), 'content-type': type };
      const { status } = await rawCall(hub, { path, body: '{"id":1}', headers });
      expect([path, type, status]).toEqual([path, type, 415]);
    }
  }
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const headers = { ...bySession(admin), ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
  const { status } = await rawCall(hub, { path: '/api/session', headers });
  expect(status).not.toBe(101);
});

test('a host name that is not the hub’s reaches no route and no page', async () => {
  for (const name of ['evil.example', `evil.example:${hub.ports.http}`, '127.0.0.1.evil.example']) {
    for (const route of [...routes, ...publicRoutes]) {
      const { status } = await call(route, { host: name });
      expect([nameOf(route), name, status]).toEqual([nameOf(route), name, 421]);
    }
    // Not even if the page itself was loaded under that name.
    const rebound = { host: name, origin: `http://${name}`, 'sec-fetch-site': 'same-origin' };
    expect((await rawCall(hub, { path: '/api/login', body: {}, headers: rebound })).status).toBe(421);
    expect((await rawCall(hub, { path: '/', headers: { host: name } })).status).toBe(421);
  }
  for (const name of [host(), 'localhost', 'signalbox.local'])
    expect(
      (await rawCall(hub, { path: '/api/session', headers: { host: name, ...bySession(admin) } })).json.result,
    ).toBe(0);
});

test('every response forbids framing, sniffing, referrers and, except for the console’s own files, caching', async () => {
  const asked = [
    ...routes,
    ...publicRoutes,
    { method: 'GET', path: '/api/nothing', scope: 'public', isPlain: false } as const,
  ];
  for (const route of asked) {
    for (const headers of [{}, { cookie: '' }, { origin: 'http://evil.example' }, { host: 'evil.example' }]) {
      const answer = await call(route, headers);
      expectGuarded(nameOf(route), answer.headers);
      // The API description is sent from its file, and not compressed.
      expect([nameOf(route), answer.headers.get('cache-control')?.split(', ')[0]]).toEqual([nameOf(route), 'no-store']);
    }
  }
  for (const path of ['/', '/nothing', '/assets/']) expectGuarded(path, (await rawCall(hub, { path })).headers);
});

function expectGuarded(name: string, headers: Headers): void {
  const policy = headers.get('content-security-policy') ?? '';
  for (const rule of [
    "default-src 'none'",
    "script-src 'self';",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ])
    expect([name, policy]).toEqual([name, expect.stringContaining(rule)]);
  expect({
    name,
    framing: headers.get('x-frame-options'),
    sniffing: headers.get('x-content-type-options'),
    referring: headers.get('referrer-policy'),
    resource: headers.get('cross-origin-resource-policy'),
    cors: headers.get('access-control-allow-origin'),
    server: headers.get('server') ?? headers.get('x-powered-by'),
  }).toEqual({
    ...{ name, framing: 'DENY', sniffing: 'nosniff', referring: 'no-referrer', resource: 'same-origin' },
    ...{ cors: null, server: null },
  });
}
