/** Who sees which devices and groups, wherever they are shown: each user against a tree of groups. */
import { afterAll, describe, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { Alarm } from '../../contract/alarms.ts';
import type { DeviceGroup } from '../../contract/device-groups.ts';
import type { Device } from '../../contract/devices.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import { maskOf } from '../../contract/permission.ts';
import type { DeviceCounts } from '../../contract/system.ts';
import { createFleetDouble, identityOf } from '../../devices/fleet-double-for-test.ts';
import type { Topic } from '../../http/topic.ts';
import { alarms } from '../../store/schema.ts';

const fleet = createFleetDouble();
const composed = await composedHub({ devices: fleet, env: { SIGNALBOX_FEATURES: 'devices' } });
afterAll(composed.remove);
const { hub } = composed;
const admin = await composed.signIn('Admin');
const post = (path: string, body: object, as = admin) => composed.post(`/api/${path}`, body, as);
const get = (path: string, as = admin) => composed.json(`/api/${path}`, { as });

/** Users of two custom groups, with every permission that such a group can have. */
const all = maskOf('deviceView', 'deviceControl', 'deviceAdvanced', 'groupView', 'channelEdit');
await post('usr/add', { name: 'ann', password: 'a-long-secret' });
await post('usr/add', { name: 'bob', password: 'a-long-secret' });
const crew = (await post('usr-group/add', { name: 'Crew', permissions: all, users: ['ann'] })).id;
const post2 = (await post('usr-group/add', { name: 'Post', permissions: all, users: ['bob'] })).id;
const users = (await get('usr/list')).users as { id: number; name: string }[];
const idOf = (name: string) => users.find((user) => user.name === name)?.id ?? 0;
const only = (groupMask: number, userMask = 0) => ({
  ...{ 'is-inherit': false, 'group-mask': groupMask, 'usr-mask': userMask },
});
const nobody = only(0);

/** Hall (Crew) > Rack (inherits) > Shelf (only bob); Van (nobody); Roof (as the hub, which is Post). */
const addGroup = async (name: string, parent: number, security?: object): Promise<number> =>
  (await post('catalog/add', { name, 'parent-id': parent, ...(security && { security }) })).id;
const hall = await addGroup('Hall', 0, only(crew));
const rack = await addGroup('Rack', hall);
const shelf = await addGroup('Shelf', rack, only(0, idOf('bob')));
const van = await addGroup('Van', 0, nobody);
const roof = await addGroup('Roof', 0);
await post('device/global/set', { security: { 'group-mask': post2, 'usr-mask': 0 } });

let count = 0;
async function add(sn: string, groupId: number, security?: object): Promise<void> {
  count += 1;
  const address = `10.1.0.${count}`;
  fleet.at.set(address, { identity: identityOf(sn), api: 'usapi' });
  await post('device/add', { address, 'catalog-id': groupId });
  if (security) await post('device/security/set', { sn, security });
}
await add('HALL', hall);
await add('RACK', rack);
await add('SHELF', shelf);
await add('VAN', van);
await add('ROOF', roof);
await add('NONE', 0);
/** Own masks of a device win over those of its group. */
await add('OWN', van, only(crew));
for (const sn of ['WAITING', 'REFUSED'])
  hub.devices.admit({ role: 'device', serial: sn, key: 'key', details: { api: 'usapi' } }, '');
/** A serial number conflict is seen by those who see the device. */
hub.devices.admit({ role: 'device', serial: 'WAITING', key: 'other', details: { api: 'usapi' } }, '');
await post('device/reject', { sn: 'REFUSED' });
await until(() => fleet.asked.length === 7);
for (const { sn } of fleet.asked) fleet.online(sn, { warnings: ['hot'], ethernet: { address: '192.0.2.7' } });

const sessions = { Admin: admin, ann: await composed.signIn('ann', 'a-long-secret'), bob: '' };
sessions.bob = await composed.signIn('bob', 'a-long-secret');
type Name = keyof typeof sessions;

interface Seen {
  readonly devices: string;
  readonly waiting: string;
  readonly groups: Readonly<Record<string, string>>;
}
const expected: Readonly<Record<Name, Seen>> = {
  Admin: {
    devices: 'HALL NONE OWN RACK ROOF SHELF VAN',
    waiting: 'REFUSED WAITING',
    groups: { Hall: '', Rack: 'Hall', Shelf: 'Rack', Van: '', Roof: '' },
  },
  ann: { devices: 'HALL OWN RACK', waiting: '', groups: { Hall: '', Rack: 'Hall' } },
  // The nearest group above the shelf that bob sees is none.
  bob: { devices: 'NONE ROOF SHELF', waiting: 'REFUSED WAITING', groups: { Shelf: '', Roof: '' } },
};
const names = ['Admin', 'ann', 'bob'] as const;
const inOrder = (devices: readonly { readonly sn: string }[]) =>
  devices
    .map(({ sn }) => sn)
    .toSorted()
    .join(' ');

function topicNamed(name: string): Topic {
  const found = hub.devices.topics.find((topic) => topic.name === name);
  if (found === undefined) throw new Error(`no topic ${name}`);
  return found;
}
const session = (name: Name) => {
  const found = hub.sessions.identify(sessions[name], { isUse: true });
  if (found === null || found === undefined) throw new Error(`${name} is not signed in`);
  return found;
};

describe.each([...names])('%s', (name) => {
  const as = sessions[name];
  const seen = expected[name];

  test('sees these devices in lists', async () => {
    expect(inOrder((await get('device/list', as)).list)).toBe(seen.devices);
    expect((await get('device/list?count=1', as)).total).toBe(seen.devices.split(' ').length);
    const waiting = await Promise.all(
      ['waiting', 'rejected'].map(async (state) => (await get(`device/list?reg-state=${state}`, as)).list),
    );
    expect(inOrder(waiting.flat())).toBe(seen.waiting);
    const every = expected.Admin.devices.split(' ');
    expect(inOrder((await post('device/list', { sn: every }, as)).list)).toBe(seen.devices);
    const found = await Promise.all(every.map(async (sn) => (await get(`device/list?key=${sn}`, as)).list));
    expect(inOrder(found.flat())).toBe(seen.devices);
  });

  test('sees these groups, each below the nearest one that is visible, and the devices in them', async () => {
    const { list, total } = await get('catalog/list', as);
    const groups = (list as DeviceGroup[]).filter(({ id }) => id !== 0);
    const nameOf = (id: number) => groups.find((group) => group.id === id)?.name ?? '';
    const tree = Object.fromEntries(groups.map((group) => [group.name, nameOf(group['parent-id'])]));
    expect(tree).toEqual(seen.groups);
    expect(total).toBe(groups.length + 1);
    const withDevices = (await get('device/list-with-catalog', as)).list as { name: string; list: Device[] }[];
    expect(withDevices.map((group) => group.name).toSorted()).toEqual(['', ...Object.keys(seen.groups)].toSorted());
    expect(inOrder(withDevices.flatMap((group) => group.list))).toBe(seen.devices);
  });

  test('finds these devices by name, serial number, address, and group', async () => {
    const find = async (text: string) =>
      inOrder((await get(`device/list?reg-state=any&search=${text}`, as)).list) || 'nothing';
    const sees = (sn: string) => seen.devices.split(' ').includes(sn);
    expect(await find('shel')).toBe(sees('SHELF') ? 'SHELF' : 'nothing');
    // OWN is in the group Van, whose name ann does not see.
    expect(await find('van')).toBe(name === 'Admin' ? 'OWN VAN' : 'nothing');
    expect(await find('10.1.0.')).toBe(seen.devices);
    expect(await find('10.1.0.3')).toBe(sees('SHELF') ? 'SHELF' : 'nothing');
    expect(await find('192.0.2.7')).toBe(seen.devices);
    expect(await find('waiting')).toBe(seen.waiting === '' ? 'nothing' : 'WAITING');
    expect((await get('device/list?search=10.1&count=1', as)).list).toHaveLength(1);
  });

  test('gets the alarms of these devices, whether they are active or not', async () => {
    const row = { channelId: 0, outputId: 0, outputName: '', threshold: 60, peak: 60, raisedAt: 1 } as const;
    const all = [...expected.Admin.devices.split(' '), 'DELETED'];
    composed.db.delete(alarms).run();
    composed.db
      .insert(alarms)
      .values([
        { ...row, kind: 'engine-replaced', channelName: '', clearedAt: 2 },
        { ...row, kind: 'device-offline', channelName: '', clearedAt: 2, peak: 500 },
        ...all.map((sn, at) => ({
          ...({ ...row, kind: 'device-hot', channelName: sn, device: sn, clearedAt: at % 2 === 0 ? 2 : null } as const),
        })),
      ])
      .run();
    const { list, total } = await get('alarm/list', as);
    const isAdmin = name === 'Admin';
    const found = (list as Alarm[]).flatMap(({ device }) => device ?? []);
    expect(found.toSorted().join(' ')).toBe(isAdmin ? `DELETED ${seen.devices}` : seen.devices);
    // The hub's own; what devices had in common says how many there are.
    expect(total - found.length).toBe(isAdmin ? 2 : 1);
    const of = async (query: string) => (await get(`alarm/list?${query}`, as)).total;
    expect(await of('device=VAN')).toBe(isAdmin ? 1 : 0);
    expect(await of('channel=0')).toBe(isAdmin ? 2 : 1);
    expect((await get(`alarm/list?count=2`, as)).total).toBe(total);
    const csv = await (await composed.call('/api/alarm/export', { as })).text();
    expect(csv.includes('VAN')).toBe(isAdmin);
  });

  test('counts these devices', async () => {
    const { device } = (await get('system/status', as)).status.system;
    const number = seen.devices.split(' ').length;
    const half = seen.waiting === '' ? 0 : 1;
    const accepted = { 'num-all': number, 'num-online': number, 'num-offline': 0, 'num-warn': number };
    const counts = { ...accepted, 'limit-num': 5000 };
    const all = (await get('device/clash/list', sessions.Admin)).list as { sn: string }[];
    const visible = `${seen.devices} ${seen.waiting}`.split(' ');
    const clashes = all.filter(({ sn }) => visible.includes(sn)).length;
    expect(clashes > 0).toBe(name !== 'ann');
    expect(device).toEqual({ ...counts, 'num-pending': half, 'num-rejected': half, 'num-clash': clashes });
    const read = readTopic<ObjectsEvent<DeviceCounts>>(topicNamed('device-counts'), session(name));
    expect(read.messages.map(({ data }) => data.changed)).toEqual([[device]]);
    read.close();
  });

  test('gets these devices and groups on the event stream', () => {
    const devices = readTopic<ObjectsEvent<Device, string>>(topicNamed('devices'), session(name));
    const shown = devices.messages.flatMap(({ data }) => data.changed);
    expect(inOrder(shown)).toBe([seen.devices, seen.waiting].join(' ').trim().split(' ').toSorted().join(' '));
    devices.close();
    const groups = readTopic<ObjectsEvent<DeviceGroup>>(topicNamed('device-groups'), session(name));
    const groupNames = groups.messages.flatMap(({ data }) => data.changed.map((group) => group.name));
    expect(groupNames.toSorted()).toEqual(['', ...Object.keys(seen.groups)].toSorted());
    groups.close();
  });

  test('acts on these devices only; the others do not exist for this user', async () => {
    for (const sn of [...expected.Admin.devices.split(' '), ...expected.Admin.waiting.split(' ')]) {
      const isSeen = [...seen.devices.split(' '), ...seen.waiting.split(' ')].includes(sn);
      const result = isSeen ? 0 : 10006;
      expect([sn, (await get(`device/query?sn=${sn}`, as)).result]).toEqual([sn, result]);
      for (const [path, body] of [
        ['device/favorite', { enable: true }],
        ['device/config', { config: {} }],
        ['device/set', { name: `Device ${sn}` }],
      ] as const) {
        const outcome = await post(path, { sn, ...body }, as);
        expect([path, sn, outcome.result]).toEqual([path, sn, result]);
      }
    }
    const [unseen] = expected.Admin.devices.split(' ').filter((sn) => !seen.devices.includes(sn));
    if (unseen === undefined) return;
    for (const path of ['accept', 'reject', 'del']) {
      expect((await post(`device/${path}`, { sn: [unseen] }, as)).result).toBe(10006);
    }
    const at = { address: '10.1.0.99', 'catalog-id': van };
    expect((await post('device/add', at, as)).result).toBe(16);
    expect((await post('device/connect', { sn: unseen, channel: 0 }, as)).result).toBe(10006);
    fleet.at.set('10.1.0.98', { identity: identityOf(unseen), api: 'usapi' });
    const again = await post('device/add', { address: '10.1.0.98' }, as);
    expect([again.result, JSON.stringify(again).includes(`Device ${unseen}`)]).toEqual([1003, false]);
  });
});

test('devices that a reader of the event stream names are watched, as far as it sees them', () => {
  const named = new Set(['HALL', 'VAN', 'nothing']);
  // Calls that query a device hold it for some seconds, too.
  const before = new Map(fleet.holders);
  const read = readTopic<ObjectsEvent<Device, string>>(topicNamed('devices'), session('ann'), named);
  expect(new Map(fleet.holders)).toEqual(new Map(before).set('HALL', (before.get('HALL') ?? 0) + 1));
  expect(read.messages.flatMap(({ data }) => data.changed.map(({ sn }) => sn))).toEqual(['HALL']);
  read.close();
  const all = readTopic<ObjectsEvent<Device, string>>(topicNamed('devices'), session('ann'));
  expect(fleet.holders.get('HALL') ?? 0).toBe(before.get('HALL') ?? 0);
  all.close();
});

test('a reader of the event stream gets what becomes visible, and loses what no longer is', async () => {
  const read = readTopic<ObjectsEvent<Device, string>>(topicNamed('devices'), session('ann'));
  await post('device/security/set', { sn: 'ROOF', security: only(crew) });
  await until(() => read.changes().some(({ changed }) => changed.some(({ sn }) => sn === 'ROOF')));
  await post('catalog/set', { id: hall, security: nobody });
  await until(() => new Set(read.changes().flatMap(({ removed }) => removed)).size >= 2);
  expect(new Set(read.changes().flatMap(({ removed }) => removed))).toEqual(new Set(['HALL', 'RACK']));
  read.close();
  await post('catalog/set', { id: hall, security: only(crew) });
  await post('device/security/set', { sn: 'ROOF', security: { 'is-inherit': 1 } });
  expect(inOrder((await get('device/list', sessions.ann)).list)).toBe(expected.ann.devices);
});

test('the push key is shown to users who may edit the device, others get a flag', async () => {
  const viewers = await post('usr-group/add', { name: 'Viewers', permissions: maskOf('deviceView') });
  await post('usr/add', { name: 'eve', password: 'a-long-secret', 'group-id': viewers.id });
  await post('device/global/set', { security: { 'group-mask': 4294967295 } });
  const eve = await composed.signIn('eve', 'a-long-secret');
  const [mine] = (await get('device/list?key=NONE', admin)).list;
  expect(mine['push-key']).toStartWith('[MGDEV]-NONE-');
  for (const path of ['device/list', 'device/query?sn=NONE', 'device/list-with-catalog', 'device/list?key=NONE']) {
    const text = JSON.stringify(await get(path, eve));
    expect([path, text.includes('[MGDEV]'), text.includes('"push-key-set":true')]).toEqual([path, false, true]);
  }
  // Nor does the user see groups: all devices are in none.
  const { list, total } = await get('device/list-with-catalog', eve);
  expect([total, list.length, list[0].id, list[0]['dev-total']]).toEqual([
    1,
    1,
    0,
    inOrder((await get('device/list', eve)).list).split(' ').length,
  ]);
  expect((await get(`device/list-with-catalog?catalogs=${roof}`, eve)).list).toEqual([]);
  const reader = hub.sessions.identify(eve, { isUse: true });
  const read = readTopic<ObjectsEvent<Device, string>>(topicNamed('devices'), reader ?? undefined);
  expect(JSON.stringify(read.messages)).not.toContain('[MGDEV]');
  read.close();
});

test('masks keep no bits of users and groups that do not exist, or no longer do', async () => {
  await post('device/security/set', {
    sn: 'VAN',
    security: only((crew | 0x80000000) >>> 0, idOf('ann') | idOf('bob')),
  });
  await post('device/favorite', { sn: 'VAN', enable: true }, sessions.bob);
  await post('device/global/set', { security: { 'group-mask': post2 | crew, 'usr-mask': idOf('bob') } });
  const masksOf = async (sn: string) => {
    const { dev } = await get(`device/query?sn=${sn}`);
    return [dev['group-mask'], dev['usr-mask'], (dev['is-favorite'] & idOf('bob')) !== 0];
  };
  expect(await masksOf('VAN')).toEqual([crew, (idOf('ann') | idOf('bob')) >>> 0, true]);
  await post('usr/del', { name: 'bob' });
  expect(await masksOf('VAN')).toEqual([crew, idOf('ann'), false]);
  await post('usr-group/del', { id: crew });
  expect(await masksOf('VAN')).toEqual([0, idOf('ann'), false]);
  expect((await get('device/global/get')).security).toEqual({ 'group-mask': post2, 'usr-mask': 0 });
  const { list } = await get('catalog/list');
  const masks = new Map((list as DeviceGroup[]).map((group) => [group.name, [group['group-mask'], group['usr-mask']]]));
  expect([masks.get('Hall'), masks.get('Shelf'), masks.get('Rack')]).toEqual([
    [0, 0],
    [0, 0],
    [4294967295, 4294967295],
  ]);
});
