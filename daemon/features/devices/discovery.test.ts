import { describe, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { TaskItem } from '../../contract/tasks.ts';
import { deviceHub, encoder } from './device-hub-for-test.ts';

const at = (address: string, more: object = {}) =>
  ({
    ...{ address, name: undefined, model: undefined, maker: undefined, sn: undefined, mac: undefined },
    ...{ api: 'usapi', pin: undefined, by: ['scan'] },
    ...more,
  }) as never;

/** A hub whose network has these devices. */
async function searching(found: Readonly<Record<string, object>> = {}) {
  const hub = await deviceHub();
  for (const [host, one] of Object.entries(found)) hub.fleet.discovers.set(host, at(`http://${host}`, one));
  const state = async (id: number) => (await hub.get(`task/query?id=${id}`)) as { state: string; list: TaskItem[] };
  const begin = async (body: object = {}): Promise<number> => (await hub.post('device/discover', body)).task;
  const ended = async (id: number) => {
    await until(async () => (await state(id)).state !== 'running');
    return await state(id);
  };
  return { ...hub, state, begin, ended };
}

test('what is found are the items of the task, while it runs and afterwards', async () => {
  const hub = await searching({ '10.0.0.8': { name: 'Hall', by: ['mdns', 'scan'] }, '10.0.0.9': { model: 'E1' } });
  const { promise, resolve } = Promise.withResolvers<void>();
  hub.fleet.searching = promise;
  const id = await hub.begin();
  const items = [
    { key: '10.0.0.8', name: 'Hall', state: 'done', device: { address: 'http://10.0.0.8', added: false } },
    { key: '10.0.0.9', name: 'E1', state: 'done', device: { model: 'E1', api: 'usapi', by: ['scan'] } },
  ];
  expect(await hub.state(id)).toMatchObject({
    ...{ kind: 'device.discover', subject: '10.0.0.0/24', state: 'running', unit: 'addresses', total: 254 },
    list: items,
  });
  resolve();
  expect(await hub.ended(id)).toMatchObject({ state: 'done', done: 254, failed: 0, list: items });
  expect(await hub.log()).toContainEqual(expect.stringContaining('device.discover'));
});

test('a canceled search keeps what it found', async () => {
  const hub = await searching({ '10.0.0.8': {} });
  hub.fleet.searching = new Promise(() => {});
  const id = await hub.begin();
  expect(await hub.post('task/cancel', { id })).toMatchObject({ result: 0 });
  expect(await hub.ended(id)).toMatchObject({ state: 'canceled', list: [{ name: '10.0.0.8', state: 'done' }] });
});

test('a device that the hub has is marked: by its address, serial number or MAC address', async () => {
  const hub = await searching({
    '10.0.0.1': {},
    '10.0.0.20': { sn: encoder },
    '10.0.0.21': { mac: 'd0:c8:57:81:00:01' },
    '10.0.0.22': {},
    '10.0.0.23': { mac: 'd0:c8:57:81:00:02', sn: 'other' },
  });
  await hub.add(encoder);
  await until(() => hub.fleet.asked.length === 1);
  hub.fleet.online(encoder, { ethernet: { address: '10.0.0.22', mac: 'D0:C8:57:81:00:01' } });
  const { list } = await hub.ended(await hub.begin());
  expect(list.map(({ device }) => device?.added)).toEqual([true, true, true, true, false]);
});

describe('a search', () => {
  test('is refused while another one runs, and possible after it', async () => {
    const hub = await searching();
    hub.fleet.searching = new Promise(() => {});
    const id = await hub.begin();
    expect(await hub.post('device/discover', {})).toMatchObject({ result: 43 });
    await hub.post('task/cancel', { id });
    hub.fleet.searching = Promise.resolve();
    expect(await hub.ended(await hub.begin())).toMatchObject({ state: 'done' });
  });

  test('of a subnet that is not the hub’s own is refused, with the field', async () => {
    const hub = await searching();
    for (const subnet of ['10.1.0.0/24', '0.0.0.0/0', 'x']) {
      expect(await hub.post('device/discover', { subnet })).toMatchObject({ result: 7, fields: [{ path: 'subnet' }] });
    }
    expect(await hub.post('device/discover', { methods: [] })).toMatchObject({ fields: [{ path: 'methods' }] });
    expect(await hub.ended(await hub.begin({ methods: ['scan'], subnet: '10.0.0.16/28' }))).toMatchObject({
      subject: '10.0.0.16/28',
    });
  });

  test('keeps a limited number of results', async () => {
    const hub = await searching();
    for (let host = 0; host < 1100; host++)
      hub.fleet.discovers.set(`10.0.${host >> 8}.${host & 255}`, at('http://10.0.0.1'));
    expect((await hub.ended(await hub.begin())).list).toHaveLength(1000);
  });
});
