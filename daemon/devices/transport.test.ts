import { afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../../tests/integration/test-certificates.ts';
import { type DeviceCertificate, makeDeviceCertificate } from '../../tests/support/device-certificates.ts';
import { namesLookup, privateAllowed } from '../../tests/support/outgoing.ts';
import { createOutgoing } from '../lib/outgoing.ts';
import { timing } from '../timing.ts';
import type { DeviceRequest } from './driver.ts';
import { CertificateProblem, DeviceProblem } from './problem.ts';
import { type DeviceAddress, directTransport, socketTransport } from './transport.ts';

const outgoingWith = (names: Readonly<Record<string, readonly string[]>> = {}, rules = privateAllowed) =>
  createOutgoing({ rules: () => rules, lookup: namesLookup(names), ...timing.outgoing });
const ask = { path: '/usapi?method=ping', timeoutMs: 5000, maxBytes: 10_000 } satisfies DeviceRequest;
const unaborted = new AbortController().signal;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Handler = (request: Request) => Response | Promise<Response>;

function serve(fetch: Handler, certificate?: DeviceCertificate, port = 0): DeviceAddress & { stop(): Promise<void> } {
  const server = Bun.serve({ hostname: '127.0.0.1', port, fetch, ...(certificate && { tls: certificate }) });
  const stop = () => server.stop(true);
  closing.push(stop);
  return { protocol: certificate ? 'https' : 'http', host: '127.0.0.1', port: server.port ?? 0, stop };
}

async function serveRaw(onRequest: (socket: Socket) => void): Promise<DeviceAddress & { requests(): number }> {
  let requests = 0;
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      onRequest(socket);
    });
    closing.push(() => socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => server.close());
  const { port } = server.address() as { port: number };
  return { protocol: 'http', host: '127.0.0.1', port, requests: () => requests };
}

const over = (address: DeviceAddress, outgoing = outgoingWith()) => directTransport(address, outgoing);
async function problemOf(address: DeviceAddress, request: Partial<DeviceRequest> = {}): Promise<DeviceProblem> {
  const error = await over(address)
    .request({ ...ask, ...request }, unaborted)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DeviceProblem);
  return error as DeviceProblem;
}

let [own, other, expired]: DeviceCertificate[] = [];
beforeAll(() => {
  own = makeDeviceCertificate('encoder');
  other = makeDeviceCertificate('encoder');
  expired = makeDeviceCertificate('encoder', { expired: true });
});

test.each([
  ['HTTP', undefined],
  ['HTTPS', () => own],
])('over %s, method, path, headers and body arrive, and the answer comes back', async (_, certificate) => {
  const address = serve(async (request) => {
    const { pathname, search } = new URL(request.url);
    const text = `${request.method} ${pathname}${search} ${request.headers.get('cookie')} ${await request.text()}`;
    const cookies: [string, string][] = [
      ['set-cookie', 'sid=1; Path=/'],
      ['set-cookie', 'lang=en'],
    ];
    return new Response(text, { status: 201, headers: cookies });
  }, certificate?.());
  const transport = over({ ...address, ...(certificate && { fingerprint: own!.fingerprint }) });
  const request = { ...ask, method: 'POST', headers: { cookie: 'a=b' }, body: 'form', path: '/x?name=%20' } as const;
  const { status, headers, body } = await transport.request(request, unaborted);
  expect(status).toBe(201);
  expect(Buffer.from(body).toString()).toBe('POST /x?name=%20 a=b form');
  expect(headers.getSetCookie()).toEqual(['sid=1; Path=/', 'lang=en']);
});

test('a host name is resolved once per request, checked, and connected to by that address', async () => {
  const address = serve((request) => new Response(request.headers.get('host')));
  const named = { ...address, host: 'encoder.test' };
  const transport = over(named, outgoingWith({ 'encoder.test': ['127.0.0.1', '169.254.169.254'] }));
  const { body } = await transport.request(ask, unaborted);
  expect(Buffer.from(body).toString()).toBe(`encoder.test:${address.port}`);
  await expect(transport.request(ask, unaborted)).rejects.toMatchObject({ word: 'unreachable' });
});

test('the hub is not a device: its own ports are refused', async () => {
  const address = serve(() => new Response('console'));
  const outgoing = outgoingWith({}, { ...privateAllowed, closedPorts: [address.port] });
  await expect(over(address, outgoing).request(ask, unaborted)).rejects.toMatchObject({ word: 'unreachable' });
});

test('an unknown certificate is reported with its fingerprint, and nothing is sent to the server', async () => {
  let requests = 0;
  const address = serve(() => {
    requests += 1;
    return new Response();
  }, own);
  const problem = await problemOf(address);
  expect(problem).toBeInstanceOf(CertificateProblem);
  expect(problem).toMatchObject({ word: 'certificateUnknown', fingerprint: own!.fingerprint });
  expect(requests).toBe(0);
});

test('a certificate that changed is refused, and nothing is sent to the server', async () => {
  let requests = 0;
  const handle = () => {
    requests += 1;
    return new Response();
  };
  const before = serve(handle, own);
  const accepted = { ...before, fingerprint: own!.fingerprint };
  await over(accepted).request(ask, unaborted);
  await before.stop();
  serve(handle, other, before.port);
  expect(await problemOf(accepted)).toMatchObject({ word: 'certificateChanged', fingerprint: other!.fingerprint });
  expect(requests).toBe(1);
  await over({ ...before, fingerprint: other!.fingerprint }).request(ask, unaborted);
  expect(requests).toBe(2);
});

test('a certificate that an authority of the system signed for the host needs no acceptance', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-authority-'));
  const { authority, server } = await makeCertificates(folder);
  const { port } = serve(() => new Response('x'), { ...server, fingerprint: '' });
  const outcome = async (host: string, env: Record<string, string>) => {
    const program = `
      import { requestPinned } from '${join(import.meta.dir, 'pinned-request.ts')}';
      const request = { path: '/', timeoutMs: 5000, maxBytes: 100 };
      const server = { host: '${host}', port: ${port} };
      const { signal } = new AbortController();
      const asked = requestPinned('127.0.0.1', server, request, {}, signal);
      console.log(await asked.then(({ status }) => status, ({ word }) => word));
      process.exit();`;
    const child = Bun.spawn([process.execPath, '-e', program], { env: { ...process.env, ...env }, stdout: 'pipe' });
    return (await new Response(child.stdout).text()).trim();
  };
  const trusting = { NODE_EXTRA_CA_CERTS: authority };
  const outcomes = [outcome('localhost', trusting), outcome('encoder.test', trusting), outcome('localhost', {})];
  expect(await Promise.all(outcomes)).toEqual(['200', 'certificateUnknown', 'certificateUnknown']);
  rmSync(folder, { recursive: true });
});

test('an accepted certificate may be expired, because many devices have no clock', async () => {
  const address = { ...serve(() => new Response('x'), expired), fingerprint: expired!.fingerprint };
  expect(await over(address).request(ask, unaborted)).toMatchObject({ status: 200 });
});

test.each([
  ['HTTP', undefined],
  ['HTTPS', () => own],
])('over %s, an answer that is too long or never ends is cut off', async (_, certificate) => {
  const ended = Promise.withResolvers<void>();
  const endless = () =>
    new ReadableStream({ pull: (out) => out.enqueue(new Uint8Array(4096)), cancel: () => ended.resolve() });
  const address = serve(() => new Response(endless()), certificate?.());
  const trusted = { ...address, ...(certificate && { fingerprint: own!.fingerprint }) };
  expect(await problemOf(trusted)).toMatchObject({ word: 'invalidAnswer' });
  await ended.promise;
});

test.each([
  ['HTTP', undefined],
  ['HTTPS', () => own],
])(
  'over %s, a device that does not answer in time is a timeout, before and within the answer',
  async (_, certificate) => {
    const silent = new Promise<never>(() => {});
    let parts = 0;
    const address = serve((request) => {
      if (request.url.endsWith('ping')) return silent;
      const slow = new ReadableStream({ pull: (out) => (parts++ === 0 ? out.enqueue(new Uint8Array(9)) : silent) });
      return new Response(slow);
    }, certificate?.());
    const trusted = { ...address, ...(certificate && { fingerprint: own!.fingerprint }) };
    expect(await problemOf(trusted, { timeoutMs: 150 })).toMatchObject({ word: 'timeout' });
    expect(await problemOf(trusted, { timeoutMs: 150, path: '/slow' })).toMatchObject({ word: 'timeout' });
    const controller = new AbortController();
    const waiting = over(trusted).request(ask, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  },
);

test('a redirect is not followed', async () => {
  let requests = 0;
  const address = serve(() => {
    requests += 1;
    return new Response(null, { status: 302, headers: { location: '/elsewhere' } });
  });
  expect(await over(address).request(ask, unaborted)).toMatchObject({ status: 302 });
  expect(requests).toBe(1);
});

test('a request is sent once, even if the device closes its connection instead of answering', async () => {
  let isFirst = true;
  const address = await serveRaw((socket) => {
    if (isFirst) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    else socket.destroy();
    isFirst = false;
  });
  await over(address).request(ask, unaborted);
  expect(await problemOf(address)).toMatchObject({ word: 'invalidAnswer' });
  expect(address.requests()).toBe(2);
});

test.each([
  ['text that is not HTTP', 'garbage\r\n\r\n'],
  ['a shorter body than announced', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'],
  ['endless headers', `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(2000)}`],
])('an answer with %s is broken', async (_, answer) => {
  const address = await serveRaw((socket) => socket.end(answer));
  expect(await problemOf(address)).toMatchObject({ word: 'invalidAnswer' });
});

test('no message of a problem contains the query, in which some APIs carry the password', async () => {
  const path = '/usapi?method=login&pass=secret';
  const closed = serve(() => new Response());
  await closed.stop();
  const garbage = await serveRaw((socket) => socket.end('garbage\r\n\r\n'));
  const silent = serve(() => new Promise<never>(() => {}));
  const problems = [
    await problemOf(closed, { path }),
    await problemOf(garbage, { path }),
    await problemOf(silent, { path, timeoutMs: 50 }),
  ];
  expect(problems.map(({ word }) => word)).toEqual(['unreachable', 'invalidAnswer', 'timeout']);
  for (const problem of problems) expect(`${problem.message} ${problem.stack}`).not.toContain('secret');
});

test('requests reach a device through the socket of its link, and a missing socket is a link that is down', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-link-'));
  const unix = join(folder, 'link.sock');
  try {
    await expect(socketTransport(unix).request(ask, unaborted)).rejects.toMatchObject({ word: 'linkDown' });
    const server = Bun.serve({ unix, fetch: (request) => new Response(new URL(request.url).search) });
    const { body } = await socketTransport(unix).request(ask, unaborted);
    expect(Buffer.from(body).toString()).toBe('?method=ping');
    await server.stop(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
