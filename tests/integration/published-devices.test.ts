/**
 * The calls of the published API for devices and their groups, as a script makes them with curl: with the documented
 * parameters and payloads, expecting the documented members, orders and codes. Additional members are extensions.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { dialLink } from '../../daemon/link/dial.ts';
import { createIdentity } from '../../daemon/link/identity.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { until } from '../support/until.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { type ApiResponse, expectShape, type Json, publishedCalls, type Shape } from './published-calls.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
let cookie = '';
const { asked, sent, good } = publishedCalls(() => ({ url: hub.url, cookie }));

const ending = new AbortController();
const hall = new UsapiDevice({ kind: 'encode', sn: 'B313240506001', name: 'Hall' });
const lobby = new MwapiDevice({ kind: 'decoder', sn: 'A421240212002', name: 'Lobby' });
const arena = new UsapiDevice({ kind: 'stream', sn: 'A302240506003', name: 'arena 2' });
const served = [hall, lobby, arena].map((device) => serveDevice(device));
const [waiting, rejected] = ['B313240506004', 'B313240506005'] as const;

/** Its agent applies. */
const apply = (serial: string) =>
  dialLink({
    url: `ws://127.0.0.1:${hub.ports.link}/link`,
    identity: createIdentity(),
    claim: () => ({ role: 'device', serial, details: { name: `Applicant ${serial}`, api: 'usapi', productId: '787' } }),
    hubKey: undefined,
    allowsPort: () => false,
    onState: () => {},
    signal: ending.signal,
  });

const list = async (query = ''): Promise<string[]> => {
  const answer = await asked(`/api/device/list?${query}`);
  expect({ query, ...answer }).toMatchObject({ query, result: 0 });
  return (answer.list as ApiResponse[]).map(({ sn }) => `${sn}`);
};
const sorted = (sns: readonly string[]) => sns.toSorted();
const all = [hall.sn, lobby.sn, arena.sn];

beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' }, timeDivisor: 5 });
  const pass = createHash('md5').update(adminPassword).digest('hex');
  const { token } = await sent('/api/login', { id: 'Admin', pass });
  cookie = `mwcloud-sid=${token}; mwcloud-uid=Admin`;
  // How devices are added is not published.
  for (const { address } of served) {
    await good('/api/device/add', { address: `${address.host}:${address.port}`, user: 'Admin', password: 'Admin' });
  }
  for (const sn of [waiting, rejected]) void apply(sn);
  await until(async () => (await list('reg-state=waiting')).length === 2);
  await good('/api/device/reject', { sn: [rejected] });
  await until(async () => (await list('status=online')).length === 3);
});
afterAll(async () => {
  ending.abort();
  await hub.stop();
  await Promise.all(served.map(({ close }) => close()));
});

const deviceShape: Shape = {
  ...{ id: 'number', sn: 'string', name: 'string', 'reg-state': 'number', 'apply-date': 'number' },
  ...{ 'online-date': 'number', 'catalog-id': 'number', module: 'number', 'module-name': 'string' },
  ...{ 'product-id': 'number', 'dev-type': 'number', 'hardware-ver': 'string', 'firmware-ver': 'string' },
  ...{ dir: 'number', 'dev-warns': 'number', 'group-mask': 'number', 'usr-mask': 'number', 'is-inherit': 'number' },
  ...{ 'is-favorite': 'number', 'is-upload-file': 'number', 'upload-file-pos': 'number', 'preview-id': 'string' },
  ...{ 'push-key': 'string', 'pro-feature': {}, status: { 'cur-status': 'number', cpu: 'list', 'eth-rx': 'list' } },
};

describe('device/list', () => {
  test('has the documented members, the number of all, and the global configuration on request', async () => {
    const answer = await asked('/api/device/list?start=0&count=10&global-config=1');
    expectShape(answer, { result: 'number', start: 'number', total: 'number', list: 'list', 'global-config': {} });
    const found = (answer.list as ApiResponse[]).find(({ sn }) => sn === hall.sn);
    expectShape(found, { ...deviceShape, status: { ...(deviceShape.status as Shape), eth: 'string' } });
    expect(found).toMatchObject({
      ...{ 'reg-state': 101, module: 2, 'module-name': 'Ultra Encode AIO', 'product-id': 787, dir: 256 },
      ...{ 'hardware-ver': 'B', 'catalog-id': 0, 'preview-id': `DEV-${hall.sn}`, config: null, 'is-inherit': 1 },
      'push-key': expect.stringMatching(/^\[MGDEV\]-B313240506001-[0-9a-f]{8,}$/),
      'pro-feature': { input: expect.stringMatching(/^1920x1080p, \d+\.00 Hz$/) },
    });
  });

  test('filters by each parameter, and by all of them together', async () => {
    await good('/api/device/favorite', { sn: [lobby.sn], enable: true });
    const { id } = await good('/api/catalog/add', { id: 0, param: 'Filtered' });
    await good('/api/catalog/set', { id: id!, devices: [arena.sn] });
    hall.hasSignal = false;
    await until(async () => (await list('status=dev-warns')).length > 0);
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['', all],
      ['reg-state=accepted', all],
      ['reg-state=waiting', [waiting]],
      ['reg-state=rejected', [rejected]],
      [`catalog=${id}`, [arena.sn]],
      ['catalog=0', [hall.sn, lobby.sn]],
      [`reg-state=waiting&catalog=${id}`, [waiting]],
      ['module=2', [hall.sn]],
      ['module=4', [lobby.sn]],
      ['module=0', all],
      ['is-favorite=1', [lobby.sn]],
      ['is-favorite=0', all],
      ['dir=input', [hall.sn, arena.sn]],
      ['dir=output', [lobby.sn]],
      ['dir=', all],
      ['status=dev-warns', [hall.sn]],
      ['status=offline', []],
      ['status=warns', []],
      ['status=dev-warns,offline,warns', [hall.sn]],
      ['status=', all],
      ['key=a421', [lobby.sn]],
      ['key=HALL', [hall.sn]],
      ['key=arena%202', [arena.sn]],
      ['key=', all],
      ['key=nothing', []],
      ['dir=input&status=dev-warns&key=ha&module=2&is-favorite=0', [hall.sn]],
      ['dir=output&status=dev-warns', []],
    ];
    for (const [query, sns] of cases) expect([query, sorted(await list(query))]).toEqual([query, sorted(sns)]);
    hall.hasSignal = true;
    await until(async () => (await list('status=dev-warns')).length === 0);
    await good('/api/catalog/del', { id: id!, force: true });
  });

  test('sorts by each key in both orders, and pages', async () => {
    const orders = {
      sn: [arena.sn, lobby.sn, hall.sn],
      name: [arena.sn, hall.sn, lobby.sn],
      time: [hall.sn, lobby.sn, arena.sn],
    };
    for (const [sort, sns] of Object.entries(orders)) {
      expect([sort, await list(`sort=${sort}&order=ascending`)]).toEqual([sort, sns]);
      expect([sort, await list(`sort=${sort}&order=descending`)]).toEqual([sort, sns.toReversed()]);
    }
    await served[1]!.switchOff();
    await until(async () => (await list('status=offline')).length === 1);
    expect((await list('sort=online-state&order=ascending')).at(-1)).toBe(lobby.sn);
    expect((await list('sort=online-state&order=descending'))[0]).toBe(lobby.sn);
    served[1]!.switchOn();
    await until(async () => (await list('status=online')).length === 3);
    const page = await asked('/api/device/list?start=1&count=1&sort=sn&order=ascending');
    expect(page).toMatchObject({ start: 1, total: 3, list: [{ sn: lobby.sn }] });
    expect(await asked('/api/device/list?start=9&count=1')).toMatchObject({ result: 0, total: 3, list: [] });
  });

  test('refuses what it does not know', async () => {
    for (const query of ['reg-state=all', 'sort=size', 'order=up&sort=sn', 'status=broken', 'dir=both', 'start=-1']) {
      expect([query, (await asked(`/api/device/list?${query}`)).result]).toEqual([query, 7]);
    }
  });

  test('as POST, returns the named devices, whatever the parameters of the address', async () => {
    const path = '/api/device/list?status=waiting&start=0&count=1';
    const answer = await sent(path, { sn: [hall.sn, waiting, rejected, 'NONE'] });
    expectShape(answer, { result: 'number', list: 'list', 'global-config': {} });
    expect((answer.list as ApiResponse[]).map((one) => `${one.sn} ${one['reg-state']}`)).toEqual([
      ...[`${hall.sn} 101`, `${waiting} 103`, `${rejected} 102`],
    ]);
  });
});

test('device/query returns one device, with the global configuration on request', async () => {
  const answer = await asked(`/api/device/query?sn=${lobby.sn}&global-config=1`);
  expectShape(answer, { result: 'number', dev: deviceShape, 'global-config': {} });
  expect(await asked(`/api/device/query?sn=${lobby.sn}`)).not.toHaveProperty('global-config');
  expect(await asked('/api/device/query?sn=NONE')).toMatchObject({ result: 10006 });
});

test('device/list-with-catalog pages groups and the devices in them, in the documented order', async () => {
  const { id } = await good('/api/catalog/add', { id: 0, param: 'Stage' });
  await good('/api/catalog/set', { id: id!, devices: all });
  const groups = async (query: string) => {
    const { list: found, total } = await asked(`/api/device/list-with-catalog?${query}`);
    return {
      total,
      groups: (found as ApiResponse[]).map((one) => [one.id, (one.list as ApiResponse[]).map(({ sn }) => sn)]),
    };
  };
  const { list: whole } = await asked('/api/device/list-with-catalog');
  for (const group of whole as ApiResponse[])
    expectShape(group, { id: 'number', name: 'string', 'group-mask': 'number', 'is-inherit': 'number', list: 'list' });
  // Those that were accepted last are first.
  const newest = [arena.sn, lobby.sn, hall.sn];
  expect(await groups(`catalogs=${id}`)).toEqual({ total: 1, groups: [[id!, newest]] });
  expect(await groups(`catalogs=0,${id}`)).toMatchObject({ total: 2 });
  expect((await groups('start=1&count=1')).groups).toEqual([[id!, newest]]);
  expect((await groups(`catalogs=${id}&dev-start=1&dev-count=1`)).groups).toEqual([[id!, [lobby.sn]]]);
  await served[2]!.switchOff();
  await until(async () => (await list('status=offline')).length === 1);
  expect((await groups(`catalogs=${id}`)).groups).toEqual([[id!, [lobby.sn, hall.sn, arena.sn]]]);
  served[2]!.switchOn();
  await until(async () => (await list('status=online')).length === 3);
  await good('/api/catalog/set', { id: 0, devices: all });
  await good('/api/catalog/del', { id: id! });
});

test('device/accept and device/del work for devices in each state', async () => {
  expect(await sent('/api/device/accept', { sn: ['NONE'] })).toMatchObject({ result: 10006 });
  await good('/api/device/accept', { sn: [rejected] });
  expect(await list('reg-state=rejected')).toEqual([]);
  await good('/api/device/reject', { sn: [waiting] });
  await good('/api/device/del', { sn: [waiting, rejected] });
  expect(sorted(await list())).toEqual(sorted(all));
  expect(await sent('/api/device/del', { sn: [waiting] })).toMatchObject({ result: 10006 });
});

test('device/config sets both directions, clears what is missing, and knows no other protocols', async () => {
  const config = async ({ sn }: { readonly sn: string }) =>
    ((await asked(`/api/device/query?sn=${sn}`)).dev as ApiResponse).config;
  const input = { protocol: 2, latency: 200, 'stream-index': 1 };
  const output = { protocol: 1, 'buffer-ms': 300 };
  await good('/api/device/config', { sn: [hall.sn, lobby.sn], config: { input, output } });
  expect(await config(hall)).toEqual({ input, output });
  expect(await config(lobby)).toEqual({ input, output });
  await good('/api/device/config', { sn: [hall.sn], config: { input: { protocol: 2 } } });
  expect(await config(hall)).toEqual({ input: { protocol: 2, latency: 120, 'stream-index': 0 } });
  await good('/api/device/config', { sn: [hall.sn, lobby.sn], config: {} });
  expect(await config(hall)).toBeNull();
  await good('/api/device/config', { sn: [hall.sn], config: { input: { protocol: 0 } } });
  await good('/api/device/config', { sn: [hall.sn], config: {} });
  expect(await sent('/api/device/config', { sn: [hall.sn], config: { input: { protocol: 3 } } })).toMatchObject({
    result: 7,
  });
});

test('the visibility of one device, and of all', async () => {
  const masks = async () => {
    const { dev } = await asked(`/api/device/query?sn=${hall.sn}`);
    const { 'is-inherit': inherits, 'group-mask': groups, 'usr-mask': users } = dev as ApiResponse;
    return [inherits, groups, users];
  };
  await good('/api/device/security/set', {
    sn: hall.sn,
    security: { 'is-inherit': 0, 'group-mask': 7, 'usr-mask': 1 },
  });
  expect(await masks()).toEqual([0, 7, 1]);
  await good('/api/device/security/set', { sn: hall.sn, security: { 'is-inherit': 1 } });
  expect((await masks())[0]).toBe(1);
  await good('/api/device/global/set', { security: { 'group-mask': 7, 'usr-mask': 0 } });
  expect(await asked('/api/device/global/get')).toMatchObject({ security: { 'group-mask': 7, 'usr-mask': 0 } });
});

describe('catalog', () => {
  const groups = async () => (await asked('/api/catalog/list')).list as ApiResponse[];

  test('list has the documented members, the newest group first, and the devices in no group', async () => {
    const added: Json[] = [];
    for (const param of ['One', 'Two', 'Three']) {
      const { id } = await good('/api/catalog/add', { id: added[0] ?? 0, param });
      added.push(id ?? 0);
    }
    const answer = await asked('/api/catalog/list');
    expect(answer).toMatchObject({ result: 0, total: 4 });
    for (const group of answer.list as ApiResponse[]) {
      expectShape(group, {
        ...{ id: 'number', name: 'string', 'is-inherit': 'number', 'group-mask': 'number', 'usr-mask': 'number' },
        'create-time': 'number',
      });
    }
    expect((answer.list as ApiResponse[]).map(({ id }) => id)).toEqual([...added.toReversed(), 0]);
    expect((await groups()).find(({ name }) => name === 'Two')).toMatchObject({ 'parent-id': added[0]! });
    await good('/api/catalog/del', { id: added[2]! });
    await good('/api/catalog/del', { id: added[1]! });
    await good('/api/catalog/del', { id: added[0]! });
  });

  test('set moves devices and sets who sees them; rename and del', async () => {
    const { id = 0 } = await good('/api/catalog/add', { id: 0, param: 'Van' });
    const security = { 'is-inherit': 0, 'group-mask': 3, 'usr-mask': 1 };
    await good('/api/catalog/set', { id, devices: [hall.sn], security });
    expect((await groups())[0]).toMatchObject({ id, ...security });
    expect(await list(`catalog=${id}`)).toEqual([hall.sn]);
    await good('/api/catalog/set', { id: 0, devices: [hall.sn], security: { 'group-mask': 7, 'usr-mask': 0 } });
    expect(await list(`catalog=${id}`)).toEqual([]);
    expect((await groups()).at(-1)).toMatchObject({ id: 0, 'group-mask': 7, 'usr-mask': 0 });
    await good('/api/catalog/rename', { id, param: 'Truck' });
    expect((await groups())[0]).toMatchObject({ id, name: 'Truck' });
    expect(await sent('/api/catalog/rename', { id: 9999, param: 'X' })).toMatchObject({ result: 16 });
    await good('/api/catalog/del', { id });
    expect(await sent('/api/catalog/set', { id, devices: [] })).toMatchObject({ result: 16 });
  });
});

test('the calls need a session, and calls of this version only', async () => {
  const kept = cookie;
  cookie = '';
  for (const path of [
    'device/list',
    'device/query?sn=x',
    'device/list-with-catalog',
    'device/global/get',
    'catalog/list',
  ])
    expect([path, (await asked(`/api/${path}`)).result]).toEqual([path, 37]);
  cookie = kept;
  const { result } = await sent('/api/license/activate', {});
  expect(result).toBe(5);
});
