import { afterEach, expect, test } from 'bun:test';
import { makeDeviceCertificate } from '../../tests/support/device-certificates.ts';
import { privateAllowed } from '../../tests/support/outgoing.ts';
import { createOutgoing } from '../lib/outgoing.ts';
import { openDeviceWeb } from './device-web.ts';
import { openDirectStream } from './direct-stream.ts';
import { DeviceProblem } from './problem.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const pageOf = (tls?: { cert: string; key: string }) => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, ...(tls && { tls }), fetch: () => new Response('page') });
  stops.push(() => server.stop(true));
  return server.port ?? 0;
};

/** `names`: what each look-up returns, in order. `closed`: ports of the hub. */
function waysTo(address: string, names: string[] = [], closed: number[] = []) {
  const rules = () => ({ ...privateAllowed, closedPorts: closed });
  const lookup = () => Promise.resolve([names.shift() ?? '']);
  const outgoing = createOutgoing({ rules, lookup, lookupMs: 1000, connectMs: 1000 });
  const { hostname, port, protocol } = new URL(address);
  return {
    ...{ outgoing, connectMs: 2000 },
    openPort: () => {
      const to = { host: hostname, port: Number(port || { 'http:': 80, 'https:': 443 }[protocol]), mayBeOwn: true };
      return openDirectStream(to, { outgoing, connectMs: 2000 });
    },
  };
}

async function ask(address: string, { pin = '', ...more }: { pin?: string; names?: string[]; closed?: number[] } = {}) {
  const way = { sn: 'SN1', link: 'direct', address, pin } as const;
  const { stream, place } = await openDeviceWeb(way, waysTo(address, more.names, more.closed));
  await stream.write(Buffer.from(`GET / HTTP/1.1\r\nHost: ${place.authority}\r\nConnection: close\r\n\r\n`));
  let text = '';
  for (let bytes = await stream.read(); bytes !== undefined; bytes = await stream.read()) text += Buffer.from(bytes);
  stream.reset('cancelled');
  await stream.closed;
  return { text, place };
}

const wordOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'opened',
    (error) => (error instanceof DeviceProblem ? error.word : String(error)),
  );

test('a page is opened at the address of the device, with the host as the device knows it', async () => {
  const port = pageOf();
  const { text, place } = await ask(`http://127.0.0.1:${port}`);
  expect(text).toEndWith('page');
  expect(place).toEqual({ scheme: 'http', authority: `127.0.0.1:${port}` });
});

test('a page with TLS is opened if it shows the accepted certificate', async () => {
  const [own, other] = [makeDeviceCertificate('a', { expired: true }), makeDeviceCertificate('b')];
  const address = `https://127.0.0.1:${pageOf(own)}`;
  expect((await ask(address, { pin: own.fingerprint })).text).toEndWith('page');
  expect(await wordOf(ask(address, { pin: other.fingerprint }))).toBe('certificateChanged');
  expect(await wordOf(ask(address))).toBe('certificateUnknown');
});

test.each([
  ['http://169.254.169.254', undefined],
  ['http://0.0.0.0', undefined],
  ['http://224.0.0.1', undefined],
  ['https://169.254.169.254', undefined],
  ['http://device.example', '169.254.169.254'],
  ['http://device.example', '::'],
  ['https://device.example', 'fe80::1'],
])('no connection is made to %s, at %s', async (address, name) => {
  const word = await wordOf(ask(address, { names: name === undefined ? [] : [name] }));
  expect(word).toBe('unreachable');
});

test('the hub is not a device, whatever its name resolves to later', async () => {
  const port = pageOf();
  const address = `http://device.example:${port}`;
  expect((await ask(address, { names: ['127.0.0.1'] })).text).toEndWith('page');
  expect(await wordOf(ask(address, { names: ['127.0.0.1'], closed: [port] }))).toBe('unreachable');
});
