/** The certificate of the console: files in the data folder, made by the hub when nobody put one there. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../lib/log.ts';
import type { CertificateNames } from './certificate-names.ts';
import { type MakingFault, makeCertificate, ownIssuer } from './make-certificate.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

type CertificateFault = 'certificateInvalid' | 'certificateKeyInvalid' | MakingFault['reason'];

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
  /**
   * The stored pair. Makes a new self-signed one where there is none and where `isDue`. Throws a CertificateError with
   * the remedy when there is no valid pair.
   */
  load(): Promise<Certificate>;
  /**
   * Whether the stored certificate was made by the hub and has to be replaced: it ends within 30 days, or, unless
   * `mustKeep`, the machine has a name or an IPv4 address that it does not hold. Never true for a certificate that
   * somebody put there.
   */
  isDue(): boolean;
}

interface CertificateStoreOptions {
  readonly dir: string;
  /** Those of this machine now. */
  readonly names: () => CertificateNames;
  /** Whether a browser would offer no way past the warning about a new certificate, as under HSTS. */
  readonly mustKeep: () => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

const renewBeforeMs = 30 * 24 * 3_600_000;

export function openCertificateStore({ dir, names, mustKeep, now, log }: CertificateStoreOptions): CertificateStore {
  const files = { cert: join(dir, 'hub.crt'), key: join(dir, 'hub.key') };
  const read = (): Certificate | null =>
    existsSync(files.cert) && existsSync(files.key)
      ? { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') }
      : null;
  const mustRenew = (): boolean => {
    const pair = read();
    const cert = pair === null ? null : parse(pair.cert);
    if (pair === null || cert === null || !isOwn(cert) || !matches(cert, pair.key)) return false;
    const isEnding = Date.parse(cert.validTo) - now() < renewBeforeMs;
    return isEnding || (!mustKeep() && !names().required.every((name) => holds(cert, name)));
  };
  const renew = async (): Promise<void> => {
    try {
      await makePair(dir, files, names());
      log.info(
        'the certificate for HTTPS was renewed; browsers that trusted the old one warn until they trust this one',
        {
          path: files.cert,
        },
      );
    } catch (error) {
      log.error('the certificate for HTTPS could not be renewed', { reason: (error as Error).message });
    }
  };
  return {
    state: () => checkPair(read(), now()),
    isDue: mustRenew,
    async load() {
      if (read() === null) await makePair(dir, files, names());
      else if (mustRenew()) await renew();
      const pair = read();
      const { isCertValid, isKeyValid } = checkPair(pair, now());
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

function checkPair(pair: Certificate | null, now: number): CertificateState {
  const cert = pair === null ? null : parse(pair.cert);
  if (pair === null || cert === null) return { isCertValid: false, isKeyValid: false };
  const isCertValid = Date.parse(cert.validFrom) <= now && now < Date.parse(cert.validTo);
  return { isCertValid, isKeyValid: matches(cert, pair.key) };
}

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function matches(cert: X509Certificate, key: string): boolean {
  try {
    return cert.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function isOwn(cert: X509Certificate): boolean {
  const { O, OU } = ownIssuer;
  return cert.issuer === cert.subject && cert.subject.startsWith(`O=${O}\nOU=${OU}\n`) && cert.verify(cert.publicKey);
}

function holds(cert: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? cert.checkHost(name) : cert.checkIP(name)) !== undefined;
}

/** Both files are written aside first: a stop half-way leaves no pair that doesn't fit. */
async function makePair(dir: string, files: { cert: string; key: string }, names: CertificateNames): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const [newCert, newKey] = [`${files.cert}.new`, `${files.key}.new`];
  const failed = await makeCertificate(names, { cert: newCert, key: newKey });
  if (failed !== undefined) throw new CertificateError(failed.message, { reason: failed.reason, path: files.cert });
  rmSync(files.cert, { force: true });
  renameSync(newKey, files.key);
  renameSync(newCert, files.cert);
}
