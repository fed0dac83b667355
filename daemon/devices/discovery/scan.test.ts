import { afterEach, expect, test } from 'bun:test';
import { UsapiDevice } from '../../../tests/sim/devices/usapi.ts';
import { privateAllowed } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import type { FoundDevice } from '../../contract/discovery.ts';
import { createOutgoing, systemLookup } from '../../lib/outgoing.ts';
import { createDriverRegistry, shippedDrivers } from '../registry.ts';
import { createDiscovery } from './discover.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const times = { listenMs: 100, againMs: 50, connectMs: 2000, recognizeMs: 3000, describeMs: 1000, lookupMs: 1000 };
const discovery = createDiscovery({
  registry: createDriverRegistry(shippedDrivers),
  outgoing: createOutgoing({ rules: () => privateAllowed, lookup: systemLookup, ...times }),
  times,
  interfaces: () => ({
    lo: [
      { ...{ address: '127.83.7.2', netmask: '', mac: '', internal: false }, family: 'IPv4', cidr: '127.83.7.2/24' },
    ],
  }),
});

function serve(hostname: string, port: number, fetch: (request: Request) => Response | Promise<Response>): void {
  const server = Bun.serve({ hostname, port, fetch, idleTimeout: 0 });
  closing.push(() => server.stop(true));
}

function search(subnet: string) {
  const found = new Map<string, Omit<FoundDevice, 'added'>>();
  const progress: string[] = [];
  const stop = new AbortController();
  const ended = discovery.run({
    ...{ methods: ['scan'], networks: discovery.networks(subnet), signal: stop.signal },
    onFound: (host, one) => void found.set(host, one),
    onProgress: (done, total) => void progress.push(`${done}/${total}`),
  });
  return { found, progress, stop, ended };
}

test('a device is found at its address, and other web servers are not', async () => {
  const device = new UsapiDevice({ kind: 'encode', sn: 'B313240506011', name: 'Hall' });
  serve('127.83.7.5', 8080, (request) => device.handle(request));
  serve('127.83.7.6', 8080, () => new Response('a printer'));
  const { found, progress, ended } = search('127.83.7.0/29');
  await ended;
  expect([...found]).toEqual([
    ['127.83.7.5', expect.objectContaining({ address: 'http://127.83.7.5:8080', api: 'usapi', by: ['scan'] })],
  ]);
  expect([progress[0], progress.at(-1)]).toEqual(['0/6', '6/6']);
  expect(device.calls.every((method) => method === 'ping')).toBe(true);
});

test('a canceled search ends at once, also while a device is silent', async () => {
  const asked = Promise.withResolvers<void>();
  serve('127.83.7.9', 8000, () => {
    asked.resolve();
    return new Promise<Response>(() => {});
  });
  const { stop, ended } = search('127.83.7.8/29');
  await asked.promise;
  stop.abort(new Error('canceled'));
  await expect(ended).rejects.toThrow('canceled');
});

test('a server that answers without an end does not keep the others waiting', async () => {
  const endless = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }));
  serve('127.83.7.17', 8080, endless);
  const device = new UsapiDevice({ kind: 'encode', sn: 'B313240506012', name: 'Stage' });
  serve('127.83.7.18', 8080, (request) => device.handle(request));
  const { found, ended } = search('127.83.7.16/29');
  await until(() => found.has('127.83.7.18'));
  await ended;
  expect(found.size).toBe(1);
});
