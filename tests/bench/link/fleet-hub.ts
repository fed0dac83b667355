/**
 * A hub for a fleet. Arguments: port of the links (0: any), certificate, key, file of the hub's identity, number of
 * devices. Prints its ports; the second answers HTTP, whatever the path.
 */
import { readFileSync } from 'node:fs';
import { createLog } from '../../../daemon/lib/log.ts';
import { hashOfPem, openIdentity } from '../../../daemon/link/identity.ts';
import { createLinkServer, type LinkSocketData } from '../../../daemon/link/link-server.ts';

const [port = '0', cert = '', key = '', identityFile = '', devices = '0'] = process.argv.slice(2);
const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
const certificate = hashOfPem(tls.cert);
const plain = { seal: (text: string) => text, open: (text: string) => text };
const links = createLinkServer({
  identity: openIdentity(identityFile, plain),
  certificate: () => certificate,
  accept: () => ({ state: 'accepted' }),
  fleetSize: () => Number(devices),
  socketPath: (name) => name,
  log: createLog('error'),
});
const listener = Bun.serve<LinkSocketData>({
  hostname: '127.0.0.1',
  port: Number(port),
  tls,
  fetch: (request, server) => links.upgrade(request, server, '127.0.0.1'),
  websocket: links.websocket,
});
const http = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('up') });
console.log(JSON.stringify({ link: listener.port, http: http.port }));
