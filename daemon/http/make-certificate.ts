/** Makes the self-signed certificate of the console with the openssl program. */
import { timing } from '../timing.ts';
import { alternativeNames, type CertificateNames } from './certificate-names.ts';

/** Tells a certificate of the hub from one that an administrator has put there. */
export const ownIssuer = { O: 'Signalbox', OU: 'Made by this hub' } as const;

/** The longest validity of a server certificate that Apple's systems accept. */
const validDays = 825;

export type MakingFault = { readonly message: string; readonly reason: 'certificateFailed' | 'opensslMissing' };

/** Returns why it failed, undefined when it did not. */
export async function makeCertificate(
  names: CertificateNames,
  files: { readonly cert: string; readonly key: string },
): Promise<MakingFault | undefined> {
  const openssl = Bun.which('openssl');
  if (openssl === null) {
    return { message: 'the openssl program is missing; install the package openssl', reason: 'opensslMissing' };
  }
  const args = [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', String(validDays)],
    ...['-config', '/dev/stdin', '-keyout', files.key, '-out', files.cert],
  ];
  // The umask of the child makes the key private from its first byte.
  const child = Bun.spawn(['/bin/sh', '-c', 'umask 077; exec "$0" "$@"', openssl, ...args], {
    stdin: new TextEncoder().encode(requestConfig(names)),
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

/** A server certificate that cannot sign others: a client that trusts it trusts only this hub. */
function requestConfig(names: CertificateNames): string {
  return `
[req]
prompt = no
distinguished_name = name
x509_extensions = server
[name]
O = ${ownIssuer.O}
OU = ${ownIssuer.OU}
CN = ${names.commonName}
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
subjectAltName = ${alternativeNames(names)}
`;
}
