import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { HubEnv } from './route.ts';
import { createStaticFiles } from './static-files.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

function setup(isBuilt = true) {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-static-'));
  dirs.push(dir);
  const root = join(dir, 'dist');
  mkdirSync(join(root, 'assets'), { recursive: true });
  const put = (name: string, text: string) => writeFileSync(join(root, name), text);
  writeFileSync(join(dir, 'secret.txt'), 'secret');
  if (isBuilt) {
    put('index.html', '<p>one</p>');
    put('favicon.svg', '<svg/>');
    put('assets/main-Ab12Cd34.js', 'plain');
    put('assets/main-Ab12Cd34.js.br', 'brotli');
    put('assets/main-Ab12Cd34.js.gz', 'gzip');
    symlinkSync(join(dir, 'secret.txt'), join(root, 'link.txt'));
  }
  const files = createStaticFiles(root);
  const app = new Hono<HubEnv>().get('*', (c) => files.respond(c));
  const get = async (path: string, encoding = '') => app.request(path, { headers: { 'accept-encoding': encoding } });
  return { root, put, files, get };
}

test('browsers never cache the page, and cache files with a hash in their names forever', async () => {
  const { get } = setup();
  const page = await get('/');
  expect(await page.text()).toBe('<p>one</p>');
  expect([page.headers.get('cache-control'), page.headers.get('content-type')]).toEqual([
    'no-cache',
    'text/html;charset=utf-8',
  ]);
  const script = await get('/assets/main-Ab12Cd34.js');
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(script.headers.get('content-type')).toStartWith('text/javascript');
  expect((await get('/favicon.svg')).headers.get('cache-control')).toBe('no-cache');
});

test('the best encoding that the browser accepts is sent', async () => {
  const { get } = setup();
  const sent = async (accepted: string) => {
    const response = await get('/assets/main-Ab12Cd34.js', accepted);
    expect(response.headers.get('content-type')).toStartWith('text/javascript');
    return [response.headers.get('content-encoding'), await response.text()];
  };
  expect(await sent('gzip, deflate, br')).toEqual(['br', 'brotli']);
  expect(await sent('gzip;q=0.5, br;q=0')).toEqual(['gzip', 'gzip']);
  expect(await sent('')).toEqual([null, 'plain']);
  expect((await get('/', 'br')).headers.get('content-encoding')).toBeNull();
});

test('no path leads out of the folder', async () => {
  const { get } = setup();
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%2e%2e%5csecret.txt',
    '//etc/passwd',
    '/link.txt',
    '/assets',
    '/%00',
    '/%ff',
    '/index.html%00.js',
  ]) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 404]);
  }
});

test('without a build a page says what to do, and a later build is found', async () => {
  const { get, put, files } = setup(false);
  const missing = await get('/');
  expect([missing.status, await missing.text()]).toEqual([503, expect.stringContaining('make build')]);
  expect(files.buildId()).toBe('none');
  put('index.html', '<p>built</p>');
  expect(await (await get('/')).text()).toBe('<p>built</p>');
  expect(files.buildId()).toMatch(/^[0-9a-f]{16}$/);
});

test('a new build has another id and its own files', async () => {
  const { root, get, put, files } = setup();
  const before = files.buildId();
  put('assets/main-Zz99Yy88.js', 'new');
  put('index.html', '<p>two</p>');
  utimesSync(join(root, 'index.html'), new Date(), new Date(Date.now() + 5000));
  expect(await (await get('/')).text()).toBe('<p>two</p>');
  expect(await (await get('/assets/main-Zz99Yy88.js')).text()).toBe('new');
  expect(files.buildId()).not.toBe(before);
});

test('files and folders whose names start with a dot are not served', async () => {
  const { root, put, get } = setup();
  mkdirSync(join(root, '.vite'));
  put('.vite/manifest.json', '{}');
  put('.env', 'KEY=1');
  put('index.html', '<p>two</p>');
  const later = new Date(Date.now() + 5000);
  utimesSync(join(root, 'index.html'), later, later);
  expect(await (await get('/')).text()).toBe('<p>two</p>');
  for (const path of ['/.vite/manifest.json', '/.env', '/%2evite/manifest.json'])
    expect((await get(path)).status).toBe(404);
});
