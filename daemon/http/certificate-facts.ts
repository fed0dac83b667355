/** Reads the contents of a certificate for the console and the API. */
import type { CertificateFacts } from '../contract/certificates.ts';
import { isOwn } from './certificate.ts';
import { chainOf } from './certificate-chain.ts';

/** `pem`: the certificate and the intermediate certificates. Throws `caCertificateInvalid` if there is none. */
export function certificateFacts(pem: string): CertificateFacts {
  const [cert, ...authorities] = chainOf(pem);
  return {
    subject: oneLine(cert.subject),
    issuer: oneLine(cert.issuer),
    names: namesOf(cert.subjectAltName ?? ''),
    'valid-from': Date.parse(cert.validFrom),
    'valid-to': Date.parse(cert.validTo),
    fingerprint: cert.fingerprint256,
    'self-signed': cert.subject === cert.issuer && cert.verify(cert.publicKey),
    'made-by-hub': isOwn(cert),
    intermediates: authorities.length,
  };
}

/** The most specific part first, as in RFC 4514. */
function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').toReversed().join(', ');
}

/** As in `DNS:hub.example.org, IP Address:192.0.2.7`; a value with a comma is quoted as in JSON. */
const alternative = /(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]+)/g;

function namesOf(text: string): string[] {
  return [...text.matchAll(alternative)].map(([, kind, value = '']) => {
    if (kind === 'IP Address') return addressOf(value);
    return value.startsWith('"') ? String(JSON.parse(value)) : value;
  });
}

/** Shortens IPv6 addresses, which certificates have in another form. */
function addressOf(value: string): string {
  return value.includes(':') ? (URL.parse(`http://[${value}]`)?.hostname.slice(1, -1) ?? value) : value;
}
