/**
 * HTTPS requests to a device, most of which have a self-signed certificate. `fetch` is of no use for those: without
 * verification it skips the check of the certificate as well, and with verification it refuses expired certificates,
 * which devices without a clock have. Here the fingerprint is compared on the connection itself, before the request is
 * sent. While no certificate was accepted, one that an authority of the system has signed for this host is.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { isUpload } from './device-upload.ts';
import type { DeviceRequest, DeviceUpload } from './driver.ts';
import { CertificateProblem, DeviceProblem } from './problem.ts';

export interface PinnedServer {
  /** Name or address, as configured. */
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the accepted certificate: 64 hexadecimal digits in lower case. Absent: none was accepted. */
  readonly fingerprint?: string;
}

export interface PinnedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request to `address`. Rejects with a `CertificateProblem` before sending it to any other server. */
export async function requestPinned(
  address: string,
  server: PinnedServer,
  request: DeviceRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<PinnedAnswer> {
  const upload = isUpload(request.body) ? request.body : undefined;
  const body = request.body === undefined || isUpload(request.body) ? undefined : new Response(request.body);
  const bytes = await body?.bytes();
  const contentType = body?.headers.get('content-type');
  const socket = await openPinned(address, server, signal);
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpRequest({
      // The runtime ignores this option when `agent` is set.
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: request.path,
      headers: {
        ...(contentType && { 'content-type': contentType }),
        ...(bytes && { 'content-length': bytes.byteLength }),
        ...headers,
        connection: 'close',
      },
    });
    sent.once('response', resolve);
    sent.on('error', reject);
    socket.once('close', () => reject(new DeviceProblem('invalidAnswer', 'the device closed the connection')));
    if (upload === undefined) sent.end(bytes);
    else sendParts(sent, socket, upload).catch(reject);
  });
  message.on('error', () => {});
  return { status: message.statusCode ?? 0, headers: headersOf(message), body: message };
}

/** Sends no faster than the device reads. Ends early once the device has answered or closed the connection. */
async function sendParts(sent: ClientRequest, socket: TLSSocket, { parts }: DeviceUpload): Promise<void> {
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const end = () => {
    isOver = true;
    over.resolve();
  };
  sent.once('response', end);
  socket.once('close', end);
  for await (const part of parts()) {
    if (isOver) return;
    if (!sent.write(part)) await Promise.race([once(sent, 'drain'), over.promise]);
  }
  sent.end();
}

/** Opens a connection to the server that shows the accepted certificate. An abort ends it, also once it is open. */
export function openPinned(address: string, server: PinnedServer, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connect({
    host: address,
    port: server.port,
    ...(isIP(server.host) === 0 && { servername: server.host }),
    // The certificate is compared below instead.
    rejectUnauthorized: false,
  });
  const abort = () => socket.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  socket.on('error', reject);
  socket.once('close', () => {
    signal.removeEventListener('abort', abort);
    reject(new DeviceProblem('invalidAnswer', 'the device closed the connection during the TLS handshake'));
  });
  socket.once('secureConnect', () => {
    const fault = certificateFault(socket, server.fingerprint);
    if (fault === undefined) resolve(socket);
    else {
      reject(fault);
      socket.destroy();
    }
  });
  if (signal.aborted) abort();
  return promise;
}

function certificateFault(socket: TLSSocket, accepted: string | undefined): DeviceProblem | undefined {
  const raw: Buffer | undefined = socket.getPeerCertificate().raw;
  if (raw === undefined) return new DeviceProblem('invalidAnswer', 'the device shows no certificate');
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  if (fingerprint === accepted) return undefined;
  if (accepted !== undefined) return new CertificateProblem('certificateChanged', fingerprint);
  // Includes the check of the host.
  return socket.authorized ? undefined : new CertificateProblem('certificateUnknown', fingerprint);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}
