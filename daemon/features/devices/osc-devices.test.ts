/** Devices of the driver `v1`: what is stored and shown, and what is refused. */
import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { families } from '../../contract/device-catalog.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { deviceHub, encoder } from './device-hub-for-test.ts';

const address = 'http://10.0.0.9:8080';

async function setUp() {
  const hub = await deviceHub();
  hub.fleet.at.set(address, { identity: identityOf('', { api: 'v1', 'product-id': 0, model: 'Director' }), api: 'v1' });
  const addOsc = (more: object = {}) => hub.post('device/add', { driver: 'v1', address: '10.0.0.9', ...more });
  return { ...hub, addOsc };
}

test('it is a Director with a serial number of its own, and is asked at both of its ports', async () => {
  const { addOsc, query, sns, fleet, log } = await setUp();
  const { list } = await addOsc({ name: 'Stage', 'osc-port': 7000 });
  const [sn = ''] = await sns();
  expect(list).toEqual([{ address: '10.0.0.9', sn, result: 0 }]);
  expect(sn).toMatch(/^V[0-9A-F]{16}$/);
  expect(await query(sn)).toMatchObject({
    ...{ name: 'Stage', module: families.director, driver: 'v1', address, 'osc-port': 7000, 'password-set': false },
  });
  await until(() => fleet.asked.length === 1);
  expect(fleet.asked[0]).toMatchObject({ sn, api: 'v1', described: { sn, name: 'Stage' } });
  expect((await log())[0]).toBe(`device.add: Stage: ${sn}, ${address}`);
});

test('the port of OSC has a default, the name is the address, and the same device is there once', async () => {
  const { addOsc, query, sns, post, fleet } = await setUp();
  await addOsc();
  const [sn = ''] = await sns();
  expect(await query(sn)).toMatchObject({ name: '10.0.0.9', 'osc-port': 8000 });
  expect(await addOsc({ address: 'http://10.0.0.9:8080', 'osc-port': 9 })).toMatchObject({ result: 1003 });
  fleet.at.set('http://10.0.0.9:81', { identity: identityOf(''), api: 'v1' });
  expect(await addOsc({ address: '10.0.0.9:81' })).toMatchObject({ list: [{ result: 0 }] });
  expect(await sns()).toHaveLength(2);
  expect(await post('device/clash/list', {})).not.toMatchObject({ total: 1 });
});

test('what the API does not have is refused with the name of the field', async () => {
  const { addOsc, add, post, sns } = await setUp();
  for (const [path, value] of Object.entries({ user: 'Admin', password: 'x', snapshot: '/a.jpg' })) {
    expect(await addOsc({ [path]: value })).toMatchObject({ result: 7, fields: [{ path, rule: 'unsupported' }] });
  }
  expect(await addOsc({ 'osc-port': 0 })).toMatchObject({ result: 7, fields: [{ path: 'osc-port' }] });
  await add(encoder);
  expect(await post('device/set', { sn: encoder, 'osc-port': 7000 })).toMatchObject({
    ...{ result: 7, fields: [{ path: 'osc-port', rule: 'unsupported' }] },
  });
  expect(await add('B313220914009', { 'osc-port': 7000 })).toMatchObject({ fields: [{ path: 'osc-port' }] });
  expect(await sns()).toEqual([encoder]);
});

test('a change of address or port leads to a new session, and the serial number stays', async () => {
  const { addOsc, query, sns, post, fleet, log } = await setUp();
  await addOsc();
  const [sn = ''] = await sns();
  await until(() => fleet.asked.length === 1);
  const before = fleet.asked[0]?.described;
  expect(await post('device/set', { sn, name: 'Stage' })).toMatchObject({ result: 0 });
  expect(fleet.asked[0]?.described).toBe(before!);
  expect(await post('device/set', { sn, address: '10.0.0.10', 'osc-port': 7002 })).toMatchObject({ result: 0 });
  expect(fleet.asked[0]?.described).not.toBe(before!);
  expect(await query(sn)).toMatchObject({ sn, address: 'http://10.0.0.10:8080', 'osc-port': 7002 });
  expect((await log())[0]).toBe('device.set: Stage: address http://10.0.0.10:8080, OSC port 7002');
  expect(await post('device/set', { sn, user: 'Admin' })).toMatchObject({ fields: [{ path: 'user' }] });
});

test('a device that is not there is not added', async () => {
  const { addOsc, fleet, sns } = await setUp();
  fleet.at.set(address, new DeviceProblem('unreachable', 'nothing answers'));
  expect(await addOsc()).toMatchObject({ params: { problem: 'unreachable' } });
  expect(await sns()).toEqual([]);
});
