import { afterAll, beforeAll, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { readerSession, readTopic } from '../../../tests/support/topic-reader.ts';
import { until, untilSeen } from '../../../tests/support/until.ts';
import { answerTo, hashOfToken } from '../../appliance/confirmed-change/token.ts';
import { createApplianceDouble } from '../../appliance/double-for-test.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import type { Network } from '../../contract/network.ts';
import type { PortSettings } from '../../contract/network-fields.ts';
import { listen } from '../../http/listener.ts';
import { addressRanges } from '../../lib/address-ranges.ts';
import { createNetworkFeature } from './feature.ts';

const appliance = createApplianceDouble();
const { net } = appliance.double;
let hub: Awaited<ReturnType<typeof composedHub>>;
let as: string;
beforeAll(async () => {
  hub = await composedHub({ appliance, env: { SIGNALBOX_VARIANT: 'hardware' } });
  as = await hub.signIn('Admin');
});
afterAll(() => hub.remove());

const fixed = (ip: string): PortSettings => ({
  ...{ dhcp: false, ip, mask: '255.255.255.0', gateway: '', 'primary-dns': '', 'secondary-dns': '' },
});
const network = () => hub.json('/api/network/get', { as });
const set = (body: object) => hub.post('/api/network/set', body, as);
const isDone = (outcome: string) => untilSeen(network, ({ waiting, ended }) => !waiting && ended?.outcome === outcome);

test('the ports are shown with their settings, their state and their traffic', async () => {
  const { ports, missing } = await network();
  expect(missing).toEqual([]);
  expect(ports[0]).toMatchObject({ port: 'eth1', state: 'connected', device: 'eth0', link: true, speed: 1000 });
  expect(ports[0].settings).toMatchObject({ dhcp: false, ip: '192.0.2.10', mask: '255.255.255.0' });
  expect(ports[1]).toMatchObject({ port: 'eth2', settings: { dhcp: true, ip: '' }, addresses: ['198.51.100.77/24'] });
});

test('the label of a port stays with its socket when the kernel swaps the names', async () => {
  net.swapNames();
  const { ports } = await network();
  expect(ports.map(({ port, device, mac }: Network['ports'][number]) => [port, device, mac])).toEqual([
    ['eth1', 'eth1', '02:00:00:00:00:01'],
    ['eth2', 'eth0', '02:00:00:00:00:02'],
  ]);
  net.swapNames();
});

test('a change waits with its author, and its token signs them in where it is confirmed', async () => {
  const { token, result } = await set({ eth1: fixed('192.0.2.66') });
  expect(result).toBe(0);
  await untilSeen(network, ({ waiting }) => waiting?.applied === true);
  expect((await network()).waiting).toMatchObject({ kind: 'network', user: 'Admin' });
  expect((await set({ eth1: fixed('192.0.2.67') })).result).toBe(1004);
  const answer = await hub.call('/api/network/confirm', { method: 'POST', body: { token } });
  expect(await answer.json()).toEqual({ result: 0, kind: 'network' });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const session = await hub.json('/api/session', { headers: { cookie: cookies.join('; ') } });
  expect(session.user.name).toBe('Admin');
  expect(net.stored('eth1')?.fixed?.address).toBe('192.0.2.66');
});

test('a change by an access token is confirmed without a session', async () => {
  const made = await hub.post('/api/token/add', { name: 'Script', password: 'a-long-secret', permission: 49152 }, as);
  const headers = { authorization: `Bearer ${made.token}` };
  const started = await hub.json('/api/network/set', { method: 'POST', body: { eth1: fixed('192.0.2.10') }, headers });
  await untilSeen(network, ({ waiting }) => waiting?.applied === true);
  const answer = await hub.call('/api/network/confirm', { method: 'POST', body: { token: started.token } });
  expect((await answer.json()).result).toBe(0);
  expect(answer.headers.getSetCookie()).toEqual([]);
});

test('the proof that the hub knows the token is bound to the address that was called, and confirms nothing', async () => {
  const listener = listen({
    ...{ host: '0.0.0.0', port: 0, tls: null, trustedProxies: addressRanges([]) },
    answer: (request, connection) => hub.hub.app.fetch(request, connection),
  });
  const challenge = 'c'.repeat(43);
  const confirm = async (at: string, port = listener.port, headers = {}) => {
    const url = `http://${at}:${port}/api/network/confirm`;
    const sent = { 'content-type': 'application/json', ...headers };
    return (await fetch(url, { method: 'POST', body: JSON.stringify({ challenge }), headers: sent })).json();
  };
  using relay = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.3' },
    fetch: async () => Response.json(await confirm('127.0.0.2', listener.port, { host: '127.0.0.3' })),
  });
  expect(await confirm('127.0.0.2')).toMatchObject({ result: 38 });
  const { token } = await set({ eth1: fixed('192.0.2.11') });
  await untilSeen(network, ({ waiting }) => waiting?.applied === true);
  const proofOf = (address: string) => {
    const answer = answerTo(hashOfToken(token), challenge, address);
    return { result: 0, kind: 'network', address, answer };
  };
  expect(await confirm('127.0.0.2')).toEqual(proofOf('127.0.0.2'));
  expect(await confirm('127.0.0.3')).toEqual(proofOf('127.0.0.3'));
  expect(await confirm('127.0.0.3', relay.port)).toEqual(proofOf('127.0.0.2'));
  expect((await network()).waiting).toBeDefined();
  await hub.post('/api/network/cancel', {}, as);
  await isDone('canceled');
  await listener.close(0);
});

test('a change that is older than the settings is refused, and one for the network of the other port', async () => {
  expect((await set({ eth1: fixed('192.0.2.70'), revision: 1 })).result).toBe(1004);
  const refused = await set({ eth2: fixed('192.0.2.99') });
  expect(refused).toMatchObject({ result: 7, fields: [{ path: 'eth2.ip', rule: 'sameNetwork' }] });
});

test('one port may take the network that the other one leaves', async () => {
  const dhcp = { ...fixed(''), dhcp: true, mask: '' };
  const change = { eth1: dhcp, eth2: fixed('192.0.2.99'), 'confirm-within': 0, 'accept-risk': true };
  expect(await set(change)).toMatchObject({ result: 0, 'confirm-by-s': 0 });
  await isDone('confirmed');
  expect(await set({ eth1: fixed('192.0.2.10'), eth2: dhcp, 'confirm-within': 0, 'accept-risk': true })).toMatchObject({
    result: 0,
  });
  await until(async () => net.stored('eth1')?.fixed?.address === '192.0.2.10');
});

test('without NetworkManager, the ports are unknown, and a change names what is missing', async () => {
  net.stop();
  expect(await network()).toMatchObject({ missing: [{ part: 'networkManager', fault: 'absent' }] });
  expect((await network()).ports[0]).toMatchObject({ state: 'unknown', link: false });
  expect(await set({ eth1: fixed('192.0.2.71') })).toMatchObject({ result: 9, params: { part: 'networkManager' } });
  net.start();
  expect((await network()).missing).toEqual([]);
});

test('readers of the topic learn of a pulled cable, and nothing is watched without them', async () => {
  const double = createApplianceDouble();
  let watchers = 0;
  const watch = (listener: () => void) => {
    watchers++;
    const stop = double.net.watch(listener);
    return () => {
      watchers--;
      stop();
    };
  };
  const changes = async () => ({ waiting: () => undefined, onChange: () => () => true }) as never;
  const { topics } = createNetworkFeature({
    ...{
      db: hub.db,
      audit: hub.hub.audit,
      net: { ...double.net, watch },
      light: double.light,
      changes,
      ended: () => undefined,
    },
    signIn: async () => {},
  });
  const reader = readTopic<ObjectsEvent<Network>>(topics![0]!, readerSession('ann', 'systemView'));
  await until(() => reader.changes().length > 0);
  double.double.net.setCable('eth2', false);
  await until(() => reader.changes().some(({ changed }) => changed[0]?.ports[1]?.state === 'noCable'));
  expect(watchers).toBe(1);
  reader.close();
  expect(watchers).toBe(0);
});

test('the lights of a port blink, one attempt at a time, if its driver can do that', async () => {
  const { light } = appliance.double;
  const identify = (port: string) => hub.post('/api/network/identify', { port }, as);
  const { ports } = await network();
  const [{ device }] = ports;
  light.hold(true);
  const first = identify('eth1');
  await until(() => light.blinked.length === 1);
  expect(light.blinked).toEqual([device]);
  expect(await identify('eth1')).toMatchObject({ result: 1005, params: { what: 'ETH1' } });
  light.hold(false);
  expect(await first).toMatchObject({ result: 0 });
  expect((await hub.json('/api/log/list?count=1', { as })).list[0]).toMatchObject({ action: 'network.identify' });
  light.setDark(device, true);
  expect(await identify('eth1')).toMatchObject({ result: 9 });
  light.setDark(device, false);
  expect(await identify('eth3')).toMatchObject({ result: 7, fields: [{ path: 'port' }] });
});
