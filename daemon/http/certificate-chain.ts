/** Checks of a certificate in PEM, with the intermediate ones behind it, and of its key. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { CertificateFault, KeyFault } from '../contract/certificate-faults.ts';
import { HubError } from '../lib/hub-error.ts';

export interface Certificate {
  /** PEM: the hub's own certificate first, then those of the authorities, each of which issued the one before it. */
  readonly cert: string;
  /** PEM without a passphrase. */
  readonly key: string;
}

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
/** More than any authority uses. */
const maxChain = 10;

/** Returns the certificates of a PEM file. Throws `caCertificateInvalid` if it has none, or one that is damaged. */
export function chainOf(pem: string): readonly [X509Certificate, ...X509Certificate[]] {
  const blocks = pem.match(block) ?? [];
  if (blocks.length > maxChain)
    throw invalidCertificate('tooMany', `the file holds more than ${maxChain} certificates`);
  const [first, ...rest] = blocks.map(parse);
  if (first === undefined) throw invalidCertificate('noCertificate', 'the file holds no certificate in PEM format');
  return [first, ...rest];
}

/** Returns the key of a PEM file. Throws `caKeyInvalid` if it has none, or one with a passphrase. */
export function keyOf(pem: string): KeyObject {
  if (/ENCRYPTED/.test(pem)) {
    throw invalidKey('encrypted', 'the private key has a passphrase; remove it, for example with openssl pkey');
  }
  try {
    if (pem.includes('-----BEGIN')) return createPrivateKey(pem);
  } catch {
    // Reported below.
  }
  throw invalidKey('noKey', 'the file holds no private key in PEM format');
}

/**
 * Throws `caCertificateInvalid` unless each certificate is valid at `now` (milliseconds since 1970) and was issued by the
 * one behind it; `caKeyInvalid` unless the key belongs to the first one.
 */
export function checkPair({ cert, key }: Certificate, now: number): void {
  const chain = chainOf(cert);
  const privateKey = keyOf(key);
  for (const one of chain) checkTime(one, now);
  const owner = chain.findIndex((one) => one.checkPrivateKey(privateKey));
  if (owner > 0) throw invalidCertificate('notFirst', 'the certificate of the hub must be the first one in the file');
  for (const [at, one] of chain.entries()) {
    const issuer = chain[at + 1];
    if (issuer === undefined || isIssuedBy(one, issuer)) continue;
    const message = `certificate ${at + 2} of the file did not issue certificate ${at + 1}; put them in order`;
    throw invalidCertificate('order', message, { position: at + 1 });
  }
  if (owner < 0) throw invalidKey('mismatch', 'the key does not belong to the certificate');
}

function checkTime(cert: X509Certificate, now: number): void {
  const [from, to] = [Date.parse(cert.validFrom), Date.parse(cert.validTo)];
  if (now < from) {
    const message = `a certificate is valid from ${cert.validFrom}; check the clock of the hub`;
    throw invalidCertificate('notYetValid', message, { time: from });
  }
  if (now >= to) throw invalidCertificate('expired', `a certificate expired at ${cert.validTo}`, { time: to });
}

function isIssuedBy(cert: X509Certificate, issuer: X509Certificate): boolean {
  return cert.checkIssued(issuer) && cert.verify(issuer.publicKey);
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw invalidCertificate('damaged', 'a certificate in the file is damaged');
  }
}

export function invalidCertificate(
  what: CertificateFault,
  message: string,
  params: Readonly<Record<string, number>> = {},
): HubError {
  return new HubError('caCertificateInvalid', message, { params: { what, ...params } });
}

function invalidKey(what: KeyFault, message: string): HubError {
  return new HubError('caKeyInvalid', message, { params: { what } });
}
