/** Served by Bun, which applies the range. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { createLog } from '../lib/log.ts';
import { attachment, sendFile } from './file-response.ts';
import { respondToErrors } from './middleware/errors.ts';
import type { HubEnv } from './route.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-response-'));
const path = join(folder, 'file');
const app = new Hono<HubEnv>();
app.onError(respondToErrors(createLog('error')));
app.get('/file', (c) => sendFile(c, { path, name: 'Gerät.bin' }));
app.get('/none', (c) => sendFile(c, { path: join(folder, 'none'), name: 'x' }));
const connection = { ip: '', isSecure: false, keepOpen: () => {} };
const server = Bun.serve({ port: 0, development: false, fetch: (request) => app.fetch(request, connection) });
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});
beforeEach(() => writeFileSync(path, '0123456789'));

async function get(headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(new URL('/file', server.url), { method, headers });
  return { status: response.status, text: await response.text(), header: (name: string) => response.headers.get(name) };
}

test('a file is sent as a whole, with its size and what a download needs to continue later', async () => {
  const { status, text, header } = await get();
  expect([status, text, header('content-length'), header('accept-ranges')]).toEqual([200, '0123456789', '10', 'bytes']);
  expect(header('content-disposition')).toBe(attachment('Gerät.bin'));
  expect(header('etag')).toMatch(/^"[\w-]+"$/);
});

test.each([
  ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
  ['bytes=4-5', 206, '45', 'bytes 4-5/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=0-1,4-5', 200, '0123456789', null],
  ['lines=1-2', 200, '0123456789', null],
])('the range %s gets status %d', async (range, status, text, part) => {
  const answer = await get({ range });
  expect([answer.status, answer.text, answer.header('content-range')]).toEqual([status, text, part]);
});

test('a download continues only with the same file', async () => {
  const etag = (await get()).header('etag') ?? '';
  expect(await get({ range: 'bytes=4-', 'if-range': etag })).toMatchObject({ status: 206, text: '456789' });
  writeFileSync(path, 'abcdefghij');
  const changed = await get({ range: 'bytes=4-', 'if-range': etag });
  expect(changed).toMatchObject({ status: 200, text: 'abcdefghij' });
  expect(changed.header('etag')).not.toBe(etag);
});

test('HEAD gets the same headers without the file', async () => {
  const { status, text, header } = await get({}, 'HEAD');
  expect([status, text, header('content-length'), header('accept-ranges')]).toEqual([200, '', '10', 'bytes']);
  expect(header('etag')).toBe((await get()).header('etag'));
});

test('a file that does not exist is not found', async () => {
  const response = await fetch(new URL('/none', server.url));
  expect([response.status, (await response.json()).result]).toEqual([404, 16]);
});

test.each([
  ['plan.bin', 'filename="plan.bin"; filename*=UTF-8\'\'plan.bin'],
  ['../../etc/passwd', 'filename=".._.._etc_passwd"; filename*=UTF-8\'\'.._.._etc_passwd'],
  ['a"\r\nset-cookie: x', 'filename="a___set-cookie: x"; filename*=UTF-8\'\'a%22__set-cookie%3A%20x'],
  ["Gerät's (1).bin", "filename=\"Ger_t's (1).bin\"; filename*=UTF-8''Ger%C3%A4t%27s%20%281%29.bin"],
])('the name %p is safe', (name, expected) => expect(attachment(name)).toBe(`attachment; ${expected}`));
