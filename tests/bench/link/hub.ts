/**
 * A hub's listener of links, with the ways to ports of its device: TCP forwards over the link and without it, and an HTTP
 * and WebSocket proxy over the unix socket. Prints its ports, as JSON, once the device is up. Arguments: the port of the
 * device, the port of its WebSockets, the one that gives and takes bytes, and, with TLS, certificate and key.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDirectStream } from '../../../daemon/devices/direct-stream.ts';
import { type ForwardListenerOptions, listenForward } from '../../../daemon/features/forwards/listener.ts';
import { createLog } from '../../../daemon/lib/log.ts';
import { createOutgoing, systemLookup } from '../../../daemon/lib/outgoing.ts';
import { createIdentity, hashOfPem } from '../../../daemon/link/identity.ts';
import { createLinkServer, type LinkSocketData } from '../../../daemon/link/link-server.ts';
import { timing } from '../../../daemon/timing.ts';

const [target = '0', targetOfSockets = '0', targetOfCopies = '0', certFile, keyFile] = process.argv.slice(2);
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

const forwardTo = (open: ForwardListenerOptions['open']): number =>
  listenForward({
    ...{ address: '127.0.0.1', port: 0, maxConnections: 1000, now: () => performance.now(), open, admits: () => true },
    ...{ onOpened() {}, onClosed() {}, onReason() {} },
  }).port;
const overLink = (port: string) => forwardTo(() => links.openPort(serial, Number(port), { priority: 'bulk' }));
const outgoing = createOutgoing({
  rules: () => ({ allowsPrivate: true, setting: '', closedPorts: [] }),
  lookup: systemLookup,
  ...timing.outgoing,
});
const withoutLink = (port: string) =>
  forwardTo(() =>
    openDirectStream({ host: '127.0.0.1', port: Number(port), mayBeOwn: true }, { outgoing, connectMs: 5000 }),
  );
const ports = {
  forward: overLink(target),
  direct: withoutLink(target),
  copies: overLink(targetOfCopies),
  directCopies: withoutLink(targetOfCopies),
};

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
links.onUp(() => console.log(JSON.stringify({ ...ports, proxy: proxy.port })));
links.onDown(() => console.log(JSON.stringify({ isDown: true })));
