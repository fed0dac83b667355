/** Serves a certificate on a spare port of this machine and connects to it, before the console depends on it. */
import { X509Certificate } from 'node:crypto';
import { timing } from '../timing.ts';
import { type Certificate, invalidCertificate } from './certificate-chain.ts';
import { ciphers } from './listener.ts';

const host = '127.0.0.1';

/** Throws `caCertificateInvalid` if a client does not get the certificate. */
export async function tryCertificate(pair: Certificate): Promise<void> {
  const fault = await attempt(pair).catch((error: Error) => error.message);
  if (fault !== undefined) throw invalidCertificate('unusable', `the certificate cannot be used for HTTPS: ${fault}`);
}

async function attempt({ cert, key }: Certificate): Promise<string | undefined> {
  const server = Bun.serve({
    hostname: host,
    port: 0,
    tls: { cert, key, ciphers },
    development: false,
    fetch: () => new Response(null, { status: 404 }),
  });
  try {
    const served = await servedAt(server.port ?? 0);
    return served === new X509Certificate(cert).fingerprint256 ? undefined : 'it serves another certificate';
  } finally {
    await server.stop(true);
  }
}

/** Returns the fingerprint of the certificate. */
async function servedAt(port: number): Promise<string> {
  // Only a change of the certificate needs it.
  const { connect } = await import('node:tls');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // The authority need not be known here.
  const socket = connect({ host, port, rejectUnauthorized: false }, () =>
    resolve(socket.getPeerCertificate().fingerprint256),
  );
  socket.setTimeout(timing.web.opensslMs, () => reject(new Error('the handshake takes too long')));
  socket.once('error', reject);
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
