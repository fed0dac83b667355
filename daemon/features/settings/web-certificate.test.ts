/** The certificate as a part of the settings, with its files. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../tests/support/until.ts';
import { openCertificateStore } from '../../http/certificate.ts';
import { certificateNames } from '../../http/certificate-names.ts';
import { openCertificateUploads } from '../../http/certificate-uploads.ts';
import { createLog } from '../../lib/log.ts';
import { type Database, transaction } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { createAudit } from '../logs/audit.ts';
import { webGroup } from './groups/web.ts';
import { createSettingsRegistry } from './registry.ts';
import { writeGroup } from './store.ts';

const actor = { name: 'Admin', ip: '192.0.2.1' };
let dir: string;
let db: Database;
let hub: ReturnType<typeof begin>;
let refusesPorts = false;

/** A hub that starts on the folder. */
function begin() {
  const log = createLog('error', () => {});
  const certificates = openCertificateStore({
    ...{ dir: join(dir, 'tls'), now: Date.now, log },
    names: () => certificateNames([]),
    mustKeep: () => false,
  });
  const uploads = openCertificateUploads(join(dir, 'tls/uploads'));
  const served: string[] = [];
  const web = {
    ...{ certificates, uploads },
    prepare: async () => ({ commit: () => {}, abort: () => {} }),
    renewHttps: async () => void served.push((await certificates.load()).cert),
  };
  const registry = createSettingsRegistry({ db, audit: createAudit(Date.now), log, now: Date.now });
  const ports = { httpPort: 8880, httpsPort: 8443 };
  const stored = registry.register(
    webGroup({
      ...{ ...ports, web },
      openPorts: () => ({ http: ports.httpPort, https: ports.httpsPort }),
      refuseReserved() {
        if (refusesPorts) throw new Error('reserved');
      },
      onChange: () => {},
    }),
  );
  certificates.settle(stored().certificate);
  const install = (pair: Pair, seconds?: number) => {
    const names = {
      'cert-filename': uploads.keep('cert', Buffer.from(pair.cert)),
      'cert-key-filename': uploads.keep('key', Buffer.from(pair.key)),
    };
    return registry.change(actor, { web: names, 'confirm-within': seconds }, { mayWeaken: true });
  };
  return { certificates, registry, stored, install, served, uploads };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}
function makePair(name: string): Pair {
  const [key, cert] = [join(dir, `${name}.key`), join(dir, `${name}.crt`)];
  const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
  expect(Bun.spawnSync(['openssl', 'req', '-x509', ...args, '-keyout', key, '-out', cert]).exitCode).toBe(0);
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
const present = (): Pair => ({
  cert: readFileSync(join(dir, 'tls/hub.crt'), 'utf8'),
  key: readFileSync(join(dir, 'tls/hub.key'), 'utf8'),
});
const files = () => readdirSync(join(dir, 'tls')).toSorted();

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'signalbox-certificate-'));
  db = memoryDatabase();
  refusesPorts = false;
  hub = begin();
});
afterEach(() => {
  hub.registry.close();
  rmSync(dir, { recursive: true });
});

test('a certificate that is not confirmed in time gives way to the one before the first change', async () => {
  const own = await hub.certificates.load();
  await hub.install(makePair('first'), 600);
  const second = makePair('second');
  await hub.install(second, 0.05);
  expect(present()).toEqual(second);
  await until(() => present().cert === own.cert);
  expect([present(), files(), hub.served.at(-1)]).toEqual([own, ['hub.crt', 'hub.key'], own.cert]);
});

test('a change of something else does not confirm a certificate, and one of nothing installs nothing', async () => {
  const own = await hub.certificates.load();
  const pair = makePair('first');
  await hub.install(pair, 600);
  await hub.registry.change(actor, { web: { 'http-port': 8881 }, 'confirm-within': 0.05 }, { mayWeaken: true });
  expect(present()).toEqual(pair);
  await until(() => present().cert === own.cert);
  expect(hub.stored().httpPort).toBe(8880);
});

const change = (web: object, seconds?: number) =>
  hub.registry.change(actor, { web, 'confirm-within': seconds }, { mayWeaken: true });

test('the hub returns to a certificate of its own, on trial as well', async () => {
  const theirs = makePair('theirs');
  await hub.install(theirs);
  await change({ 'cert-self-signed': true }, 0.05);
  expect(new X509Certificate(present().cert).subject).toContain('Made by this hub');
  await until(() => present().cert === theirs.cert);
  await change({ 'cert-self-signed': true });
  const own = present();
  expect(new X509Certificate(own.cert).checkPrivateKey(createPrivateKey(own.key))).toBe(true);
  await change({ 'cert-self-signed': true });
  expect(present().cert).not.toBe(own.cert);
  expect(files()).toEqual(['hub.crt', 'hub.key']);
});

test('a certificate of its own is refused under HSTS and beside an uploaded file', async () => {
  const cert = hub.uploads.keep('cert', Buffer.from(makePair('theirs').cert));
  const path = 'web.cert-self-signed';
  await expect(change({ 'cert-self-signed': true, 'cert-filename': cert })).rejects.toMatchObject({
    fields: [{ path, rule: 'conflict' }],
  });
  const secure = { ...actor, isSecure: true } as const;
  await hub.registry.change(secure, { web: { hsts: true } }, { mayWeaken: true });
  await expect(change({ 'cert-self-signed': true })).rejects.toMatchObject({ fields: [{ path, rule: 'hstsOn' }] });
});

test('what a refused change would have installed is not installed by one that is reverted', async () => {
  const own = await hub.certificates.load();
  await hub.install(makePair('tried'), 0.3);
  refusesPorts = true;
  const cert = hub.uploads.keep('cert', Buffer.from(makePair('other').cert));
  await expect(change({ 'cert-filename': cert, 'http-port': 8999 })).rejects.toThrow('reserved');
  const secure = { ...actor, isSecure: true } as const;
  const both = { 'cert-self-signed': true, 'cert-filename': cert } as const;
  await expect(hub.registry.change(secure, { web: both }, { mayWeaken: true })).rejects.toThrow('same call');
  await until(() => present().cert === own.cert);
  expect([present(), files()]).toEqual([own, ['hub.crt', 'hub.key']]);
});

test('a connection with the certificate from before does not confirm the change', async () => {
  const before = (await hub.certificates.load()).cert;
  const pair = makePair('theirs');
  await hub.install(pair, 600);
  expect(() => hub.registry.confirm({ ...actor, certificate: before }, 'web')).toThrow('over a new one');
  hub.registry.confirm({ ...actor, certificate: pair.cert }, 'web');
  expect([present(), files()]).toEqual([pair, ['hub.crt', 'hub.key']]);
});

/** As after a power cut: what the hub had in memory is gone. */
function restart(): void {
  hub.registry.close();
  hub = begin();
}

test('a hub that ends before the settings are stored keeps the old certificate', async () => {
  const own = await hub.certificates.load();
  await hub.certificates.stage('0123456789abcdef', makePair('first'));
  restart();
  expect([present(), files()]).toEqual([own, ['hub.crt', 'hub.key']]);
});

test('a hub that ends between the settings and each step of the files finishes with the new certificate', async () => {
  for (const step of ['none', 'key'] as const) {
    await hub.certificates.load();
    const id = step === 'none' ? '0123456789abcdef' : 'fedcba9876543210';
    const pair = makePair(step);
    await hub.certificates.stage(id, pair);
    transaction(db, (tx) => writeGroup(tx, 'web', { ...hub.stored(), certificate: id }));
    if (step === 'key') {
      writeFileSync(join(dir, 'tls/hub.key'), pair.key);
      rmSync(join(dir, `tls/${id}.pem`));
    }
    restart();
    expect([present(), files()]).toEqual([pair, ['hub.crt', 'hub.key']]);
  }
});
