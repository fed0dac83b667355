/**
 * The HTTP port of a device that has only HTTPS: the agent speaks TLS with the device, so that the hub, drivers and
 * pages reach it like any other, and the certificate is compared where it was accepted.
 */
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { openPinned, type PinnedServer } from '../devices/pinned-request.ts';
import { CertificateProblem } from '../devices/problem.ts';
import { duplexOf, type Stream } from '../link/duplex.ts';
import type { LinkStream } from '../link/link-stream.ts';
import { timing } from '../timing.ts';

/** RFC 9209. The transport of the hub knows it. */
const refusal = [
  'HTTP/1.1 502 Bad Gateway',
  'Proxy-Status: signalbox-agent; error=tls_certificate_error',
  'Content-Length: 0',
  'Connection: close',
  '\r\n',
].join('\r\n');

/** Connects the stream with the device. `onFault` gets a certificate other than the accepted one. */
export async function carrySecurely(
  link: LinkStream,
  server: PinnedServer,
  onFault: (fault: CertificateProblem) => void,
): Promise<void> {
  const stream = duplexOf(link);
  const ending = new AbortController();
  const end = () => ending.abort();
  void stream.closed.then(end);
  const timer = setTimeout(end, timing.link.portConnectMs);
  try {
    const socket = await openPinned(server.host, server, ending.signal);
    clearTimeout(timer);
    await Promise.all([toDevice(stream, socket), fromDevice(socket, stream)]);
  } catch (error) {
    clearTimeout(timer);
    end();
    if (!(error instanceof CertificateProblem)) stream.reset('refused');
    else {
      onFault(error);
      await refuse(stream).catch(() => stream.reset('refused'));
    }
  }
}

async function toDevice(stream: Stream, socket: TLSSocket): Promise<void> {
  for (let bytes = await stream.read(); bytes !== undefined; bytes = await stream.read()) {
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  socket.end();
}

async function fromDevice(socket: TLSSocket, stream: Stream): Promise<void> {
  for await (const bytes of socket) await stream.write(bytes);
  stream.end();
}

async function refuse(stream: Stream): Promise<void> {
  await stream.write(Buffer.from(refusal));
  stream.end();
  // Until the hub has read it.
  while ((await stream.read()) !== undefined);
}
