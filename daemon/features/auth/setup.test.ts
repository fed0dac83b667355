import { afterEach, expect, test } from 'bun:test';
import { type Call, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { createSetupCode } from './setup-code.ts';

type Hub = Awaited<ReturnType<typeof composedHub>>;

const open: Hub[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

async function freshHub(): Promise<Hub> {
  const hub = await composedHub({ isSetUp: false });
  open.push(hub);
  return hub;
}

const password = 'chosen-first';
const elsewhere = { ip: '192.0.2.7' };
const setUp = ({ json }: Hub, from: Omit<Call, 'method' | 'body'>, code?: string) =>
  json('/api/setup', { method: 'POST', body: { password, ...(code !== undefined && { code }) }, ...from });

test('from another machine, setting the first password requires the set-up code', async () => {
  const fresh = await freshHub();
  const text = fresh.hub.setupCode;
  expect(await fresh.json('/api/setup', elsewhere)).toMatchObject({ needed: true, 'needs-code': true });
  expect(await setUp(fresh, elsewhere)).toMatchObject({ result: 7, fields: [{ path: 'code', rule: 'required' }] });
  const other = createSetupCode().text;
  expect(await setUp(fresh, elsewhere, other)).toMatchObject({
    result: 39,
    fields: [{ path: 'code', rule: 'setupCode' }],
  });
  expect(await fresh.json('/api/setup', elsewhere)).toMatchObject({ needed: true });
  expect(await setUp(fresh, elsewhere, ` ${text.toLowerCase().replace('-', ' ')}`)).toEqual({ result: 0 });
  expect(await fresh.signIn('Admin', password)).toMatch(/^[A-Z]{32}$/);
});

test('the set-up code is useless once Admin has a password', async () => {
  const fresh = await freshHub();
  expect(await setUp(fresh, elsewhere, fresh.hub.setupCode)).toEqual({ result: 0 });
  expect(await setUp(fresh, elsewhere, fresh.hub.setupCode)).toMatchObject({ result: 38 });
});

test.each(['127.0.0.1', '127.0.0.9', '::1'])('from %s, the machine itself, no code is required', async (ip) => {
  const fresh = await freshHub();
  const here = { ip, headers: { host: 'localhost:8880' } };
  expect(await fresh.json('/api/setup', here)).toMatchObject({ 'needs-code': false });
  expect(await setUp(fresh, here)).toEqual({ result: 0 });
});

test.each(['x-forwarded-for', 'x-real-ip', 'forwarded'])(
  'a client that comes through a proxy (%s) does not count as local',
  async (name) => {
    const fresh = await freshHub();
    const from = { ip: '127.0.0.1', headers: { host: 'localhost', [name]: '127.0.0.1' } };
    expect(await fresh.json('/api/setup', from)).toMatchObject({ 'needs-code': true });
    expect(await setUp(fresh, from)).toMatchObject({ result: 7, fields: [{ path: 'code', rule: 'required' }] });
  },
);

test('guessing the set-up code takes longer and longer, like guessing a password', async () => {
  const waits: number[] = [];
  const fresh = await composedHub({ isSetUp: false, sleep: async (ms) => void waits.push(ms) });
  open.push(fresh);
  for (let i = 0; i < 8; i++) await setUp(fresh, elsewhere, 'AAAAA-AAAAA');
  expect(waits.length).toBeGreaterThanOrEqual(3);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});

test('a set-up code has ten unambiguous characters, and no two codes are the same', () => {
  const codes = Array.from({ length: 50 }, () => createSetupCode());
  for (const { text, matches } of codes) {
    expect(text).toMatch(/^[2-46-79AC-HJKMNP-RT-Z]{5}-[2-46-79AC-HJKMNP-RT-Z]{5}$/);
    const given = [text, '', text.slice(0, -1), `${text}A`];
    expect(given.map(matches)).toEqual([true, false, false, false]);
  }
  expect(new Set(codes.map(({ text }) => text)).size).toBe(50);
});
