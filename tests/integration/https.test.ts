/** HTTPS next to HTTP, and the redirects from one to the other, on a real hub behind a proxy that it trusts. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { type ApiResponse, type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_HTTPS_PORT: '0', SIGNALBOX_TRUSTED_PROXIES: '127.0.0.1' } });
  await hub.login();
}, 60_000);
afterAll(() => hub.stop());

/** As a client that trusts the hub's own certificate. */
function overHttps(path: string, body?: object): Promise<Response> {
  return fetch(`https://127.0.0.1:${hub.ports.https}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...hub.headers(), ...(body && { 'content-type': 'application/json' }) },
    tls: { ca: readFileSync(join(hub.dataDir, 'tls/hub.crt'), 'utf8') },
  });
}

/** From another machine, over HTTP. */
const fromElsewhere = (path: string) =>
  fetch(`${hub.url}${path}`, {
    headers: { ...hub.headers(), 'x-forwarded-for': '192.0.2.9', 'x-forwarded-proto': 'http' },
    redirect: 'manual',
  });

const setWeb = async (web: object) =>
  (await (await overHttps('/api/settings/set', { web })).json()) as ApiResponse & { fields?: object[] };

test('the settings say where the certificate is that HTTPS uses', async () => {
  const paths = await hub.api<{ 'cert-path': string; 'cert-key-path': string }>('/api/settings/get');
  const { subjectAltName = '' } = new X509Certificate(readFileSync(paths['cert-path']));
  expect(subjectAltName).toContain('IP Address:127.0.0.1');
  expect(dirname(paths['cert-key-path'])).toBe(dirname(paths['cert-path']));
});

test('the redirect cannot be enabled over HTTP; enabled over HTTPS, it sends visitors there', async () => {
  expect((await fromElsewhere('/')).status).toBe(200);
  expect(await hub.answer('/api/settings/set', { web: { 'redirect-https': true } })).toMatchObject({
    fields: [{ path: 'web.redirect-https', rule: 'needsHttps' }],
  });
  expect((await fromElsewhere('/')).status).toBe(200);
  expect(await setWeb({ 'redirect-https': true })).toMatchObject({ result: 0 });
  const page = await fromElsewhere('/channels?show=1');
  expect([page.status, page.headers.get('location')]).toEqual([
    307,
    `https://127.0.0.1:${hub.ports.https}/channels?show=1`,
  ]);
  expect((await fromElsewhere('/api/settings/get')).status).toBe(403);
  expect((await fromElsewhere('/api/health')).status).toBe(200);
  expect((await hub.answer('/api/settings/get')).result).toBe(0);
  expect((await overHttps('/')).status).toBe(200);
});

test('the redirect survives a restart, and is switched off with another HTTPS port', async () => {
  await hub.kill('SIGTERM');
  await hub.restart();
  expect((await fromElsewhere('/')).status).toBe(307);
  expect(await setWeb({ 'enable-https': false })).toMatchObject({ result: 0 });
  expect((await fromElsewhere('/')).status).toBe(200);
  expect(await hub.answer('/api/settings/set', { web: { 'enable-https': true } })).toMatchObject({ result: 0 });
  expect((await fromElsewhere('/')).status).toBe(200);
});

test('HSTS is sent over HTTPS, and revoked', async () => {
  const strict = async (answer: Promise<Response>) => (await answer).headers.get('strict-transport-security');
  expect(await strict(overHttps('/'))).toBeNull();
  expect(await setWeb({ hsts: true })).toMatchObject({ result: 0 });
  expect([await strict(overHttps('/')), await strict(fromElsewhere('/'))]).toEqual(['max-age=15724800', null]);
  expect(await setWeb({ hsts: false })).toMatchObject({ result: 0 });
  expect(await strict(overHttps('/'))).toBe('max-age=0');
});

test('a Host header with a path does not become part of the address', async () => {
  const statusLine = await new Promise<string>((resolve, reject) => {
    const socket = connect(hub.ports.http, '127.0.0.1', () => {
      socket.write('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1/x\r\nConnection: close\r\n\r\n');
    });
    socket.on('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''));
    socket.on('error', reject);
  });
  expect(statusLine).toStartWith('HTTP/1.1 421');
});
