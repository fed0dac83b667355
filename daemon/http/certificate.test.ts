import { afterEach, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../lib/log.ts';
import { openCertificateStore } from './certificate.ts';
import { certificateNames, type Machine } from './certificate-names.ts';

const dayMs = 24 * 3_600_000;
const cleanUp: (() => unknown)[] = [];
afterEach(() => {
  for (const step of cleanUp.splice(0).reverse()) step();
});

function setup() {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
  cleanUp.push(() => rmSync(dir, { recursive: true }));
  const tls = join(dir, 'tls');
  const state = {
    /** Offset of the store's clock, in milliseconds. */
    ahead: 0,
    isUnderHsts: false,
    machine: { hostname: 'relay', addresses: ['127.0.0.1', '192.0.2.7', '2001:db8::7', 'fe80::7'] } as Machine,
  };
  const lines: string[] = [];
  const certificates = openCertificateStore({
    dir: tls,
    names: () => certificateNames(['hub.example'], state.machine),
    mustKeep: () => state.isUnderHsts,
    now: () => Date.now() + state.ahead,
    log: createLog('info', (line) => lines.push(line)),
  });
  return { certificates, tls, state, lines, file: join(tls, 'hub.crt') };
}

/** As an administrator may create one: for ten days, with a name that this machine does not have. */
function makeForeign(tls: string): void {
  const files = ['-keyout', join(tls, 'hub.key'), '-out', join(tls, 'hub.crt')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '10'];
  expect(Bun.spawnSync(['openssl', ...args, '-subj', '/O=Studio/CN=elsewhere', ...files]).exitCode).toBe(0);
}

test('a certificate is created once, with a private key', async () => {
  const { certificates, tls } = setup();
  expect(certificates.state()).toEqual({ isCertValid: false, isKeyValid: false });
  const made = await certificates.load();
  expect(certificates.state()).toEqual({ isCertValid: true, isKeyValid: true });
  expect(readdirSync(tls).toSorted()).toEqual(['hub.crt', 'hub.key']);
  expect(statSync(join(tls, 'hub.key')).mode & 0o777).toBe(0o600);
  expect(certificates.isDue()).toBe(false);
  expect(await certificates.load()).toEqual(made);
});

test('the certificate is a server’s that signs no others, for all names and at most 825 days', async () => {
  const { certificates, file } = setup();
  const { cert: pem } = await certificates.load();
  const cert = new X509Certificate(pem);
  expect(cert.ca).toBe(false);
  expect((Date.parse(cert.validTo) - Date.parse(cert.validFrom)) / dayMs).toBe(825);
  const text = Bun.spawnSync(['openssl', 'x509', '-in', file, '-noout', '-text']).stdout.toString();
  expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
  expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature\n/);
  expect(text).toMatch(/Extended Key Usage:\s+TLS Web Server Authentication\n/);
  expect(cert.subjectAltName?.split(', ')).toEqual([
    ...['DNS:relay', 'DNS:relay.local', 'DNS:localhost', 'DNS:hub.example'],
    ...[
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
      'IP Address:192.0.2.7',
      'IP Address:2001:DB8:0:0:0:0:0:7',
    ],
  ]);
});

test('a client that trusts the certificate connects by name and by address', async () => {
  const { certificates, file } = setup();
  const { cert, key } = await certificates.load();
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls: { cert, key }, fetch: () => new Response('in') });
  cleanUp.push(() => server.stop(true));
  for (const name of ['localhost', '127.0.0.1', 'hub.example', 'relay.local']) {
    const url = `https://${name}:${server.port}/`;
    const curl = Bun.spawn(['curl', '-sS', '--cacert', file, '--connect-to', '::127.0.0.1:', url], { stderr: 'pipe' });
    const output = await Promise.all([new Response(curl.stdout).text(), new Response(curl.stderr).text()]);
    expect([name, ...output]).toEqual([name, 'in', '']);
  }
});

test('certificates and requests that are made at the same time each fit their key', async () => {
  const { certificates, tls } = setup();
  const subject = { names: ['hub.example'] };
  const ids = Array.from({ length: 4 }, (_, at) => `${at}`.repeat(16));
  const [requests] = await Promise.all([
    Promise.all(ids.map(() => certificates.request(subject))),
    certificates.load(),
    ...ids.map((id) => certificates.stageOwn(id)),
  ]);
  expect(certificates.state()).toEqual({ isCertValid: true, isKeyValid: true });
  for (const id of ids) {
    certificates.install(id);
    expect([id, certificates.state()]).toEqual([id, { isCertValid: true, isKeyValid: true }]);
  }
  expect(new Set(requests).size).toBe(ids.length);
  const { exitCode } = Bun.spawnSync(['openssl', 'pkey', '-in', join(tls, 'request.key'), '-noout']);
  expect(exitCode).toBe(0);
});

test('the hub replaces its own certificate when it lacks a name or an IPv4 address of the machine', async () => {
  const { certificates, state, lines } = setup();
  const changes: Partial<Machine>[] = [{ addresses: ['192.0.2.8'] }, { hostname: 'relay-2' }];
  for (const change of changes) {
    const { cert } = await certificates.load();
    state.machine = { ...state.machine, ...change };
    expect(certificates.isDue()).toBe(true);
    expect((await certificates.load()).cert).not.toBe(cert);
    expect([certificates.isDue(), certificates.state()]).toEqual([false, { isCertValid: true, isKeyValid: true }]);
  }
  expect(lines.filter((line) => line.includes('was renewed'))).toHaveLength(2);
  state.machine = { ...state.machine, addresses: ['192.0.2.8', '2001:db8::8'] };
  expect(certificates.isDue()).toBe(false);
});

test('under HSTS, where browsers allow no exception, a new name or address changes nothing', async () => {
  const { certificates, state } = setup();
  const { cert } = await certificates.load();
  state.isUnderHsts = true;
  state.machine = { hostname: 'relay-2', addresses: ['192.0.2.8'] };
  expect(certificates.isDue()).toBe(false);
  expect((await certificates.load()).cert).toBe(cert);
  state.ahead += 796 * dayMs;
  expect(certificates.isDue()).toBe(true);
});

test('the hub replaces its own certificate when less than 30 days of it are left', async () => {
  const { certificates, state } = setup();
  const { cert } = await certificates.load();
  state.ahead += 794 * dayMs;
  expect(certificates.isDue()).toBe(false);
  state.ahead += 2 * dayMs;
  expect(certificates.isDue()).toBe(true);
  expect((await certificates.load()).cert).not.toBe(cert);
});

test('a certificate that cannot be renewed is used until it expires', async () => {
  const { certificates, state, lines, tls } = setup();
  const made = await certificates.load();
  state.ahead += 800 * dayMs;
  mkdirSync(join(tls, 'made.part'));
  expect(await certificates.load()).toEqual(made);
  expect(lines.join()).toContain('could not be renewed');
  state.ahead += 30 * dayMs;
  await expect(certificates.load()).rejects.toMatchObject({ reason: 'certificateInvalid' });
});

test('a certificate that an administrator installed is never replaced', async () => {
  const { certificates, tls, state } = setup();
  await certificates.load();
  makeForeign(tls);
  const theirs = readFileSync(join(tls, 'hub.crt'), 'utf8');
  state.machine = { hostname: 'moved', addresses: ['192.0.2.9'] };
  expect(certificates.isDue()).toBe(false);
  expect((await certificates.load()).cert).toBe(theirs);
  state.ahead += 20 * dayMs;
  expect(certificates.isDue()).toBe(false);
  await expect(certificates.load()).rejects.toMatchObject({ reason: 'certificateInvalid' });
  expect(readFileSync(join(tls, 'hub.crt'), 'utf8')).toBe(theirs);
});

test('a key of another certificate is refused with the name of the file to change', async () => {
  const { certificates, tls } = setup();
  await certificates.load();
  const other = setup();
  await other.certificates.load();
  writeFileSync(join(tls, 'hub.key'), readFileSync(join(other.tls, 'hub.key')));
  expect(certificates.state()).toEqual({ isCertValid: true, isKeyValid: false });
  await expect(certificates.load()).rejects.toThrow('hub.key is not the key of');
  writeFileSync(join(tls, 'hub.crt'), 'nonsense');
  await expect(certificates.load()).rejects.toThrow('hub.crt is not a valid certificate');
});
