/** Certificates that administrators upload, as a client of the published API does it, on a real hub. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Settings } from '../../daemon/contract/settings.ts';
import { until } from '../support/until.ts';
import { type ApiResponse, type HubProcess, startHub } from './hub-process.ts';
import { type Certificates, makeCertificates } from './test-certificates.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'signalbox-certificates-'));
let hub: HubProcess;
let made: Certificates;
beforeAll(async () => {
  made = await makeCertificates(folder);
  hub = await startHub({ env: { SIGNALBOX_HTTPS_PORT: '0' } });
  await hub.login();
}, 60_000);
afterAll(async () => {
  await hub.stop();
  rmSync(folder, { recursive: true });
});

type Kept = ApiResponse & { readonly filename: string; readonly fields?: { path: string; rule: string }[] };

async function send(call: 'upload' | 'upload-key', text: string, part = 'file'): Promise<Kept> {
  const form = new FormData();
  form.append(part, new File([text], 'any-name.pem', { type: 'application/octet-stream' }));
  const answer = await fetch(`${hub.url}/api/cert/${call}`, { method: 'POST', body: form, headers: hub.headers() });
  return (await answer.json()) as Kept;
}
const set = (web: object) => hub.answer<Kept>('/api/settings/set', { web });

/** The common name of the certificate that HTTPS uses now. */
function servedName(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port: hub.ports.https ?? 0, rejectUnauthorized: false }, () => {
    resolve(String(socket.getPeerCertificate().subject.CN));
    socket.end();
  });
  socket.on('error', reject);
  return promise;
}

test('an uploaded pair is installed by the settings, at once and for good', async () => {
  const cert = await send('upload', made.server.cert);
  const key = await send('upload-key', made.server.key);
  expect([cert.result, key.result]).toEqual([0, 0]);
  expect(await servedName()).not.toBe('server');
  const installed = await set({ 'cert-filename': cert.filename, 'cert-key-filename': key.filename });
  expect(installed.result).toBe(0);
  await until(async () => (await servedName().catch(() => '')) === 'server', 10_000, 'HTTPS uses the certificate');
  const settings = await hub.api<Settings>('/api/settings/get');
  expect(settings.web).toMatchObject({ 'is-cert-valid': true, 'is-cert-key-valid': true });
  expect(new X509Certificate(readFileSync(settings['cert-path'])).subject).toBe('CN=server');
  expect(statSync(settings['cert-key-path']).mode & 0o777).toBe(0o600);
  expect(existsSync(join(hub.dataDir, 'tls/uploads'))).toBe(false);
  await hub.kill('SIGKILL');
  await hub.restart();
  await hub.login();
  expect(await servedName()).toBe('server');
});

test('a key of another certificate changes nothing', async () => {
  const cert = await send('upload', made.stranger.cert);
  const key = await send('upload-key', made.server.key);
  const files = { 'cert-filename': cert.filename, 'cert-key-filename': key.filename };
  expect(await set({ ...files, 'http-port': hub.ports.http })).toMatchObject({ result: -103 });
  // Alone, it would have to match the present key.
  expect(await set({ 'cert-filename': cert.filename })).toMatchObject({ result: -103 });
  expect(await servedName()).toBe('server');
  // A change without files installs none of those that were refused.
  expect(await set({ hsts: false })).toMatchObject({ result: 0 });
  expect(await servedName()).toBe('server');
});

test('a file of another kind is refused, and so is a name that the hub did not give', async () => {
  expect(await send('upload', made.server.key)).toMatchObject({ result: -102 });
  expect(await send('upload-key', made.server.cert)).toMatchObject({ result: -103 });
  expect(await send('upload', made.server.cert, 'other')).toMatchObject({
    fields: [{ path: 'file', rule: 'required' }],
  });
  expect(await send('upload', 'x'.repeat(70_000))).toMatchObject({ result: -102 });
  const unknown = { path: 'web.cert-filename', rule: 'exists' };
  expect(await set({ 'cert-filename': '0123456789abcdef.crt' })).toMatchObject({ result: 7, fields: [unknown] });
  for (const name of ['../hub.crt', '/etc/ssl/x.crt', '0123456789abcdef.pem']) {
    expect(await set({ 'cert-filename': name })).toMatchObject({
      fields: [{ path: 'web.cert-filename', rule: 'format' }],
    });
  }
  const plain = await fetch(`${hub.url}/api/cert/upload`, {
    method: 'POST',
    body: made.server.cert,
    headers: hub.headers(),
  });
  expect([plain.status, (await plain.json()).result]).toEqual([415, 23]);
});

test('only the newest file of a kind is kept, no key is in a log, and both steps are recorded', async () => {
  for (let turn = 0; turn < 3; turn++) await send('upload-key', made.server.key);
  expect(readdirSync(join(hub.dataDir, 'tls/uploads')).filter((name) => name.endsWith('.pem'))).toHaveLength(1);
  const secret = made.server.key.split('\n')[1] ?? '';
  expect(secret.length).toBeGreaterThan(20);
  expect(hub.logs()).not.toContain(secret);
  const { list } = await hub.api<{ list: { action: string; detail: string }[] }>('/api/log/list');
  expect(list.map(({ action }) => action)).toContain('settings.upload');
  expect(list.find(({ detail }) => detail.includes('new certificate'))).toMatchObject({ action: 'settings.set' });
  expect(JSON.stringify(list)).not.toContain(secret);
});
