/** The certificate of the console: files in the data folder, made by ourselves when nobody put one there. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { timing } from '../timing.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

type CertificateFault = 'certificateInvalid' | 'certificateKeyInvalid' | 'certificateFailed' | 'opensslMissing';

/** There is no pair to serve HTTPS with; the message names the cure. */
export class CertificateError extends Error {
  readonly reason: CertificateFault;
  /** Where the certificate belongs. */
  readonly path: string;

  constructor(message: string, { reason, path }: { reason: CertificateFault; path: string }) {
    super(message);
    this.name = 'CertificateError';
    this.reason = reason;
    this.path = path;
  }
}

export interface CertificateState {
  readonly isCertValid: boolean;
  readonly isKeyValid: boolean;
}

export interface CertificateStore {
  state(): CertificateState;
  /** The stored pair, or a new self-signed one where there is none. Throws with the cure when that can't be done. */
  load(): Promise<Certificate>;
}

export function openCertificateStore(dir: string): CertificateStore {
  const files = { cert: join(dir, 'hub.crt'), key: join(dir, 'hub.key') };
  const read = (): Certificate | null =>
    existsSync(files.cert) && existsSync(files.key)
      ? { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') }
      : null;
  return {
    state: () => checkPair(read()),
    async load() {
      if (read() === null) await makeSelfSigned(dir, files);
      const pair = read();
      const { isCertValid, isKeyValid } = checkPair(pair);
      if (pair !== null && isCertValid && isKeyValid) return pair;
      if (isCertValid) {
        const message = `${files.key} is not the key of ${files.cert}; put the right one there, or delete both for a new pair`;
        throw new CertificateError(message, { reason: 'certificateKeyInvalid', path: files.cert });
      }
      const message = `${files.cert} is no certificate that is valid now; replace it, or delete it and its key for a new pair`;
      throw new CertificateError(message, { reason: 'certificateInvalid', path: files.cert });
    },
  };
}

function checkPair(pair: Certificate | null): CertificateState {
  if (pair === null) return { isCertValid: false, isKeyValid: false };
  try {
    const cert = new X509Certificate(pair.cert);
    const now = Date.now();
    const isCertValid = Date.parse(cert.validFrom) <= now && now < Date.parse(cert.validTo);
    return { isCertValid, isKeyValid: matches(cert, pair.key) };
  } catch {
    return { isCertValid: false, isKeyValid: false };
  }
}

function matches(cert: X509Certificate, key: string): boolean {
  try {
    return cert.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Both files are written aside first: a stop half-way leaves no pair that doesn't fit. */
async function makeSelfSigned(dir: string, files: { cert: string; key: string }): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const [newCert, newKey] = [`${files.cert}.new`, `${files.key}.new`];
  const failed = await runOpenssl([
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650'],
    ...['-subj', `/CN=${commonName()}`, '-addext', `subjectAltName=${alternativeNames()}`],
    ...['-keyout', newKey, '-out', newCert],
  ]);
  if (failed !== undefined) throw new CertificateError(failed.message, { reason: failed.reason, path: files.cert });
  rmSync(files.cert, { force: true });
  renameSync(newKey, files.key);
  renameSync(newCert, files.cert);
}

/** Why it failed, undefined when it did not. */
async function runOpenssl(args: string[]): Promise<{ message: string; reason: CertificateFault } | undefined> {
  const openssl = Bun.which('openssl');
  if (openssl === null) {
    return { message: 'the openssl program is missing; install the package openssl', reason: 'opensslMissing' };
  }
  // The umask of the child makes the key private from its first byte.
  const child = Bun.spawn(['/bin/sh', '-c', 'umask 077; exec "$0" "$@"', openssl, ...args], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: {},
    timeout: timing.web.opensslMs,
    killSignal: 'SIGKILL',
  });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) === 0) return undefined;
  const message = `openssl could not make a certificate: ${said.trim().split('\n').at(-1) ?? 'no reason given'}`;
  return { message, reason: 'certificateFailed' };
}

/** A common name holds 64 characters at most. */
function commonName(): string {
  return (
    hostname()
      .replaceAll(/[^\w.-]/g, '')
      .slice(0, 64) || 'signalbox'
  );
}

function alternativeNames(): string {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address)
    .filter((address) => !address.includes('%'));
  const ips = new Set(['127.0.0.1', '::1', ...addresses].slice(0, 32));
  return [`DNS:${commonName()}`, 'DNS:localhost', ...[...ips].map((ip) => `IP:${ip}`)].join(',');
}
