import { afterEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { groupTypes } from '../../contract/permission.ts';
import { md5Of } from '../../lib/password.ts';
import { operationLog } from '../../store/schema.ts';

let remove = () => {};
afterEach(() => remove());

async function composed() {
  const hub = await composedHub();
  remove = hub.remove;
  const as = await hub.signIn('Admin');
  return { hub, db: hub.db, as, set: (body: unknown) => hub.post('/api/settings/set', body, as) };
}

test('a name is shown before and after sign-in; without one, the host name only after it', async () => {
  const { hub, set, as } = await composed();
  const names = async () => [
    (await hub.json('/api/setup')).name,
    (await hub.json('/api/system/status', { as })).status.system.info.name,
    (await hub.json('/api/settings/get', { as }))['hub-name'],
  ];
  expect(await names()).toEqual(['', hostname(), '']);
  expect(await set({ 'hub-name': 'Übertragungswagen 2 (北)' })).toMatchObject({ result: 0 });
  expect(await names()).toEqual(Array(3).fill('Übertragungswagen 2 (北)'));
  for (const [name, rule] of [
    [' Van', 'outerSpace'],
    ['a\nb', 'characters'],
    ['a\u202eb', 'characters'],
    ['v'.repeat(64), 'tooLong'],
  ]) {
    expect(await set({ 'hub-name': name })).toMatchObject({ result: 7, fields: [{ path: 'hub-name', rule }] });
  }
  expect(await set({ 'hub-name': '' })).toMatchObject({ result: 0 });
  expect(await names()).toEqual(['', hostname(), '']);
});

test('over HTTP exactly one member is accepted, and a busy port returns 1007 with its path', async () => {
  const { hub, set, as } = await composed();
  expect(await set({})).toMatchObject({ result: 7, fields: [{ rule: 'exactlyOne' }] });
  expect(await set({ rtmp: { port: 1935 }, 'expired-time': 5 })).toMatchObject({ result: 7 });
  const withUnknown = { rtmp: { port: 1935 }, 'no-such-group': {} };
  expect(await set(withUnknown)).toMatchObject({
    result: 7,
    fields: [{ path: 'no-such-group', rule: 'unsupported' }],
  });
  const certificate = { web: { 'http-port': 8880, 'cert-filename': 'a.crt' } };
  const notThere = { result: 7, fields: [{ path: 'web.cert-filename', rule: 'format' }] };
  expect(await set(certificate)).toMatchObject(notThere);
  const { web, revision } = await hub.json('/api/settings/get', { as });
  expect(revision.web).toBe(1);
  expect(await set({ web, revision: revision.web })).toMatchObject({ result: 0 });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await set({ rtmp: { port } })).toMatchObject({ result: 1007, params: { port } });
  server.close();
  await once(server, 'close');
  expect(await set({ rtmp: { port } })).toMatchObject({ result: 0 });
  expect(hub.media.applied.at(-1)?.settings.rtmpPort).toBe(port);
  expect(await set({ 'expired-time': 1441 })).toMatchObject({ fields: [{ path: 'expired-time', rule: 'range' }] });
  expect(await set({ 'expired-time': 0 })).toMatchObject({ result: 0 });
  expect((await hub.json('/api/settings/get', { as }))['expired-time']).toBe(1);
  expect(await set({ 'expired-time': -1 })).toMatchObject({ result: 0 });
  expect((await hub.json('/api/settings/get', { as }))['expired-time']).toBe(-1);
});

test('invitation code, language and password rule survive a restart, each with its own entry in the log', async () => {
  const { hub, db, set, as } = await composed();
  expect(await set({ security: { 'enable-code': true, 'code-value': '0165' } })).toMatchObject({ result: 0 });
  expect(await set({ security: { 'enable-code': false } })).toMatchObject({ result: 0 });
  expect(await set({ language: 'zh' })).toMatchObject({ result: 0 });
  expect(await set({ 'pwd-rule': { length: 8, number: 1 } })).toMatchObject({ result: 0 });
  const answer = await hub.json('/api/settings/get', { as });
  expect(answer).toMatchObject({
    security: { 'enable-code': false, 'code-value': '0165' },
    language: 'zh',
    'pwd-rule': { 'chk-name': 0, length: 8, number: 1, special: 0, uppercase: 0, lowercase: 0 },
  });
  // The sign-in page is in that language, too.
  expect(await hub.json('/api/setup')).toEqual({
    result: 0,
    needed: false,
    'needs-code': false,
    language: 'zh',
    name: '',
  });
  expect((await hub.json('/api/system/status', { as })).status['pwd-rule']).toEqual(answer['pwd-rule']);
  const change = db.select().from(operationLog).all().slice(-4);
  expect(change.map(({ detail }) => detail)).toEqual([
    'security: invitation code needed',
    'security: no invitation code needed',
    'language: language zh',
    'pwd-rule: password rule length 8, number 1',
  ]);
  // A time may contain any four digits.
  expect(JSON.stringify(change.map(({ time: _, ...entry }: { time: number }) => entry))).not.toContain('0165');
});

test('an invalid value of these is refused with its field', async () => {
  const { set } = await composed();
  const fields = async (change: object) => (await set(change)).fields[0];
  expect(await fields({ security: { 'code-value': '165' } })).toMatchObject({
    path: 'security.code-value',
    rule: 'invitationCode',
  });
  expect(await fields({ language: 'de' })).toMatchObject({ path: 'language', rule: 'choice' });
  expect(await fields({ 'pwd-rule': { length: 129 } })).toMatchObject({ path: 'pwd-rule.length', rule: 'range' });
  expect(await fields({ 'pwd-rule': { number: 100, special: 100 } })).toMatchObject({
    path: 'pwd-rule',
    rule: 'impossible',
  });
  // It would otherwise count as a rule without requirements.
  expect(await fields({ 'pwd-rule': { lenght: 8 } })).toMatchObject({ path: 'pwd-rule.lenght', rule: 'unsupported' });
});

test('users who may not manage users can make sign-in stricter, not weaker', async () => {
  const { hub, as: admin } = await composed();
  const user = await hub.addUser('ann', groupTypes.user);
  const set = (change: object, as: string) => hub.post('/api/settings/set', change, as);
  const [stricter, weaker] = [
    [
      { 'expired-time': 10 },
      // The minimum length of every password, whatever the rule.
      { 'pwd-rule': { 'chk-name': 1 } },
      { 'pwd-rule': { length: 14, 'chk-name': 1, number: 1 } },
      { 'sign-in': { 'allow-md5': false } },
    ],
    [
      { 'expired-time': 11 },
      { 'expired-time': -1 },
      { 'pwd-rule': { length: 14 } },
      { 'sign-in': { 'allow-md5': true } },
    ],
  ];
  for (const change of stricter) expect(await set(change, user)).toMatchObject({ result: 0 });
  const before = await hub.json('/api/settings/get', { as: user });
  for (const change of weaker) expect([change, await set(change, user)]).toMatchObject([change, { result: 31 }]);
  expect(await hub.json('/api/settings/get', { as: user })).toEqual(before);
  for (const change of weaker) expect(await set(change, admin)).toMatchObject({ result: 0 });
});

test('a hub without MD5 refuses it at sign-in and for new passwords, whatever the name', async () => {
  const { hub, as: admin } = await composed();
  await hub.post('/api/settings/set', { 'sign-in': { 'allow-md5': false } }, admin);
  for (const id of ['Admin', 'nobody']) {
    expect(await hub.post('/api/login', { id, pass: md5Of(adminPassword) })).toMatchObject({
      result: 7,
      fields: [{ path: 'pass', rule: 'sendPassword' }],
    });
  }
  const own = { 'old-passwd': md5Of(adminPassword), password: 'quite-another' };
  expect(await hub.post('/api/usr/update', own, admin)).toMatchObject({ result: 7, fields: [{ path: 'old-passwd' }] });
  const user = { name: 'ann', passwd: md5Of('quite-another') };
  expect(await hub.post('/api/usr/add', user, admin)).toMatchObject({ fields: [{ rule: 'sendPassword' }] });
  expect(await hub.signIn('Admin')).toMatch(/^[A-Z]{32}$/);
});
