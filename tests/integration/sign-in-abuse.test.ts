/** Attacks on the sign-in of a real hub: large numbers at once, guessing, huge passwords, planted cookies. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cookieNames } from '../../daemon/contract/auth.ts';
import { rssBytes } from '../bench/proc.ts';
import { until } from '../support/until.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';

import { type RawCall, type RawResponse, rawCall } from './raw-call.ts';

setDefaultTimeout(120_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({});
  await hub.login();
});
afterAll(() => hub.stop());

const ask = (call: RawCall) => rawCall(hub, call);
const signIn = (from: string, password = adminPassword, id = 'Admin') =>
  ask({ path: '/api/login', body: { id, password }, from });
const resultsOf = (answers: readonly RawResponse[]) => answers.map(({ json }) => json.result);
const asSession = (session: unknown, call: RawCall) =>
  ask({ ...call, headers: { ...call.headers, cookie: `${cookieNames.sid}=${session}` } });
const whoIs = async (session: unknown) => (await asSession(session, { path: '/api/session' })).json;
const count = (length: number) => Array.from({ length }, (_, i) => i);
const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
const [right, wrongPassword, tryAgain] = [0, 39, 4];

/** The peak memory of the hub while `work` runs, minus that before. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = rssBytes([hub.pid]);
  let max = before;
  const timer = setInterval(() => (max = Math.max(max, rssBytes([hub.pid]))), 10);
  await work();
  clearInterval(timer);
  return max - before;
}

test('a hundred correct sign-ins at once all succeed, in bounded memory, and others are served meanwhile', async () => {
  const growth = await growthDuring(async () => {
    const fromOne = count(50).map(() => signIn('127.0.1.1'));
    const fromMany = count(50).map((i) => signIn(`127.0.2.${i + 1}`));
    let isOver = false;
    const all = Promise.all([...fromOne, ...fromMany]).finally(() => (isOver = true));
    expect((await ask({ path: '/api/health', from: '127.0.3.1' })).status).toBe(200);
    expect(isOver).toBe(false);
    expect(resultsOf(await all)).toEqual(count(100).map(() => right));
  });
  // A hundred attempts at once would take 1.9 GB.
  expect(megabytes(growth)).toBeLessThan(200);
  // A user has a maximum number of sessions; the oldest was ended.
  await hub.login();
});

test('only a few of a thousand guesses from one address are checked, and others sign in at once', async () => {
  const guesses = count(1000).map((i) => signIn('127.0.4.1', `guess${i}`));
  let isOver = false;
  const all = Promise.all(guesses).finally(() => (isOver = true));
  expect((await Promise.race(guesses)).json.result).not.toBe(right);
  expect((await signIn('127.0.5.1')).json.result).toBe(right);
  expect(isOver).toBe(false);
  const results = resultsOf(await all);
  expect(new Set(results)).toEqual(new Set([wrongPassword, tryAgain]));
  expect(results.filter((result) => result === wrongPassword).length).toBeLessThanOrEqual(10);
});

test('guessing the password of an open session is slowed like guessing at sign-in', async () => {
  const { json: opened } = await signIn('127.0.8.1');
  const guess = (i: number) =>
    asSession(opened.token, {
      path: '/api/usr/update',
      body: { 'old-password': `guess${i}`, password: 'next-password-9' },
      from: '127.0.8.1',
    });
  const results = resultsOf(await Promise.all(count(20).map(guess)));
  expect(new Set(results)).toEqual(new Set([wrongPassword, tryAgain]));
  expect(results.filter((result) => result === wrongPassword).length).toBeLessThanOrEqual(13);
});

test('the administrator signs in while three others guess other names at the same address', async () => {
  const shared = '127.0.13.1';
  expect((await signIn(shared)).json.result).toBe(right);
  let isOver = false;
  const refusals: number[] = [];
  const guess = async (thread: number) => {
    for (let i = 0; !isOver; i++) {
      const { json } = await signIn(shared, 'wrong', `guess${thread}-${i}`);
      if (json.result === tryAgain) refusals.push(json.result);
    }
  };
  const threads = count(3).map(guess);
  await until(() => refusals.length > 0, 60_000, 'guesses are refused');
  const answers = [];
  for (const _ of count(27)) answers.push(await signIn(shared));
  isOver = true;
  expect(resultsOf(answers)).toEqual(count(27).map(() => right));
  await Promise.all(threads);
});

test('a password of a quarter of a megabyte is refused by its length, in every call that takes one', async () => {
  const huge = 'x'.repeat(250_000);
  const asAdmin = { ...hub.headers() };
  const places = [
    ...[['/api/login', { id: 'Admin', password: huge }] as const, ['/api/login', { id: 'Admin', pass: huge }] as const],
    ...[['/api/login', { id: huge, password: 'x' }] as const, ['/api/setup', { password: huge }] as const],
    ...(['password', 'passwd'] as const).map((member) => ['/api/usr/add', { name: 'huge', [member]: huge }] as const),
    ...(['old-password', 'old-passwd', 'password', 'passwd'] as const).map(
      (member) => ['/api/usr/update', { 'old-password': 'x', password: 'y', [member]: huge }] as const,
    ),
  ];
  for (const [path, body] of places) {
    const { status, json, text } = await ask({ path, body, headers: asAdmin });
    expect([path, status, json.result]).toEqual([path, 200, 7]);
    expect(text.length).toBeLessThan(1000);
  }
  const over = await ask({ path: '/api/login', body: { id: 'Admin', password: huge.repeat(2) } });
  expect([over.status, over.json.result]).toEqual([413, 18]);
  // None of a hundred reached the guard, which would have asked most of them to retry.
  const all = await Promise.all(count(100).map(() => signIn('127.0.9.1', huge)));
  expect(new Set(resultsOf(all))).toEqual(new Set([7]));
  expect((await signIn('127.0.9.1')).json.result).toBe(right);
});

test('a password with a NUL, or in another form of Unicode, is a different password', async () => {
  for (const password of [`${adminPassword}\0`, `\0${adminPassword}`, adminPassword.replace('i', '\uff49')])
    expect((await signIn('127.0.10.1', password)).json.result).toBe(wrongPassword);
  expect((await signIn('127.0.10.1')).json.result).toBe(right);
});

test('a session id provided by the client is never accepted', async () => {
  const planted = 'PLANTEDPLANTEDPLANTEDPLANTEDPLAN';
  const { json: before } = await signIn('127.0.11.1');
  for (const brought of [planted, before.token]) {
    const { json, headers } = await ask({
      path: '/api/login',
      body: { id: 'Admin', password: adminPassword },
      headers: { cookie: `${cookieNames.sid}=${brought}`, authorization: `Bearer ${brought}` },
    });
    expect(json.result).toBe(right);
    expect(json.token).not.toBe(brought);
    const inBody = { id: 'Admin', password: adminPassword, token: brought };
    expect((await ask({ path: '/api/login', body: inBody })).json.fields).toMatchObject([{ path: 'token' }]);
    const cookie = headers.getSetCookie().find((one) => one.startsWith(`${cookieNames.sid}=`));
    expect(cookie).toStartWith(`${cookieNames.sid}=${json.token};`);
    for (const flag of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(flag);
    expect((await whoIs(json.token)).result).toBe(right);
  }
  expect((await whoIs(planted)).result).toBe(37);
});

test('a session ends with sign-out, a new password, lost permissions, and the deletion of its user', async () => {
  const user = { name: 'ann', password: 'first-secret' };
  await hub.api('/api/usr/add', { ...user, 'group-id': 2 });
  const open = async (password = user.password) => (await signIn('127.0.12.1', password, 'ann')).json.token;
  const isDead = async (session: unknown) => expect((await whoIs(session)).result).toBe(37);

  const signedOut = await open();
  await asSession(signedOut, { path: '/api/logout', body: {} });
  await isDead(signedOut);

  const [here, elsewhere] = [await open(), await open()];
  const body = { 'old-password': user.password, password: 'second-secret' };
  const { json: changed } = await asSession(here, { path: '/api/usr/update', body, from: '127.0.12.1' });
  expect(changed.result).toBe(right);
  await isDead(here);
  await isDead(elsewhere);
  expect((await whoIs(changed.token)).result).toBe(right);

  await hub.api('/api/usr/set', { name: 'ann', 'group-id': 4 });
  await isDead(changed.token);

  const last = await open('second-secret');
  await hub.api('/api/usr/del', { name: 'ann' });
  await isDead(last);
});

// The last one: from then on the hub delays Admin's sign-in from unknown addresses.
test('guesses at Admin from forty addresses at once delay each other, but not the administrator', async () => {
  // From an address with an earlier sign-in, and from one with a wrong password before a right one.
  expect((await signIn('127.0.7.1')).json.result).toBe(right);
  expect(resultsOf([await signIn('127.0.7.2', 'mistyped'), await signIn('127.0.7.2')])).toEqual([wrongPassword, right]);
  const results: number[] = [];
  const guesses = count(40).flatMap((n) => count(10).map((i) => signIn(`127.0.6.${n + 1}`, `guess${i}`)));
  // Some of them wait longer than a test can.
  for (const guess of guesses) guess.then(({ json }) => results.push(json.result)).catch(() => undefined);
  await Promise.race(guesses);
  const began = performance.now();
  expect((await signIn('127.0.7.1')).json.result).toBe(right);
  expect(resultsOf([await signIn('127.0.7.2', 'mistyped'), await signIn('127.0.7.2')])).toEqual([wrongPassword, right]);
  await until(() => results.length >= 300, 60_000, 'most guesses are answered');
  expect(results.length).toBeLessThan(guesses.length);
  // The limit for all addresses together, and after that one at a time.
  const looked = results.filter((result) => result === wrongPassword).length;
  expect(looked).toBeLessThanOrEqual(64 + (performance.now() - began) / 2000 + 10);
  expect((await hub.api<{ user: { name: string } }>('/api/session')).user.name).toBe('Admin');
  expect((await signIn('127.0.7.1')).json.result).toBe(right);
});
