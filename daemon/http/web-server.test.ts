import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { leasePort } from '../../tests/support/ports.ts';
import { until } from '../../tests/support/until.ts';
import { addressRanges } from '../lib/address-ranges.ts';
import { createLog } from '../lib/log.ts';
import { openCertificateStore } from './certificate.ts';
import { certificateNames } from './certificate-names.ts';
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
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line));
  const clock = { ahead: 0 };
  const names = () => certificateNames([]);
  const certificates = openCertificateStore({
    dir: join(dir, 'tls'),
    names,
    mustKeep: () => false,
    now: () => Date.now() + clock.ahead,
    log,
  });
  const web = createWebServer({ host, certificates, trustedProxies, answer, log });
  cleanUp.push(() => web.close(0));
  return { web, clock, lines };
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

async function servedCertificate(port: number | null): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port: port ?? 0, rejectUnauthorized: false }, () => {
    resolve(socket.getPeerCertificate().fingerprint256);
    socket.destroy();
  });
  socket.on('error', reject);
  return promise;
}

/** Answers everything, but `/slow` only after `end()`. */
function slowCall() {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const answer = async (request: Request) => {
    if (request.url.endsWith('/slow')) {
      started.resolve();
      await gate.promise;
    }
    return Response.json('done');
  };
  return { answer, hasStarted: started.promise, end: gate.resolve };
}

const get = async (url: string) => (await fetch(url, { tls: { rejectUnauthorized: false } })).json();

test('a handler gets the address of the socket and whether it is secure', async () => {
  const { web } = setup();
  await web.start(settings(0, 0));
  const { http, https } = web.ports();
  expect(await get(`http://127.0.0.1:${http}/`)).toEqual({ ip: '127.0.0.1', isSecure: false });
  expect(await get(`https://127.0.0.1:${https}/`)).toEqual({ ip: '127.0.0.1', isSecure: true });
});

test('behind a trusted proxy a handler gets the address that the proxy reports, and whether TLS was used there', async () => {
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

test('an address that this machine does not have is reported with its remedy', async () => {
  const { web } = setup(show, '203.0.113.7');
  await expect(web.start(settings(0))).rejects.toThrow(/203\.0\.113\.7.*SIGNALBOX_BIND/);
});

test('without its HTTPS port the hub starts and reports the fault', async () => {
  const { web } = setup();
  const busy = occupy();
  await web.start(settings(0, busy));
  expect(web.ports().https).toBeNull();
  expect(web.faults()).toMatchObject([{ name: 'https', ok: false, reason: 'portOccupied', port: busy }]);
});

test('HTTPS that could not start does not prevent a change of the HTTP port, and starts once its port is free', async () => {
  const { web, lines } = setup();
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const busy = server.port ?? 0;
  await web.start(settings(0, busy));
  const other = leasePort();
  (await web.prepare(settings(other, busy))).commit();
  expect([web.ports().http, web.faults()]).toMatchObject([other, [{ reason: 'portOccupied' }]]);
  await web.refreshHttps();
  expect(lines.filter((line) => line.includes('HTTPS does not start'))).toHaveLength(1);
  await server.stop(true);
  await web.refreshHttps();
  expect(await get(`https://127.0.0.1:${busy}/`)).toMatchObject({ isSecure: true });
  expect(web.faults()).toEqual([]);
});

test('an expiring certificate is replaced while the hub runs, and calls in progress are finished', async () => {
  const slow = slowCall();
  const { web, clock } = setup(slow.answer);
  await web.start(settings(0, 0));
  const { https } = web.ports();
  const running = get(`https://127.0.0.1:${https}/slow`);
  await slow.hasStarted;
  const before = await servedCertificate(https);
  await web.refreshHttps();
  expect(await servedCertificate(https)).toBe(before);
  clock.ahead += 800 * 24 * 3_600_000;
  await web.refreshHttps();
  expect(web.ports().https).toBe(https);
  // The old listener takes connections until the new one has taken its place. The kernel resets those that it has not
  // accepted by then, unless it is set up as system/sysctl.conf does.
  await until(async () => (await servedCertificate(https).catch(() => before)) !== before);
  slow.end();
  expect(await running).toBe('done');
});

test('only TLS 1.3, and TLS 1.2 with forward secrecy and authenticated encryption, are accepted', async () => {
  const { web } = setup();
  await web.start(settings(0, 0));
  const { https } = web.ports();
  const cipherOf = async (...args: string[]) => {
    const command = ['openssl', 's_client', '-connect', `127.0.0.1:${https}`, ...args];
    const { stdout } = Bun.spawn(command, { stdin: 'ignore', stderr: 'ignore' });
    return /Cipher is (\S+)/.exec(await new Response(stdout).text())?.[1];
  };
  expect(await cipherOf('-tls1_3')).toStartWith('TLS_');
  for (const good of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305']) {
    expect(await cipherOf('-tls1_2', '-cipher', good)).toBe(good);
  }
  for (const old of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA', 'ECDHE-ECDSA-AES128-SHA256']) {
    expect([old, await cipherOf('-tls1_2', '-cipher', `${old}:@SECLEVEL=0`)]).toEqual([old, '(NONE)']);
  }
  for (const version of ['-tls1', '-tls1_1']) {
    expect([version, await cipherOf(version, '-cipher', 'ALL:@SECLEVEL=0')]).toEqual([version, '(NONE)']);
  }
});

test('the console moves: the new port answers before the old one closes, a running call is finished', async () => {
  const slow = slowCall();
  const { web } = setup(slow.answer);
  await web.start(settings(0));
  const [before, after] = [web.ports().http, leasePort()];
  const running = get(`http://127.0.0.1:${before}/slow`);
  await slow.hasStarted;
  const prepared = await web.prepare(settings(after));
  expect(await get(`http://127.0.0.1:${after}/`)).toBe('done');
  expect(await get(`http://127.0.0.1:${before}/`)).toBe('done');
  prepared.commit();
  slow.end();
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

test('a move that is abandoned closes what it opened', async () => {
  const { web } = setup();
  await web.start(settings(0));
  const [http, other] = [web.ports().http, leasePort()];
  const prepared = await web.prepare(settings(other));
  prepared.abort();
  await expect(fetch(`http://127.0.0.1:${other}/`)).rejects.toThrow();
  expect(web.ports().http).toBe(http);
});
