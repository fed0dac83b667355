/** The hub's check of proofs, tested with the console's own code that creates them. */
import { afterEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { adminPassword, type Call, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { proofOf } from '../../../web/src/shared/password/proof.ts';
import { md5Of } from '../../lib/password.ts';
import { users } from '../../store/schema.ts';

type Hub = Awaited<ReturnType<typeof composedHub>>;
const open: Hub[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

async function setup(options: Parameters<typeof composedHub>[0] = {}) {
  const hub = await composedHub({ env: { SIGNALBOX_VARIANT: 'hardware' }, ...options });
  open.push(hub);
  const send = (path: string, body: object, from: Omit<Call, 'method' | 'body'> = {}) =>
    hub.json(path, { method: 'POST', body, ...from });
  const challenge = async (id: string, from: Omit<Call, 'method' | 'body'> = {}) =>
    (await send('/api/login/challenge', { id }, from)).challenge;
  const prove = async (id: string, password: string, from: Omit<Call, 'method' | 'body'> = {}) => {
    const asked = await challenge(id, from);
    return { challenge: asked.nonce, proof: await proofOf(id, password, asked) };
  };
  return { ...hub, send, challenge, prove };
}

const right = 0;
const wrong = { result: 39, message: 'the user name or the password is wrong' };
const over = { result: 7, fields: [{ path: 'challenge', rule: 'expired' }] };

test('a proof signs in once, and recorded traffic cannot be replayed', async () => {
  const { send, prove, json } = await setup();
  const body = { id: 'Admin', ...(await prove('Admin', adminPassword)) };
  const sent = JSON.stringify(body);
  for (const secret of [adminPassword, md5Of(adminPassword)]) expect(sent).not.toContain(secret);
  const { result, token } = await send('/api/login', body);
  expect(result).toBe(right);
  expect(await json('/api/session', { as: token })).toMatchObject({ user: { name: 'Admin' } });
  expect(await send('/api/login', body)).toMatchObject(over);
  // An old proof does not answer a new challenge either.
  const { challenge } = await prove('Admin', adminPassword);
  expect(await send('/api/login', { ...body, challenge })).toEqual(wrong);
});

test('a challenge can be answered only from the same address, in the same session and for the same name', async () => {
  const { send, prove, signIn, addUser } = await setup();
  await addUser('ann', 4);
  const as = await signIn('Admin');
  const body = async () => ({ id: 'Admin', ...(await prove('Admin', adminPassword)) });
  expect(await send('/api/login', await body(), { ip: '192.0.2.9' })).toMatchObject(over);
  expect(await send('/api/login', await body(), { as })).toMatchObject(over);
  expect(await send('/api/login', { ...(await body()), id: 'ann' })).toMatchObject(over);
});

test('a wrong password and an unknown name look the same, wait equally long, and get the same salt each time', async () => {
  const waits: number[] = [];
  const { send, prove, challenge } = await setup({ sleep: async (ms) => void waits.push(ms) });
  const [known, unknown] = [await challenge('Admin'), await challenge('nobody')];
  expect(Object.keys(known)).toEqual(Object.keys(unknown));
  expect([known.iterations, (await challenge('nobody')).salt]).toEqual([unknown.iterations, unknown.salt]);
  expect((await challenge('somebody')).salt).not.toBe(unknown.salt);
  for (const id of ['Admin', 'nobody']) {
    for (let i = 0; i < 7; i++)
      expect(await send('/api/login', { id, ...(await prove(id, 'not-that')) })).toEqual(wrong);
  }
  expect(waits.length).toBeGreaterThanOrEqual(4);
});

test('a user without a key sends the password once, and proofs from then on', async () => {
  const { db, send, challenge, prove, signIn } = await setup();
  db.update(users).set({ signInKey: null }).where(eq(users.id, 1)).run();
  expect(await challenge('Admin')).toBeUndefined();
  const failed = await send('/api/login', { id: 'Admin', pass: md5Of('not-that') });
  expect([failed.result, await challenge('Admin')]).toEqual([39, undefined]);
  await signIn('Admin');
  const body = { id: 'Admin', ...(await prove('Admin', adminPassword)) };
  expect(await send('/api/login', body)).toMatchObject({ result: right });
});

test('a new password can be proven at once, in any script and also when it was set by its MD5', async () => {
  const { send, prove, signIn, addUser, post } = await setup();
  const admin = await signIn('Admin');
  await addUser('ann', 4);
  const password = 'Ko\u0308nigskinder – 国王的孩子';
  await post('/api/usr/update', { name: 'ann', password: password.normalize('NFC') }, admin);
  const first = { id: 'ann', ...(await prove('ann', password)) };
  expect(await send('/api/login', first)).toMatchObject({ result: right });
  await post('/api/usr/update', { name: 'ann', passwd: md5Of('quite-another').toUpperCase() }, admin);
  const second = { id: 'ann', ...(await prove('ann', 'quite-another')) };
  expect(await send('/api/login', second)).toMatchObject({ result: right });
});

test('in a session a proof replaces the current password', async () => {
  const { send, prove, signIn } = await setup();
  const as = await signIn('Admin');
  const proof = async (password = adminPassword) => prove('Admin', password, { as });
  expect(await send('/api/token/add', { name: 'one', ...(await proof('not-that')) }, { as })).toMatchObject({
    fields: [{ path: 'password', rule: 'mismatch' }],
  });
  expect(await send('/api/token/add', { name: 'one', ...(await proof()) }, { as })).toMatchObject({ result: right });
  const change = { password: 'quite-another', ...(await proof()) };
  expect(await send('/api/usr/update', change, { as })).toMatchObject({ result: right });
  const body = { id: 'Admin', ...(await prove('Admin', 'quite-another')) };
  expect(await send('/api/login', body)).toMatchObject({ result: right });
});

test('the key that checks proofs is sealed in the database', async () => {
  const { db } = await setup();
  const [row] = db.select({ key: users.signInKey }).from(users).where(eq(users.id, 1)).all();
  expect(row?.key).toStartWith('v1.');
});
