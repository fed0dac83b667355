/** The WebSocket from a device to its hub, on the device's side. */
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { hashOfCertificate } from './identity.ts';

export const subprotocol = 'hublink.1';

/** Bytes in the socket's own buffer, which has no event when it drains. */
const markBytes = 256 << 10;
const pollMs = 2;

/** The console's types of the browser hide those of Bun. */
const BunWebSocket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket;

export interface HubSocket {
  /** Returns false if the socket takes no more for now; `onDrain` follows. */
  send(message: Uint8Array): boolean;
  /** Calls `onDrain` at once if it is due. */
  checkDrain(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  /** Hash of the certificate that the hub showed, undefined without TLS. */
  readonly certificate: Uint8Array | undefined;
}

export interface HubSocketOptions {
  readonly url: string;
  /** Certificate of the hub in PEM, undefined without TLS. The socket accepts no other. */
  readonly certificate: string | undefined;
  readonly onOpen: () => void;
  readonly onMessage: (message: Uint8Array) => void;
  readonly onDrain: () => void;
  /** Once. `code` is 1006 if the connection was not opened or broke. */
  readonly onClose: (code: number, reason: string) => void;
}

export function openHubSocket({ url, certificate, ...on }: HubSocketOptions): HubSocket {
  const hash = certificate === undefined ? undefined : hashOfCertificate(new X509Certificate(certificate).raw);
  // The handshake proves that the certificate is the hub's; names and authorities do not matter.
  const tls = hash && {
    ca: certificate,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host: string, { raw }: { readonly raw: Uint8Array }) =>
      hashOfCertificate(raw).equals(hash) ? undefined : new Error('another certificate than expected'),
  };
  const socket = new BunWebSocket(url, {
    protocols: [subprotocol],
    perMessageDeflate: false,
    ...(tls && { tls: tls as Bun.TLSOptions }),
  });
  socket.binaryType = 'arraybuffer';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let fault = '';
  socket.onopen = on.onOpen;
  socket.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data instanceof ArrayBuffer) on.onMessage(new Uint8Array(data));
    // A text message has no frames: the core ends the link.
    else on.onMessage(Uint8Array.of(0));
  };
  socket.onerror = (event) => {
    fault = 'message' in event ? String(event.message) : '';
  };
  socket.onclose = ({ code, reason }) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    on.onClose(code, reason || fault);
  };

  const hasDrained = () => socket.bufferedAmount <= markBytes;
  function poll(): void {
    timer = undefined;
    if (isOver) return;
    if (hasDrained()) on.onDrain();
    else timer = setTimeout(poll, pollMs);
  }

  return {
    send(message) {
      if (isOver || socket.readyState !== WebSocket.OPEN) return true;
      socket.send(message as Uint8Array<ArrayBuffer>);
      if (hasDrained()) return true;
      timer ??= setTimeout(poll, pollMs);
      return false;
    },
    checkDrain() {
      if (timer === undefined || !hasDrained()) return;
      clearTimeout(timer);
      poll();
    },
    close: (code, reason) => socket.close(code, reason.slice(0, 100)),
    terminate: () => socket.terminate(),
    certificate: hash,
  };
}

/** Returns the certificate that the server shows, in PEM, whoever issued it. */
export function fetchCertificate(url: URL, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const port = url.port === '' ? 443 : Number(url.port);
    // Only the certificate is taken; nothing is sent. The link itself is checked against it.
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, rejectUnauthorized: false });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('the hub does not answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the hub closed the connection')));
    socket.once('secureConnect', () => {
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      if (raw === undefined) reject(new Error('the hub has no certificate'));
      else resolve(new X509Certificate(raw).toString());
    });
  });
}
