/**
 * A hub's listener of links, with the two ways to a port of its device: a TCP forward, and an HTTP and WebSocket proxy
 * over the unix socket. Prints its ports, as JSON, once the device is up. Arguments: the port of the device, the port
 * of its WebSockets, and, with TLS, certificate and key.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../daemon/lib/log.ts';
import { createIdentity, hashOfPem } from '../../../daemon/link/identity.ts';
import { createLinkServer, type LinkSocketData } from '../../../daemon/link/link-server.ts';

const [target = '0', targetOfSockets = '0', certFile, keyFile] = process.argv.slice(2);
const serial = 'BENCH';
const tls =
  certFile === undefined || keyFile === undefined
    ? undefined
    : { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
const folder = mkdtempSync(join(tmpdir(), 'bench-link-'));

const links = createLinkServer({
  identity: createIdentity(),
  certificate: () => (tls === undefined ? undefined : hashOfPem(tls.cert)),
  accept: () => ({ state: 'accepted' }),
  fleetSize: () => 1,
  socketPath: (name) => join(folder, `${name}.sock`),
  log: createLog('error'),
});
const listener = Bun.serve<LinkSocketData>({
  hostname: '127.0.0.1',
  port: 0,
  ...(tls && { tls }),
  fetch: (request, server) => links.upgrade(request, server, '127.0.0.1'),
  websocket: links.websocket,
});
const forward = links.forward(serial, Number(target), { hostname: '127.0.0.1', port: 0 });

/** What has arrived before the socket to the device is open. */
interface Pair {
  other: WebSocket | undefined;
  early: (string | ArrayBuffer)[];
}
const proxy = Bun.serve<Pair>({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request, server) {
    const path = request.url.slice(request.url.indexOf('/', 8));
    if (request.headers.has('upgrade')) {
      return server.upgrade(request, { data: { other: undefined, early: [] } }) ? undefined : new Response(null);
    }
    const range = request.headers.get('range');
    const { status, headers, body } = await fetch(`http://device${path}`, {
      headers: range === null ? {} : { range },
      unix: links.socketPath(serial, Number(target)),
      decompress: false,
    });
    return new Response(body, { status, headers });
  },
  websocket: {
    perMessageDeflate: false,
    open(socket) {
      const other = new WebSocket(`ws+unix://${links.socketPath(serial, Number(targetOfSockets))}:/`);
      other.binaryType = 'arraybuffer';
      other.onmessage = ({ data }) => void socket.send(data as ArrayBuffer);
      other.onopen = () => {
        for (const message of socket.data.early.splice(0)) other.send(message);
      };
      socket.data.other = other;
    },
    message({ data: { other, early } }, message) {
      const copy = typeof message === 'string' ? message : new Uint8Array(message).buffer;
      if (other?.readyState === WebSocket.OPEN) other.send(copy);
      else early.push(copy);
    },
    close: ({ data: { other } }) => other?.close(),
  },
});

console.log(JSON.stringify({ link: listener.port }));
links.onUp(() => console.log(JSON.stringify({ forward: forward.port, proxy: proxy.port })));
links.onDown(() => console.log(JSON.stringify({ isDown: true })));
