import { afterAll, expect, setSystemTime, test } from 'bun:test';
import { adminPassword, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { until } from '../../../tests/support/until.ts';
import { backgroundHeader } from '../../contract/calls.ts';

const { hub, call, json, post, signIn, addUser, remove } = await composedHub();
afterAll(remove);

interface Listed {
  readonly id: string;
  readonly current: boolean;
}
const list = async (as: string): Promise<Listed[]> => (await json('/api/session/list', { as })).list;

async function signInFrom(ip: string, agent: string): Promise<string> {
  const body = { id: 'Admin', password: adminPassword };
  const response = await call('/api/login', { method: 'POST', body, ip, headers: { 'user-agent': agent } });
  return ((await response.json()) as { token: string }).token;
}

test('users see where and with what they are signed in, and can end another session', async () => {
  const rack = await signInFrom('192.0.2.7', 'Rack/1.0');
  const desk = await signInFrom('192.0.2.8', `Desk/2.0 ${'x'.repeat(500)}`);
  const seen = await list(desk);
  expect(seen).toMatchObject([
    { ip: '192.0.2.8', current: true },
    { ip: '192.0.2.7', agent: 'Rack/1.0', current: false },
  ]);
  expect(JSON.stringify(seen).length).toBeLessThan(1000);
  expect(await post('/api/session/end', { id: seen[1]?.id }, desk)).toEqual({ result: 0 });
  expect(await json('/api/session', { as: rack })).toMatchObject({ result: 37 });
  expect(await post('/api/session/end', { id: seen[1]?.id }, desk)).toMatchObject({ result: 16 });
  expect(await post('/api/session/end', { id: 'admin' }, desk)).toMatchObject({ result: 7 });
});

test('of sessions that began in the same millisecond, the newest comes first', async () => {
  setSystemTime(new Date());
  try {
    const ben = await addUser('ben', 4);
    const tokens = [ben];
    for (let count = 0; count < 5; count += 1) tokens.push(await signIn('ben'));
    const places = [];
    for (const as of tokens) places.push((await list(as)).findIndex(({ current }) => current));
    expect(places).toEqual([5, 4, 3, 2, 1, 0]);
  } finally {
    setSystemTime();
  }
});

test('all other sessions end at once; those of other users cannot be ended', async () => {
  const mine = await signIn('Admin');
  const others = [await signIn('Admin'), await signIn('Admin')];
  const ann = await addUser('ann', 4);
  const annId = (await list(ann))[0]?.id;
  expect(await post('/api/session/end', { id: annId }, mine)).toMatchObject({ result: 16 });
  const ended: string[] = [];
  const stop = hub.sessions.onEnd((idHash) => ended.push(idHash));
  expect(await post('/api/session/end', { others: true }, mine)).toEqual({ result: 0 });
  stop();
  expect(ended.length).toBeGreaterThanOrEqual(2);
  for (const as of others) expect(await json('/api/session', { as })).toMatchObject({ result: 37 });
  expect(await list(mine)).toMatchObject([{ current: true }]);
  expect(await list(ann)).toHaveLength(1);
});

test('a page that polls in the background learns the time left, and why a session of its browser ended', async () => {
  const admin = await signIn('Admin');
  const kim = await addUser('kim', 2);
  const ask = (as: string) => json('/api/session', { as, headers: { [backgroundHeader]: '1' } });
  expect(await ask(kim)).toMatchObject({ result: 0, 'expires-in': 1800 });
  expect(await post('/api/usr/set', { name: 'kim', 'group-id': 4 }, admin)).toMatchObject({ result: 0 });
  expect(await ask(kim)).toMatchObject({ result: 37, params: { reason: 'rightsChanged' } });
  const again = await signIn('kim');
  expect(await post('/api/usr/update', { name: 'kim', password: 'another-secret' }, admin)).toEqual({ result: 0 });
  expect(await ask(again)).toMatchObject({ result: 37, params: { reason: 'passwordReset' } });
  const last = await signIn('kim', 'another-secret');
  expect(await post('/api/usr/del', { name: 'kim' }, admin)).toEqual({ result: 0 });
  expect(await ask(last)).toMatchObject({ result: 37, params: { reason: 'userDeleted' } });
  expect(await ask('A'.repeat(32))).toEqual({ result: 37, message: 'sign in first' });
});

test('neither a background call nor an event stream keeps a session alive', async () => {
  const as = await signIn('Admin');
  const idHash = hub.sessions.identify(as, { isUse: true })?.idHash ?? '';
  const seen = () => hub.sessions.list(1).find((one) => one.idHash === idHash)?.lastSeenAt ?? 0;
  const before = seen();
  // The next call is in another millisecond.
  await until(() => Date.now() > before);
  await json('/api/system/status', { as, headers: { [backgroundHeader]: '1' } });
  const stream = await call('/api/events?topics=system', { as });
  expect(stream.status).toBe(200);
  await stream.body?.cancel();
  expect(seen()).toBe(before);
  await json('/api/system/status', { as });
  expect(seen()).toBeGreaterThan(before);
});

test('a session of a user who may only view can stay signed in, one that may change something cannot', async () => {
  const wall = await addUser('wall', 4);
  expect(await json('/api/session', { as: wall })).toMatchObject({ stays: false, 'expires-in': 30 * 60 });
  expect(await post('/api/session/stay', { stay: true }, wall)).toEqual({ result: 0 });
  expect(await json('/api/session', { as: wall })).toMatchObject({ stays: true, 'expires-in': -1 });
  expect(await post('/api/session/stay', { stay: false }, wall)).toEqual({ result: 0 });
  expect(await json('/api/session', { as: wall })).toMatchObject({ stays: false, 'expires-in': 30 * 60 });

  const admin = await signIn('Admin');
  expect(await post('/api/session/stay', { stay: true }, admin)).toMatchObject({ result: 31 });
  expect(await json('/api/session', { as: admin })).toMatchObject({ stays: false, 'expires-in': 30 * 60 });
});
