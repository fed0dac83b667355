import { expect, test } from 'bun:test';
import * as z from 'zod/mini';
import { type Call, calls } from '../contract/calls.ts';
import { endpoints } from '../contract/endpoint.ts';
import { groupTypes, maskOf } from '../contract/permission.ts';
import { Port } from '../contract/rules.ts';
import { unbuiltCalls } from '../contract/unbuilt-calls.ts';
import { createObjectAccess } from '../features/visibility/service.ts';
import { HubError } from '../lib/hub-error.ts';
import { createLog } from '../lib/log.ts';
import { createApp } from './app.ts';
import { maxBodyBytes } from './body.ts';
import type { HstsState } from './middleware/security-headers.ts';
import type { PlainRoute } from './plain-route.ts';
import { bind, type Connection, lazyRoutes, type Session } from './route.ts';

const session = (permission: number, type: number): Session => ({
  idHash: '',
  user: { id: 2, name: 'someone', groupId: 4, groupName: '', permission, type },
});
const sessions: Record<string, Session> = {
  VIEWER: session(maskOf('channelView'), groupTypes.viewer),
  EDITOR: session(maskOf('channelView', 'channelEdit'), groupTypes.user),
  ADMIN: session(0xffffffff, groupTypes.admin),
};

const { read, write, open, forAdmin, broken, busy } = endpoints(
  {
    read: { method: 'GET', path: '/api/thing/query', scope: 'channelView' },
    write: { method: 'POST', path: '/api/thing/set', scope: 'channelEdit' },
    open: { method: 'POST', path: '/api/thing/open', scope: 'public' },
    forAdmin: { method: 'GET', path: '/api/thing/admin', scope: 'admin' },
    broken: { method: 'GET', path: '/api/thing/broken', scope: 'public' },
    busy: { method: 'GET', path: '/api/thing/busy', scope: 'public' },
  },
  {
    read: {
      summary: 'Reads.',
      query: z.object({ id: z.coerce.number(), key: z.optional(z.string()) }),
      response: z.object({ id: z.number(), who: z.string(), ip: z.string() }),
    },
    write: {
      summary: 'Writes.',
      body: z.object({
        port: Port,
        target: z.optional(z.union([z.object({ url: z.string() }), z.object({ to: Port })])),
      }),
      response: z.object({ port: z.number() }),
    },
    open: { summary: 'Anybody.' },
    forAdmin: { summary: 'Admin.' },
    broken: { summary: 'Breaks.' },
    busy: { summary: 'Refuses.' },
  },
);

const figures: PlainRoute = {
  path: '/figures',
  scope: 'systemView',
  isOpenToLocalhost: true,
  isOpenBeforeSetup: true,
  summary: 'Figures.',
  contentType: 'text/plain',
  query: {},
  respond: (c) => c.text('1 2 3'),
};

interface Setup {
  readonly isSetUp?: boolean;
  readonly onlyHttpsPort?: number | null;
  readonly hsts?: HstsState;
}

function setup({ isSetUp = true, onlyHttpsPort = null, hsts = 'never' }: Setup = {}) {
  const lines: string[] = [];
  let loads = 0;
  const app = createApp({
    log: createLog('info', (line) => lines.push(line)),
    variant: { isHardware: false, features: 0 },
    access: createObjectAccess(),
    hosts: ['hub.example.org'],
    gate: {
      isSetUp: () => isSetUp,
      identify: ({ cookie, bearer }) => sessions[bearer ?? cookie ?? ''] ?? null,
      whyEnded: () => undefined,
    },
    routes: [
      lazyRoutes({ read, write, open, forAdmin, broken, busy }, async () => {
        loads += 1;
        return [
          bind(read, ({ query: { id, key }, actor }) => ({
            ...{ id, who: actor.name, ip: actor.ip },
            ...(key !== undefined && { key }),
          })),
          bind(write, ({ body }) => ({ port: body.port })),
          bind(open, () => ({})),
          bind(forAdmin, () => ({})),
          bind(broken, () => {
            throw new Error('password=hunter2');
          }),
          bind(busy, () => {
            throw new HubError('tryAgain', 'later', { params: { 'retry-after': 3 } });
          }),
        ];
      }),
    ],
    plainRoutes: [figures],
    prefixRoutes: [],
    bodyRoutes: [],
    onlyHttpsPort: () => onlyHttpsPort,
    hsts: () => hsts,
    settled: () => Promise.resolve(),
    files: (c) => Promise.resolve(c.text('file')),
  });
  const env: Connection = { ip: '192.0.2.7', isSecure: false, keepOpen: () => {} };
  const call = async (path: string, init: RequestInit = {}, as = '', ip = env.ip) => {
    const headers = new Headers(init.headers);
    if (as) headers.set('cookie', `mwcloud-sid=${as}`);
    return app.request(`http://hub:8880${path}`, { ...init, headers }, { ...env, ip });
  };
  const callSecurely = async (path: string) => app.request(`https://hub:8443${path}`, {}, { ...env, isSecure: true });
  return { call, callSecurely, lines, loads: () => loads };
}

const json = (value: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json', ...headers },
});

test('routes are loaded once, by the first call that is allowed', async () => {
  const { call, loads } = setup();
  await call('/api/thing/query?id=7');
  expect(loads()).toBe(0);
  await Promise.all([call('/api/thing/query?id=7', {}, 'VIEWER'), call('/api/thing/query?id=8', {}, 'VIEWER')]);
  expect(loads()).toBe(1);
});

test('a response has result 0, the handler’s members and a request id', async () => {
  const { call } = setup();
  const response = await call('/api/thing/query?id=7', {}, 'VIEWER');
  expect(await response.json()).toEqual({ result: 0, id: 7, who: 'someone', ip: '192.0.2.7' });
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('JSON is compressed for clients that ask for it, if it is large enough', async () => {
  const { call } = setup();
  const get = (length: number, encoding: string) =>
    call(`/api/thing/query?id=7&key=${'x'.repeat(length)}`, { headers: { 'accept-encoding': encoding } }, 'VIEWER');
  const long = await get(5000, 'br, gzip');
  expect([long.headers.get('content-encoding'), long.headers.get('vary')]).toEqual(['gzip', 'accept-encoding']);
  const bytes = new Uint8Array(await long.arrayBuffer());
  expect(bytes.length).toBeLessThan(500);
  expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes)))).toMatchObject({ result: 0, id: 7 });
  for (const [length, encoding] of [
    [5000, 'gzip;q=0'],
    [5000, ''],
    [10, 'gzip'],
  ] as const) {
    const plain = await get(length, encoding);
    expect([length, encoding, plain.headers.get('content-encoding')]).toEqual([length, encoding, null]);
    expect(await plain.json()).toMatchObject({ result: 0, id: 7 });
  }
});

test('a scope is checked against the session: none gives 37, too little 31', async () => {
  const { call } = setup();
  const result = async (path: string, as: string) => (await (await call(path, {}, as)).json()).result;
  expect(await result('/api/thing/query?id=1', '')).toBe(37);
  expect(await result('/api/thing/query?id=1', 'FORGED')).toBe(37);
  expect(await result('/api/thing/admin', 'EDITOR')).toBe(31);
  expect(await result('/api/thing/admin', 'ADMIN')).toBe(0);
  expect((await (await call('/api/thing/set', json({ port: 1 }), 'VIEWER')).json()).result).toBe(31);
});

test('a session string may also come as a bearer token', async () => {
  const { call } = setup();
  const response = await call('/api/thing/query?id=1', { headers: { authorization: 'Bearer VIEWER' } });
  expect((await response.json()).result).toBe(0);
});

test('an invalid field is named by its path with the rule', async () => {
  const { call } = setup();
  const fieldsOf = async (body: unknown) => {
    const answer = await (await call('/api/thing/set', json(body), 'EDITOR')).json();
    expect(answer.result).toBe(7);
    return answer.fields.map((field: { path: string; rule: string }) => `${field.path} ${field.rule}`);
  };
  expect(await fieldsOf({ port: 70_000 })).toEqual(['port range']);
  expect(await fieldsOf({ port: 'x' })).toEqual(['port number']);
  expect(await fieldsOf({})).toEqual(['port required']);
  expect(await fieldsOf([])).toEqual([' type']);
  expect(await fieldsOf({ port: 1, target: { to: 0 } })).toEqual(['target.to range']);
  const query = await (await call('/api/thing/query', {}, 'VIEWER')).json();
  expect(query.fields).toEqual([{ path: 'id', rule: 'required', message: 'id: required' }]);
  const letters = await (await call('/api/thing/query?id=seven', {}, 'VIEWER')).json();
  expect(letters.fields[0].rule).toBe('number');
});

test('a refusal says the value, the limit and what is allowed, in words and as parameters', async () => {
  const { call } = setup();
  const answerTo = async (body: unknown) => (await call('/api/thing/set', json(body), 'EDITOR')).json();
  expect(await answerTo({ port: 70_000 })).toEqual({
    result: 7,
    message: 'port: 70000 is out of range: at most 65535',
    fields: [
      {
        ...{ path: 'port', rule: 'range', message: 'port: 70000 is out of range: at most 65535' },
        params: { value: 70_000, max: 65_535 },
      },
    ],
  });
  expect(await answerTo({ port: 1, prot: 2 })).toMatchObject({
    message: 'prot: unknown member; known: port, target',
    fields: [{ path: 'prot', rule: 'unsupported', params: { allowed: 'port, target' } }],
  });
});

test('before set-up every call except the set-up returns 35', async () => {
  const { call } = setup({ isSetUp: false });
  expect((await (await call('/api/thing/open', { method: 'POST' })).json()).result).toBe(35);
  expect((await (await call('/api/thing/query?id=1', {}, 'ADMIN')).json()).result).toBe(35);
  expect((await call('/figures', { headers: { host: 'localhost' } }, '', '127.0.0.1')).status).toBe(200);
  expect(await (await call('/')).text()).toBe('file');
});

test('a page of another origin cannot write, the console and programs can', async () => {
  const { call } = setup();
  const status = async (headers: Record<string, string>) =>
    (await call('/api/thing/open', { method: 'POST', headers: { host: 'hub:8880', ...headers } })).status;
  expect(await status({})).toBe(200);
  expect(await status({ origin: 'http://hub:8880' })).toBe(200);
  expect(await status({ origin: 'https://HUB:8880' })).toBe(200);
  expect(await status({ origin: 'http://hub:8880', 'sec-fetch-site': 'same-origin' })).toBe(200);
  for (const origin of [
    'http://evil.example',
    'http://hub:8881',
    'http://hub',
    'null',
    'hub:8880',
    'file://hub:8880',
  ]) {
    expect(await status({ origin })).toBe(403);
  }
  expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await status({ 'sec-fetch-site': 'same-site', origin: 'http://hub:8880' })).toBe(403);
  const refused = await call('/api/thing/open', { method: 'POST', headers: { origin: 'http://evil.example' } });
  expect((await refused.json()).result).toBe(31);
});

test('a page of another origin cannot read either, but links to the console work', async () => {
  const { call } = setup();
  for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'same-site' }] as const) {
    for (const path of ['/api/thing/query?id=1', '/api/nothing'])
      expect((await call(path, { headers: { host: 'hub:8880', ...headers } }, 'ADMIN')).status).toBe(403);
    expect(await (await call('/', { headers: { host: 'hub:8880', ...headers } })).text()).toBe('file');
  }
});

test('a default port in Host or Origin is the same origin', async () => {
  const { call } = setup();
  const headers = { host: 'hub:443', origin: 'https://hub' };
  expect((await call('/api/thing/open', { method: 'POST', headers })).status).toBe(200);
});

test('only JSON is read, an empty body is allowed', async () => {
  const { call } = setup();
  const form = { method: 'POST', body: 'port=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect((await call('/api/thing/set', form, 'EDITOR')).status).toBe(415);
  expect((await call('/api/thing/set', { method: 'POST', body: '{"port":1}' }, 'EDITOR')).status).toBe(415);
  const bad = await call('/api/thing/set', { ...json({}), body: '{"port":' }, 'EDITOR');
  expect([bad.status, (await bad.json()).result]).toEqual([400, 21]);
  const deep = await call('/api/thing/set', { ...json({}), body: '['.repeat(200_000) }, 'EDITOR');
  expect(deep.status).toBe(400);
  const charset = json({ port: 5 }, { 'content-type': 'application/json; charset=utf-8' });
  expect(await (await call('/api/thing/set', charset, 'EDITOR')).json()).toEqual({ result: 0, port: 5 });
  expect((await (await call('/api/thing/open', { method: 'POST' })).json()).result).toBe(0);
});

test('a body that no call takes is refused before anything else is looked at', async () => {
  const { call } = setup();
  const large = json({}, { 'content-length': String(16 * 1024 * 1024 + 1) });
  for (const path of ['/api/thing/set', '/api/nothing']) expect((await call(path, large)).status).toBe(413);
});

test('a body over the limit is refused by its length and while it is read', async () => {
  const { call } = setup();
  const announced = json({}, { 'content-length': String(maxBodyBytes + 1) });
  expect((await call('/api/thing/set', announced, 'EDITOR')).status).toBe(413);
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const response = await call('/api/thing/set', { ...json({}), body: endless }, 'EDITOR');
  expect([response.status, (await response.json()).result]).toEqual([413, 18]);
  expect(sent).toBeLessThan(2 * maxBodyBytes);
});

test('a client that disconnects in the middle of a body is not logged as an internal error', async () => {
  const { call, lines } = setup();
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{'));
      controller.error(new DOMException('', 'AbortError'));
    },
  });
  const response = await call('/api/thing/set', { ...json({}), body: broken }, 'EDITOR');
  expect([response.status, (await response.json()).result]).toEqual([400, 3]);
  expect(lines).toEqual([]);
});

test('an internal error is logged with the request id and answered without detail', async () => {
  const { call, lines } = setup();
  const response = await call('/api/thing/broken');
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(JSON.parse(text).result).toBe(6);
  expect(text).not.toContain('hunter2');
  const id = response.headers.get('x-request-id') ?? 'none';
  expect(text).toContain(id);
  expect(lines.find((line) => line.includes(id))).toContain('/api/thing/broken');
});

test('a temporary refusal says when to retry', async () => {
  const { call } = setup();
  const response = await call('/api/thing/busy');
  expect([response.status, response.headers.get('retry-after')]).toEqual([200, '3']);
  expect(await response.json()).toEqual({ result: 4, message: 'later', params: { 'retry-after': 3 } });
});

test('an unknown path below /api is 404 with a result, also for a file', async () => {
  const { call } = setup();
  for (const [path, method] of [
    ['/api/nothing', 'GET'],
    ['/nothing', 'DELETE'],
  ] as const) {
    const response = await call(path, { method }, 'ADMIN');
    expect([response.status, (await response.json()).result]).toEqual([404, 16]);
  }
});

test('another method than that of a call or a plain route is 405 with the right ones', async () => {
  const { call } = setup();
  for (const [path, method, allowed] of [
    ['/api/thing/set', 'GET', 'POST'],
    ['/api/thing/query', 'POST', 'GET'],
    ['/figures', 'POST', 'GET'],
    ['/api/license/activate', 'DELETE', 'POST'],
  ] as const) {
    const response = await call(path, { method }, 'ADMIN');
    expect([path, response.status, (await response.json()).result]).toEqual([path, 405, 9]);
    expect(response.headers.get('allow')).toBe(allowed);
  }
});

test('a published call that this version does not have is answered as such', async () => {
  const { call } = setup();
  for (const { method, path } of unbuiltCalls) {
    const response = await call(path, { method }, 'ADMIN');
    expect([path, response.status, (await response.json()).result]).toEqual([path, 200, 5]);
    expect((await (await call(path, { method })).json()).result).toBe(37);
  }
  const built = new Set(Object.values(calls).flatMap((noun) => Object.values<Call>(noun).map(({ path }) => path)));
  expect(unbuiltCalls.filter(({ path }) => built.has(path))).toEqual([]);
});

test('an answer has the published media type, and a comma after the last member is taken', async () => {
  const { call } = setup();
  const published = 'application/json; charset=UTF-8';
  const send = (body: string) => call('/api/thing/set', { ...json({}), body }, 'EDITOR');
  const good = await send('{"port": 5, "target": {"url": ",} \\",]",},\n}');
  expect([good.headers.get('content-type'), await good.json()]).toEqual([published, { result: 0, port: 5 }]);
  expect((await call('/api/nothing')).headers.get('content-type')).toBe(published);
  for (const bad of ['{"port": 5,,}', '{"port": 5}}', '{"port": ",}']) expect((await send(bad)).status).toBe(400);
  for (const worst of [
    `[${','.repeat(100_000)}${'"'.repeat(50_001)}${', '.repeat(25_000)}`,
    `"${'\\"'.repeat(130_000)}`,
  ]) {
    const started = performance.now();
    expect((await send(worst)).status).toBe(400);
    expect(performance.now() - started).toBeLessThan(1000);
  }
});

test('metrics are for localhost or users who may see the system, with an HTTP status', async () => {
  const { call } = setup();
  const status = async (as: string, ip: string, { host = 'localhost:8880', ...headers } = {}) =>
    (await call('/figures', { headers: { host, ...headers } }, as, ip)).status;
  expect(await status('', '127.0.0.1')).toBe(200);
  expect(await status('', '::1', { host: '[::1]:8880' })).toBe(200);
  expect(await status('', '127.0.0.1', { host: '127.8.0.1' })).toBe(200);
  for (const header of ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']) {
    expect([header, await status('', '127.0.0.1', { [header]: '127.0.0.1' })]).toEqual([header, 401]);
  }
  for (const host of ['hub', 'hub:8880', '192.0.2.1', '127.0.0.1.lan']) {
    expect([host, await status('', '127.0.0.1', { host })]).toEqual([host, 401]);
  }
  expect(await status('', '192.0.2.9')).toBe(401);
  expect(await status('VIEWER', '192.0.2.9')).toBe(403);
  expect(await status('ADMIN', '192.0.2.9')).toBe(200);
});

test('every response carries the security headers', async () => {
  const { call, callSecurely } = setup();
  for (const path of ['/', '/api/nothing', '/api/thing/broken', '/figures']) {
    const { headers } = await call(path);
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
    expect((await callSecurely(path)).headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('when only HTTPS is wanted, a page redirects there with its path and query for as long as that holds', async () => {
  const { call, callSecurely } = setup({ onlyHttpsPort: 8443 });
  const page = await call('/channels?show=a%20b&x');
  expect([page.status, page.headers.get('location')]).toEqual([307, 'https://hub:8443/channels?show=a%20b&x']);
  expect((await callSecurely('/channels')).status).toBe(200);
  const usual = setup({ onlyHttpsPort: 443 });
  expect((await usual.call('/')).headers.get('location')).toBe('https://hub/');
});

test('when only HTTPS is wanted, a call over HTTP is refused, not redirected', async () => {
  const { call, callSecurely } = setup({ onlyHttpsPort: 8443 });
  const message = 'this hub accepts calls only over HTTPS, at port 8443';
  for (const init of [{}, json({ port: 1 })]) {
    const refused = await call('/api/thing/query?id=7', init, 'VIEWER');
    expect([refused.status, await refused.json()]).toMatchObject([403, { result: 31, message }]);
  }
  expect((await call('/metrics', {}, 'VIEWER')).status).toBe(403);
  expect((await callSecurely('/api/thing/query?id=7')).status).toBe(200);
});

test('the machine itself and health checks are always served over HTTP', async () => {
  const { call } = setup({ onlyHttpsPort: 8443 });
  const headers = { host: 'localhost:8880' };
  for (const ip of ['127.0.0.1', '127.8.0.1', '::1']) {
    expect((await call('/', { headers }, '', ip)).status).toBe(200);
    expect((await call('/api/thing/query?id=7', { headers }, 'VIEWER', ip)).status).toBe(200);
  }
  const throughProxy = { headers: { ...headers, 'x-forwarded-for': '192.0.2.9' } };
  expect((await call('/', throughProxy, '', '127.0.0.1')).status).toBe(307);
  expect((await call('/api/health')).status).toBe(404);
});

test('HSTS and its end are announced over TLS only', async () => {
  const heard = async (hsts: HstsState) => {
    const { call, callSecurely } = setup({ hsts });
    const answers = await Promise.all([call('/'), callSecurely('/'), callSecurely('/api/thing/query')]);
    return answers.map(({ headers }) => headers.get('strict-transport-security'));
  };
  expect(await heard('never')).toEqual([null, null, null]);
  expect(await heard('on')).toEqual([null, 'max-age=15724800', 'max-age=15724800']);
  expect(await heard('ended')).toEqual([null, 'max-age=0', 'max-age=0']);
});
