/**
 * A hub's listener of links, with the ways to ports of its device: TCP forwards over the link and without it, and the
 * proxy for its web pages, HTTP and WebSocket. Prints its ports, as JSON, once the device is up. Arguments: the port of the
 * device, the port of its WebSockets, the one that gives and takes bytes, and, with TLS, certificate and key.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectStream, handlers, openDirectStream } from '../../../daemon/devices/direct-stream.ts';
import { serveClient } from '../../../daemon/features/device-console/client.ts';
import { createCookieJar } from '../../../daemon/features/device-console/cookie-jar.ts';
import { type ForwardListenerOptions, listenForward } from '../../../daemon/features/forwards/listener.ts';
import { createLog } from '../../../daemon/lib/log.ts';
import { createOutgoing, systemLookup } from '../../../daemon/lib/outgoing.ts';
import { duplexOf } from '../../../daemon/link/duplex.ts';
import { createIdentity, hashOfPem } from '../../../daemon/link/identity.ts';
import { createLinkServer, type LinkSocketData } from '../../../daemon/link/link-server.ts';
import { timing } from '../../../daemon/timing.ts';

const [target = '0', targetOfSockets = '0', targetOfCopies = '0', certFile, keyFile] = process.argv.slice(2);
const serial = 'BENCH';
const tls =
  certFile === undefined || keyFile === undefined
    ? undefined
    : { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
const log = createLog('error');
const folder = mkdtempSync(join(tmpdir(), 'bench-link-'));

const links = createLinkServer({
  identity: createIdentity(),
  certificate: () => (tls === undefined ? undefined : hashOfPem(tls.cert)),
  accept: () => ({ state: 'accepted' }),
  fleetSize: () => 1,
  socketPath: (name) => join(folder, `${name}.sock`),
  log,
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

/** The pages of the device as the hub serves them, without tickets: every connection has a session. */
function servePages(port: number): number {
  const pages = Bun.listen<DirectStream>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      ...handlers,
      open(socket) {
        socket.data = new DirectStream();
        socket.data.join(socket);
        const session = {
          ...{
            sn: serial,
            hub: '',
            port: pages.port,
            authority: `127.0.0.1:${pages.port}`,
            key: '',
            usedAt: 0,
            mayHaveOthers: false,
          },
          ...{ session: {} as never, jar: createCookieJar(() => 0), open: new Set<() => void>() },
        };
        void serveClient(duplexOf(socket.data), {
          ...{ scheme: 'http', port: pages.port, ip: '127.0.0.1', times: timing.deviceConsole, log },
          find: () => session,
          check() {},
          async openDevice() {
            const stream = links.openPort(serial, port, { priority: 'interactive' });
            if (typeof stream === 'string') throw new Error(stream);
            return { stream: duplexOf(stream), place: { scheme: 'http', authority: 'localhost' }, isAgent: true };
          },
          isOwnToken: () => false,
          own: () => ({ status: 404, headers: [], body: '' }),
          problemOf: (error) => error,
          backTo: () => '',
          language: () => 'en',
        });
      },
    },
  });
  return pages.port;
}
const proxy = servePages(Number(target));
const sockets = servePages(Number(targetOfSockets));

console.log(JSON.stringify({ link: listener.port }));
links.onUp(() => console.log(JSON.stringify({ ...ports, proxy, sockets })));
links.onDown(() => console.log(JSON.stringify({ isDown: true })));
