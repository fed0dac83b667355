import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leasePort } from '../../tests/support/ports.ts';
import { addressRanges } from '../lib/address-ranges.ts';
import { createLog } from '../lib/log.ts';
import { openCertificateStore } from './certificate.ts';
import { ListenError } from './listener.ts';
import type { Connection } from './route.ts';
import { createWebServer } from './web-server.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function setup(
  answer: (request: Request, connection: Connection) => Response | Promise<Response> = show,
  host = '127.0.0.1',
  trustedProxies = addressRanges([]),
) {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-web-'));
  cleanUp.push(() => rmSync(dir, { recursive: true }));
  const certificates = openCertificateStore(join(dir, 'tls'));
  const log = createLog('error', () => {});
  const web = createWebServer({ host, certificates, trustedProxies, answer, log });
  cleanUp.push(() => web.close(0));
  return { web, certificates, tls: join(dir, 'tls') };
}

const show = (_: Request, { ip, isSecure }: Connection) => Response.json({ ip, isSecure });
const settings = (httpPort: number, httpsPort: number | null = null) => ({
  httpPort,
  isHttpsEnabled: httpsPort !== null,
  httpsPort: httpsPort ?? 1,
});

function occupy(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  cleanUp.push(() => server.stop(true));
  return server.port ?? 0;
}

const get = async (url: string) => (await fetch(url, { tls: { rejectUnauthorized: false } })).json();

test('a handler learns the address of the socket and whether it is secure', async () => {
  const { web } = setup();
  await web.start(settings(0, 0));
  const { http, https } = web.ports();
  expect(await get(`http://127.0.0.1:${http}/`)).toEqual({ ip: '127.0.0.1', isSecure: false });
  expect(await get(`https://127.0.0.1:${https}/`)).toEqual({ ip: '127.0.0.1', isSecure: true });
});

test('behind a trusted proxy a handler learns whom the proxy names, and whether TLS was used there', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' };
  for (const [trusted, seen] of [
    [[], { ip: '127.0.0.1', isSecure: false }],
    [['127.0.0.0/8'], { ip: '198.51.100.7', isSecure: true }],
  ] as const) {
    const { web } = setup(show, '127.0.0.1', addressRanges(trusted));
    await web.start(settings(0));
    expect<unknown>(await (await fetch(`http://127.0.0.1:${web.ports().http}/`, { headers })).json()).toEqual(seen);
  }
});

test('without its HTTP port the hub does not start', async () => {
  const { web } = setup();
  await expect(web.start(settings(occupy()))).rejects.toThrow(ListenError);
});

test('a second hub does not share the port of the first', async () => {
  const [first, second] = [setup(), setup()];
  await first.web.start(settings(0));
  const port = first.web.ports().http;
  await expect(second.web.start(settings(port))).rejects.toThrow(`port ${port} is in use by another program`);
});

test('an address that this machine does not have is named with its cure', async () => {
  const { web } = setup(show, '203.0.113.7');
  await expect(web.start(settings(0))).rejects.toThrow(/203\.0\.113\.7.*SIGNALBOX_BIND/);
});

test('without its HTTPS port the hub starts and names the fault', async () => {
  const { web } = setup();
  const busy = occupy();
  await web.start(settings(0, busy));
  expect(web.ports().https).toBeNull();
  expect(web.faults()).toMatchObject([{ name: 'https', ok: false, reason: 'portOccupied', port: busy }]);
});

test('the console moves: the new port answers before the old one closes, a running call is finished', async () => {
  const gate = Promise.withResolvers<void>();
  const { web } = setup(async (request) => {
    if (request.url.endsWith('/slow')) await gate.promise;
    return Response.json('done');
  });
  await web.start(settings(0));
  const [before, after] = [web.ports().http, leasePort()];
  const running = get(`http://127.0.0.1:${before}/slow`);
  const prepared = await web.prepare(settings(after));
  expect(await get(`http://127.0.0.1:${after}/`)).toBe('done');
  expect(await get(`http://127.0.0.1:${before}/`)).toBe('done');
  prepared.commit();
  gate.resolve();
  expect(await running).toBe('done');
  expect(web.ports().http).toBe(after);
  await expect(fetch(`http://127.0.0.1:${before}/`)).rejects.toThrow();
});

test('a move to a busy port is refused and changes nothing', async () => {
  const { web } = setup();
  await web.start(settings(0));
  const [http, busy, other] = [web.ports().http, occupy(), leasePort()];
  await expect(web.prepare(settings(busy))).rejects.toMatchObject({ result: 'portOccupied', params: { port: busy } });
  await expect(web.prepare(settings(other, busy))).rejects.toMatchObject({ params: { port: busy } });
  expect(web.ports()).toEqual({ http, https: null });
  await expect(fetch(`http://127.0.0.1:${other}/`)).rejects.toThrow();
  expect(await get(`http://127.0.0.1:${http}/`)).toMatchObject({ isSecure: false });
});

test('a move that is given up closes what it opened', async () => {
  const { web } = setup();
  await web.start(settings(0));
  const [http, other] = [web.ports().http, leasePort()];
  const prepared = await web.prepare(settings(other));
  prepared.abort();
  await expect(fetch(`http://127.0.0.1:${other}/`)).rejects.toThrow();
  expect(web.ports().http).toBe(http);
});

test('a certificate is made once, for this machine, with a private key', async () => {
  const { certificates, tls } = setup();
  expect(certificates.state()).toEqual({ isCertValid: false, isKeyValid: false });
  const made = await certificates.load();
  expect(certificates.state()).toEqual({ isCertValid: true, isKeyValid: true });
  expect(readdirSync(tls).toSorted()).toEqual(['hub.crt', 'hub.key']);
  expect(statSync(join(tls, 'hub.key')).mode & 0o777).toBe(0o600);
  expect(await certificates.load()).toEqual(made);
});

test('a key of another certificate is refused with the file to change', async () => {
  const { certificates, tls } = setup();
  await certificates.load();
  const other = setup();
  await other.certificates.load();
  writeFileSync(join(tls, 'hub.key'), await Bun.file(join(other.tls, 'hub.key')).text());
  expect(certificates.state()).toEqual({ isCertValid: true, isKeyValid: false });
  await expect(certificates.load()).rejects.toThrow('hub.key is not the key of');
  writeFileSync(join(tls, 'hub.crt'), 'nonsense');
  await expect(certificates.load()).rejects.toThrow('hub.crt is no certificate');
});
