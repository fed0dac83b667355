/** Two devices with one serial number: the other one is kept for review, and attached only by a decision. */
import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { DeviceClash } from '../../contract/device-clashes.ts';
import { limits } from '../../contract/limits.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { deviceHub } from './device-hub-for-test.ts';

type Setup = Awaited<ReturnType<typeof deviceHub>>;
const listed = async ({ get }: Setup): Promise<DeviceClash[]> => (await get('device/clash/list')).list;

test('an agent with another key is raised for review, with both sides, and not attached', async () => {
  const hub = await deviceHub();
  hub.apply('A');
  expect(hub.apply('A', 'other', {}, '192.0.2.7')).toEqual({ state: 'exists' });
  expect(hub.apply('A', 'other', {}, '192.0.2.7')).toEqual({ state: 'exists' });
  const [clash, ...others] = await listed(hub);
  expect(others).toEqual([]);
  expect(clash).toMatchObject({
    ...{ sn: 'A', count: 1 },
    present: { link: 'agent', name: 'Device A' },
    other: { link: 'agent', address: '192.0.2.7', name: 'Device A' },
  });
  expect(clash!.present.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(clash!.other.fingerprint).not.toBe(clash!.present.fingerprint);
  expect(hub.lines.filter((line) => line.includes('states the serial number of a known device'))).toHaveLength(1);
  const waiting = async () => (await hub.get('system/status')).status.system.device['num-clash'];
  expect(await waiting()).toBe(1);
  await hub.post('device/clash/decide', { id: clash!.id, choice: 'keep' });
  expect(await waiting()).toBe(0);
  expect(hub.apply('A')).toEqual({ state: 'waiting' });
});

test('a device at another address is raised when a user adds it; the same address is only refused', async () => {
  const hub = await deviceHub();
  await hub.add('A');
  hub.fleet.at.set('10.9.9.9', { identity: identityOf('A'), api: 'usapi' });
  const other = { address: '10.9.9.9', user: 'new', password: 'of-the-new-one' };
  expect(await hub.post('device/add', other)).toMatchObject({ result: 1003 });
  expect(await hub.post('device/add', { address: '10.0.0.1' })).toMatchObject({ result: 1003 });
  const [clash, ...others] = await listed(hub);
  expect(others).toEqual([]);
  expect(clash).toMatchObject({ present: { address: '10.0.0.1' }, other: { link: 'direct', address: '10.9.9.9' } });
  const rows = JSON.stringify(hub.db.$client.query('SELECT * FROM device_clashes').all());
  expect(rows + JSON.stringify(clash)).not.toContain('of-the-new-one');
  await until(() => hub.fleet.asked.length === 1);
  expect(await hub.post('device/clash/decide', { id: clash!.id, choice: 'replace' })).toEqual({ result: 0 });
  expect(await hub.query('A')).toMatchObject({ address: '10.9.9.9', user: 'new' });
  expect(hub.fleet.asked[0]?.credentials).toEqual({ user: 'new', password: 'of-the-new-one' });
  expect(await listed(hub)).toEqual([]);
});

test('a decision keeps the present device, replaces it, or puts it off', async () => {
  const hub = await deviceHub();
  hub.apply('A', 'first');
  hub.apply('A', 'second');
  const decide = async (choice: string) => {
    const [clash] = await listed(hub);
    expect(await hub.post('device/clash/decide', { id: clash!.id, choice })).toEqual({ result: 0 });
    expect(await hub.post('device/clash/decide', { id: clash!.id, choice })).toMatchObject({ result: 16 });
  };
  await decide('dismiss');
  hub.apply('A', 'second');
  expect(await listed(hub)).toHaveLength(1);
  await decide('keep');
  expect(hub.apply('A', 'second')).toEqual({ state: 'exists' });
  expect(await listed(hub)).toEqual([]);
  hub.apply('A', 'third');
  await decide('replace');
  expect(hub.apply('A', 'third')).toEqual({ state: 'waiting' });
  // The one that was replaced is now the other one.
  expect(hub.apply('A', 'first')).toEqual({ state: 'exists' });
  expect(await listed(hub)).toHaveLength(1);
  expect((await hub.log()).filter((line) => line.includes('Other'))).toHaveLength(3);
  await hub.post('device/del', { sn: 'A' });
  expect(await listed(hub)).toEqual([]);
});

test('a flood of keys is bounded, for one device and in all, and needs the invitation code', async () => {
  const hub = await deviceHub();
  await hub.post('settings/set', { security: { 'enable-code': true, 'code-value': '4711' } });
  hub.apply('A');
  expect(hub.apply('A', 'x', { invitationCode: '1' })).toEqual({ state: 'wrongCode' });
  expect(await listed(hub)).toEqual([]);
  for (let key = 0; key < 50; key++) hub.apply('A', `key ${key}`);
  expect(await listed(hub)).toHaveLength(limits.deviceClashes.perDevice);
  const { ids } = hub.db.$client.query<{ ids: number }, []>('SELECT max(id) ids FROM device_clashes').get()!;
  // Ten in a minute were written.
  expect(ids).toBe(10);
});

test('a device that the user may not see is in no conflict for them', async () => {
  const hub = await deviceHub();
  await hub.add('A');
  hub.apply('A', 'other');
  await hub.post('usr/add', { name: 'ann', password: 'a-long-secret' });
  await hub.post('usr-group/add', { name: 'Crew', permissions: 0x1f, users: ['ann'] });
  await hub.post('device/security/set', { sn: 'A', security: { 'is-inherit': 0, 'group-mask': 0, 'usr-mask': 0 } });
  const ann = await hub.signIn('ann', 'a-long-secret');
  expect((await hub.get('device/clash/list', ann)).list).toEqual([]);
  const [clash] = await listed(hub);
  expect(await hub.post('device/clash/decide', { id: clash!.id, choice: 'replace' }, ann)).toMatchObject({
    result: 16,
  });
});
