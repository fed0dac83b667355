import { afterEach, expect, test } from 'bun:test';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { groupTypes } from '../../contract/permission.ts';
import { md5Of } from '../../lib/password.ts';
import { operationLog } from '../../store/schema.ts';

type Hub = Awaited<ReturnType<typeof composedHub>>;
const hubs: Hub[] = [];

async function setup(options: Parameters<typeof composedHub>[0] = {}): Promise<Hub> {
  const hub = await composedHub(options);
  hubs.push(hub);
  return hub;
}

afterEach(() => {
  for (const hub of hubs.splice(0)) hub.remove();
});

const user = { name: 'Admin', id: 1, 'group-name': 'Admin', permission: 4294967295, type: 1 };

function cookiesOf(response: Response): Map<string, string> {
  return new Map(
    response.headers.getSetCookie().map((line) => {
      const [pair = '', ...attributes] = line.split('; ');
      return [pair.slice(0, pair.indexOf('=')), [pair.slice(pair.indexOf('=') + 1), ...attributes].join('; ')];
    }),
  );
}

test('the published form and the plain form sign in and return session string and user', async () => {
  const { post, json } = await setup();
  for (const secret of [
    { pass: md5Of(adminPassword) },
    { pass: md5Of(adminPassword).toUpperCase() },
    { password: adminPassword },
  ]) {
    const { token, ...answer } = await post('/api/login', { id: 'Admin', ...secret });
    expect(answer).toEqual({ result: 0, 'is-hardware': false, user });
    expect(await json('/api/session', { as: token })).toMatchObject({ result: 0, user });
  }
});

test('scripts see no cookie but the one which says that a user is signed in', async () => {
  const { call } = await setup();
  const body = { id: 'Admin', password: adminPassword };
  const response = await call('/api/login', { method: 'POST', body });
  const { token } = (await response.clone().json()) as { token: string };
  const cookies = cookiesOf(response);
  expect(cookies.get('mwcloud-sid')).toBe(`${token}; Path=/; HttpOnly; SameSite=Strict`);
  expect(cookies.get('mwcloud-uid')).toBe('Admin; Path=/; HttpOnly; SameSite=Strict');
  expect(cookies.get('signalbox-permission')).toBe('4294967295; Path=/; HttpOnly; SameSite=Strict');
  expect([...cookies.keys()].filter((name) => name.startsWith('signalbox-'))).toHaveLength(7);
  expect([...cookies].filter(([, value]) => !value.includes('; HttpOnly'))).toEqual([
    ['signalbox-signed-in', '1; Path=/; SameSite=Strict'],
  ]);
  const secure = cookiesOf(await call('/api/login', { method: 'POST', body, isSecure: true }));
  for (const value of secure.values()) expect(value).toContain('; Secure');
});

test('a browser that has the Secure cookie of HTTPS can sign in over HTTP as well', async () => {
  const { call, json } = await setup();
  const body = { id: 'Admin', password: adminPassword };
  const plain = cookiesOf(await call('/api/login', { method: 'POST', body }));
  const [sid = ''] = plain.get('mwcloud-sid')?.split(';') ?? [];
  expect(plain.get('signalbox-http-sid')).toBe(`${sid}; Path=/; HttpOnly; SameSite=Strict`);
  const headers = { cookie: `signalbox-http-sid=${sid}` };
  expect(await json('/api/session', { headers })).toMatchObject({ result: 0, user });
  expect((await json('/api/session', { headers, isSecure: true })).result).toBe(37);
  const secure = cookiesOf(await call('/api/login', { method: 'POST', body, isSecure: true }));
  expect(secure.has('signalbox-http-sid')).toBe(false);
  const leave = (isSecure: boolean) => call('/api/logout', { method: 'POST', isSecure });
  expect(cookiesOf(await leave(true)).has('signalbox-http-sid')).toBe(false);
  expect(cookiesOf(await leave(false)).get('signalbox-http-sid')).toStartWith('; Max-Age=0');
});

test('a second session cookie, which pages of other ports can set, is deleted, and neither of the two is used', async () => {
  const { call, addUser } = await setup();
  const [viewer, other] = [await addUser('viewer', groupTypes.viewer), await addUser('other', groupTypes.viewer)];
  for (const name of ['mwcloud-sid', 'signalbox-http-sid']) {
    const headers = { host: 'hub.local', cookie: `${name}=${other}; ${name}=${viewer}` };
    const response = await call('/api/session', { headers });
    expect((await response.json()).result).toBe(37);
    const deleted = response.headers.getSetCookie().filter((one) => one.startsWith(`${name}=; Max-Age=0`));
    expect(deleted).toContain(`${name}=; Max-Age=0; Path=/api`);
    expect(deleted).toContain(`${name}=; Max-Age=0; Path=/api/`);
    expect(deleted).toContain(`${name}=; Max-Age=0; Domain=hub.local; Path=/`);
    expect(deleted).not.toContain(`${name}=; Max-Age=0; Path=/`);
  }
  const one = await call('/api/session', { headers: { cookie: `mwcloud-sid=${viewer}` } });
  expect([(await one.json()).result, one.headers.getSetCookie()]).toEqual([0, []]);
});

test('forged readable cookies give no access', async () => {
  const { json, addUser } = await setup();
  const viewer = await addUser('viewer', groupTypes.viewer);
  const cookie = `mwcloud-sid=${viewer}; mwcloud-uid=Admin; signalbox-permission=4294967295; signalbox-user-type=1`;
  expect((await json('/api/log/list', { headers: { cookie } })).result).toBe(31);
  expect((await json('/api/session', { headers: { cookie: 'mwcloud-uid=Admin; signalbox-user-id=1' } })).result).toBe(
    37,
  );
});

test('a wrong password is 39, an unknown user is 16 only for published clients, and neither signs in', async () => {
  const { post, db } = await setup();
  expect(await post('/api/login', { id: 'Admin', password: 'wrong' })).toEqual({
    result: 39,
    message: 'the user name or the password is wrong',
  });
  expect(await post('/api/login', { id: 'nobody', password: adminPassword })).toEqual({
    result: 39,
    message: 'the user name or the password is wrong',
  });
  expect((await post('/api/login', { id: 'nobody', pass: md5Of(adminPassword) })).result).toBe(16);
  expect((await post('/api/login', { id: 'Admin', pass: md5Of('wrong') })).result).toBe(39);
  expect((await post('/api/login', { id: 'Admin', pass: 'short' })).fields).toMatchObject([
    { path: 'pass', rule: 'md5' },
  ]);
  expect((await post('/api/login', { id: 'Admin' })).fields).toMatchObject([{ path: 'pass', rule: 'required' }]);
  const log = db.select().from(operationLog).all();
  expect(log.map(({ user: name, ip, action, result }) => [name, ip, action, result])).toEqual([
    ['Admin', '', 'setup.finish', 0],
    ['Admin', '192.0.2.1', 'session.start', 39],
    ['', '192.0.2.1', 'session.start', 16],
    ['', '192.0.2.1', 'session.start', 16],
    ['Admin', '192.0.2.1', 'session.start', 39],
  ]);
});

test('many guesses at once are refused temporarily instead of all being checked', async () => {
  const { post } = await setup();
  const guesses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post('/api/login', { id: 'Admin', password: `guess${i}` })),
  );
  const refused = guesses.filter(({ result }) => result === 4);
  expect(refused).toHaveLength(10);
  expect(refused[0].params['retry-after']).toBeGreaterThan(0);
});

test('signing out ends the session in both published forms and clears the cookies', async () => {
  const { call, json, signIn } = await setup();
  for (const method of ['POST', 'GET'] as const) {
    const as = await signIn('Admin');
    const response = await call('/api/logout', { method, as });
    expect(await response.json()).toEqual({ result: 0 });
    expect(cookiesOf(response).get('mwcloud-sid')).toStartWith('; Max-Age=0');
    expect((await json('/api/session', { as })).result).toBe(37);
  }
  expect(await json('/api/logout', { method: 'POST' })).toEqual({ result: 0 });
});

test('a page at another port of the hub does not sign its user out', async () => {
  const { call, json, signIn } = await setup();
  const as = await signIn('Admin');
  const browser = 'Mozilla/5.0 (X11; Linux x86_64)';
  const leave = async (headers: Record<string, string>) =>
    (await call('/api/logout', { as, headers: { 'user-agent': browser, ...headers } })).status;
  // Over plain HTTP, browsers send neither origin nor site with an image or a link.
  for (const headers of [{}, { referer: 'http://hub:8071/' }]) expect(await leave(headers)).toBe(403);
  expect((await json('/api/session', { as })).result).toBe(0);
  expect(await leave({ referer: 'http://hub/' })).toBe(200);
  expect((await json('/api/session', { as })).result).toBe(37);
});

test('signing out ends one session, not those of other browsers', async () => {
  const { json, signIn } = await setup();
  const [first, second] = [await signIn('Admin'), await signIn('Admin')];
  await json('/api/logout', { method: 'POST', as: first });
  expect((await json('/api/session', { as: second })).result).toBe(0);
});

test('the first start asks for a password, once, and creates no session', async () => {
  const { call, json } = await setup({ isSetUp: false });
  const here = { ip: '127.0.0.1', headers: { host: 'localhost' } };
  const post = (path: string, body: object) => json(path, { method: 'POST', body, ...here });
  expect(await json('/api/setup', here)).toEqual({
    result: 0,
    needed: true,
    'needs-code': false,
    language: 'auto',
    name: '',
  });
  expect((await post('/api/login', { id: 'Admin', password: '' })).result).toBe(35);
  expect((await json('/api/system/status')).result).toBe(35);
  expect((await post('/api/setup', { password: ' outer space' })).fields).toMatchObject([{ rule: 'outerSpace' }]);
  const response = await call('/api/setup', { method: 'POST', body: { password: 'chosen-first' }, ...here });
  expect(await response.json()).toEqual({ result: 0 });
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(await json('/api/setup', here)).toEqual({
    result: 0,
    needed: false,
    'needs-code': false,
    language: 'auto',
    name: '',
  });
  expect((await post('/api/setup', { password: 'other' })).result).toBe(38);
  expect((await post('/api/login', { id: 'Admin', password: 'chosen-first' })).result).toBe(0);
});
