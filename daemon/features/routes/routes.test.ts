import { afterAll, beforeEach, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { until } from '../../../tests/support/until.ts';
import { createApplianceDouble } from '../../appliance/double-for-test.ts';
import { limits } from '../../contract/limits.ts';

const appliance = createApplianceDouble();
const { routes } = appliance.double;
const hub = await composedHub({ env: { SIGNALBOX_VARIANT: 'hardware' }, appliance });
const as = await hub.signIn('Admin');
afterAll(() => hub.remove());
beforeEach(async () => {
  routes.run(true);
  routes.connect({ eth1: '192.168.50.20/24', eth2: '10.77.0.20/24' });
  await routes.port.write({ devices: {}, routes: [] });
});

const office = { destination: '10.20.0.0/16', gateway: '192.168.50.1', interface: 'eth1' };
const post = (path: string, body: object, ip = '192.168.50.7') =>
  hub.json(`/api/route/${path}`, { method: 'POST', body, as, ip });
const list = () => hub.json('/api/route/list', { as });
const faultOf = async (change: object) => {
  const { result, fields } = await post('add', { ...office, ...change });
  return result === 0 ? undefined : `${fields?.[0]?.path} ${fields?.[0]?.rule}`;
};

test('a route is added, listed with its state, changed and deleted, and each change is recorded', async () => {
  expect(await post('add', office)).toMatchObject({ result: 0, 'confirm-by-s': 0 });
  const { list: shown, interfaces } = await list();
  expect(shown).toEqual([{ id: '10.20.0.0/16', ...office, active: true }]);
  expect(interfaces.map(({ id }: { id: string }) => id)).toEqual(['eth1', 'eth2']);
  await post('set', { id: '10.20.0.0/16', gateway: '192.168.50.2' });
  expect(routes.stored()).toEqual([{ ...office, gateway: '192.168.50.2', interface: 'eth1' }]);
  await post('del', { id: '10.20.0.0/16' });
  expect((await list()).list).toEqual([]);
  const { list: log } = await hub.json('/api/log/list', { as });
  expect(
    log.slice(0, 3).map(({ action, detail }: { action: string; detail: string }) => `${action}: ${detail}`),
  ).toEqual([
    'route.del: 10.20.0.0/16',
    'route.set: 10.20.0.0/16: gateway 192.168.50.2',
    'route.add: 10.20.0.0/16: gateway 192.168.50.1, interface ETH1',
  ]);
});

test('N16: a second route to a destination is refused as a duplicate, in any spelling', async () => {
  await post('add', office);
  expect(await post('add', { ...office, interface: 'eth2', gateway: '10.77.0.1' })).toMatchObject({
    result: 1003,
    fields: [{ path: 'destination', rule: 'routeExists' }],
  });
  await post('add', { ...office, destination: '203.0.113.7' });
  expect(await post('add', { ...office, destination: '203.0.113.7/32' })).toMatchObject({ result: 1003 });
});

test('N16: the default route, own networks and unknown interfaces are refused at their fields, and nothing is written', async () => {
  expect(await faultOf({ destination: '0.0.0.0/0' })).toBe('destination defaultRoute');
  expect(await faultOf({ destination: '192.168.50.0/24' })).toBe('destination ownNet');
  expect(await faultOf({ destination: '192.168.50.128/25' })).toBe('destination ownNet');
  expect(await faultOf({ destination: '10.77.0.9' })).toBe('destination ownNet');
  expect(await faultOf({ destination: '127.0.0.0/8' })).toBe('destination reservedNet');
  expect(await faultOf({ destination: '10.20.1.1/16' })).toBe('destination hostBits');
  expect(await faultOf({ destination: '10.0.0.0/8; reboot' })).toBe('destination destination');
  expect(await faultOf({ interface: 'eth3' })).toBe('interface networkInterface');
  expect(await faultOf({ interface: 'lo' })).toBe('interface networkInterface');
  expect(await faultOf({ gateway: '10.77.0.1' })).toBe('gateway routeGateway');
  expect(await faultOf({ gateway: '192.168.50.20' })).toBe('gateway routeGateway');
  expect(await faultOf({ gateway: '192.168.50.255' })).toBe('gateway routeGateway');
  expect(await faultOf({ gateway: 'router' })).toBe('gateway ipv4');
  expect(routes.stored()).toEqual([]);
  // A larger network around an own one takes nothing away from it.
  expect(await faultOf({ destination: '192.168.0.0/16' })).toBeUndefined();
});

test('a route can be prepared for a port without a connection', async () => {
  routes.connect({ eth1: '192.168.50.20/24' });
  await post('add', { destination: '172.20.0.0/16', gateway: '10.77.0.1', interface: 'eth2' });
  expect((await list()).list).toMatchObject([{ interface: 'eth2', active: false }]);
});

test('a change of how the caller is reached waits for a confirmation, and is undone without it', async () => {
  const caller = '10.20.5.5';
  const answer = await post('add', office, caller);
  expect(answer).toMatchObject({ result: 0, 'confirm-by-s': 60 });
  await until(async () => (await list()).list.length === 1);
  expect(routes.stored()).toEqual([]);
  // Another change does not interfere.
  expect(await post('add', { ...office, destination: '172.16.0.0/12' })).toMatchObject({ result: 1004 });
  await hub.json('/api/network/cancel', { method: 'POST', body: {}, as });
  expect((await list()).list).toEqual([]);
});

test('a confirmed change lasts; one without a safety net needs the risk to be accepted', async () => {
  const caller = '10.20.5.5';
  const { token } = await post('add', office, caller);
  await until(async () => (await list()).list.length === 1);
  expect(await hub.json('/api/network/confirm', { method: 'POST', body: { token } })).toMatchObject({ result: 0 });
  expect(routes.stored()).toMatchObject([office]);
  const bare = { id: '10.20.0.0/16', 'confirm-within': 0 };
  expect(await post('del', bare, caller)).toMatchObject({ result: 7, fields: [{ path: 'accept-risk' }] });
  expect(await post('del', { ...bare, 'accept-risk': true }, caller)).toMatchObject({ result: 0, 'confirm-by-s': 0 });
  expect(routes.stored()).toEqual([]);
});

test('a caller in a network of the hub is never cut off by a route, and nothing has to be confirmed', async () => {
  expect(await post('add', { ...office, destination: '192.0.0.0/8' }, '192.168.50.7')).toMatchObject({
    'confirm-by-s': 0,
  });
  expect(await post('add', { ...office, destination: '172.16.0.0/12' }, '2001:db8::7')).toMatchObject({
    'confirm-by-s': 0,
  });
});

test('there is a limit of routes', async () => {
  const many = Array.from({ length: limits.routes }, (_, at) => ({
    ...{ destination: `10.30.${at}.0/24`, gateway: '192.168.50.1', interface: 'eth1' as const },
  }));
  await routes.port.write({ devices: {}, routes: many });
  expect(await post('add', office)).toMatchObject({ result: 17 });
});

test('without NetworkManager, the list says what is missing, and a change names it', async () => {
  routes.run(false);
  expect(await list()).toMatchObject({ result: 0, list: [], missing: [{ part: 'networkManager', fault: 'absent' }] });
  expect(await post('add', office)).toMatchObject({ result: 9, params: { part: 'networkManager' } });
});
