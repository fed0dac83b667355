/**
 * Random trees of groups with random masks, and random changes of them: every call and event topic shows each user what
 * a simple model says, and nothing else.
 */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { DeviceGroup } from '../../contract/device-groups.ts';
import type { Device } from '../../contract/devices.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import { maskOf } from '../../contract/permission.ts';
import type { DeviceCounts } from '../../contract/system.ts';
import { createFleetDouble, identityOf } from '../../devices/fleet-double-for-test.ts';

setDefaultTimeout(60_000);

let remove = () => {};
afterEach(() => remove());

interface Node {
  readonly id: number | string;
  parent: number;
  isInherited: boolean;
  groupMask: number;
  userMask: number;
}
interface Viewer {
  readonly name: string;
  readonly id: number;
  readonly groupId: number;
  readonly isAdmin: boolean;
  readonly as: string;
}

/** What the hub is told, and who sees what by the rules of the specification. */
class Model {
  readonly groups = new Map<number, Node & { readonly name: string }>();
  readonly devices = new Map<string, Node>();
  readonly waiting = new Set<string>();
  readonly hub = { groupMask: 0xffffffff, userMask: 0xffffffff };

  sees(viewer: Viewer, node: Node | undefined): boolean {
    if (viewer.isAdmin) return true;
    if (node?.isInherited) return this.sees(viewer, this.groups.get(node.parent));
    const { groupMask, userMask } = node ?? this.hub;
    return (groupMask & viewer.groupId) !== 0 || (userMask & viewer.id) !== 0;
  }
  sns(viewer: Viewer): string[] {
    const all = [...this.devices.values()].filter((device) => !this.waiting.has(`${device.id}`));
    return all.filter((device) => this.sees(viewer, device)).map(({ id }) => `${id}`);
  }
  /** Devices that are not accepted are in no group, and have no masks of their own. */
  waitingFor = (viewer: Viewer): string[] => (this.sees(viewer, undefined) ? [...this.waiting] : []);
  /** Name of each visible group, with the name of the nearest visible one above. */
  tree(viewer: Viewer): Record<string, string> {
    const seen = [...this.groups.values()].filter((group) => this.sees(viewer, group));
    const above = (id: number): string => {
      const parent = this.groups.get(id);
      return parent === undefined || this.sees(viewer, parent) ? (parent?.name ?? '') : above(parent.parent);
    };
    return Object.fromEntries(seen.map((group) => [group.name, above(group.parent)]));
  }
  groupOf(viewer: Viewer, sn: string): number {
    const group = this.groups.get(this.devices.get(sn)?.parent ?? 0);
    return group !== undefined && this.sees(viewer, group) ? Number(group.id) : 0;
  }
}

const groupCount = 10;
const deviceCount = 20;
const maxDepth = 5;
/** Every permission that a group of users without administrators can have. */
const permissions = maskOf('deviceView', 'deviceControl', 'deviceAdvanced', 'groupView', 'channelEdit', 'systemView');

async function setup(random: () => number) {
  const fleet = createFleetDouble();
  const composed = await composedHub({ devices: fleet, env: { SIGNALBOX_FEATURES: 'devices' } });
  remove = composed.remove;
  composed.hub.start();
  const admin = await composed.signIn('Admin');
  const post = async (path: string, body: object, as = admin) => await composed.post(`/api/${path}`, body, as);
  const get = (path: string, as = admin) => composed.json(`/api/${path}`, { as });
  const done = async (path: string, body: object) => {
    const answer = await post(path, body);
    expect([path, answer.result]).toEqual([path, 0]);
    return answer;
  };
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

  const userNames = ['ann', 'bob', 'cyd', 'dan'];
  for (const name of userNames) await done('usr/add', { name, password: 'a-long-secret' });
  const crews = [['ann', 'bob'], ['cyd'], ['dan']];
  for (const [index, users] of crews.entries())
    await done('usr-group/add', { name: `Crew ${index}`, permissions, users });
  const { users } = await get('usr/list');
  const viewers: Viewer[] = await Promise.all(
    ['Admin', ...userNames].map(async (name) => {
      const user = users.find((one: { name: string }) => one.name === name);
      const as = name === 'Admin' ? admin : await composed.signIn(name, 'a-long-secret');
      return { name, id: user.id, groupId: user['group-id'], isAdmin: name === 'Admin', as };
    }),
  );
  expect(new Set(viewers.map(({ groupId }) => groupId)).size).toBe(4);

  const model = new Model();
  const bits = (of: readonly number[]) => of.reduce((mask, bit) => (random() < 0.35 ? (mask | bit) >>> 0 : mask), 0);
  const masks = () => ({
    groupMask: bits(viewers.slice(1).map(({ groupId }) => groupId)),
    userMask: bits(viewers.slice(1).map(({ id }) => id)),
  });
  const sent = ({ groupMask, userMask }: ReturnType<typeof masks>) => ({
    'group-mask': groupMask,
    'usr-mask': userMask,
  });
  const security = (isInherited = random() < 0.6) => {
    const own = { isInherited, ...masks() };
    return { own, body: { 'is-inherit': own.isInherited, ...sent(own) } };
  };
  const depth = (id: number): number => (id === 0 ? 0 : 1 + depth(model.groups.get(id)?.parent ?? 0));
  const anyGroup = () => any([0, ...model.groups.keys()]);

  const addGroup = async (number: number) => {
    const free = [0, ...model.groups.keys()].filter((id) => depth(id) < maxDepth);
    // The first ones are a chain that inherits from its top.
    const isInChain = number <= maxDepth;
    const parent = isInChain ? (free.at(-1) ?? 0) : any(free);
    const { own, body } = security(isInChain ? number > 1 : undefined);
    const name = `Group ${number}`;
    const { id } = await done('catalog/add', { name, 'parent-id': parent, security: body });
    model.groups.set(id, { id, name, parent, ...own });
  };
  const addDevice = async (number: number) => {
    const [sn, address] = [`SN${number}`, `10.1.0.${number}`];
    fleet.at.set(address, { identity: identityOf(sn), api: 'usapi' });
    const parent = anyGroup();
    await done('device/add', { address, 'catalog-id': parent });
    const { own, body } = security();
    await done('device/security/set', { sn, security: body });
    model.devices.set(sn, { id: sn, parent, ...own });
  };
  const changes = {
    async group() {
      const [id] = [any([...model.groups.keys()])];
      const { own, body } = security();
      await done('catalog/set', { id, security: body });
      Object.assign(model.groups.get(id) ?? {}, own);
    },
    async device() {
      const sn = any([...model.devices.keys()]);
      const { own, body } = security();
      await done('device/security/set', { sn, security: body });
      Object.assign(model.devices.get(sn) ?? {}, own);
    },
    async move() {
      const sns = [...model.devices.keys()].filter((sn) => !model.waiting.has(sn) && random() < 0.2);
      const parent = anyGroup();
      if (sns.length === 0) return;
      await done('device/move', { sn: sns, 'catalog-id': parent });
      for (const sn of sns) Object.assign(model.devices.get(sn) ?? {}, { parent });
    },
    async hub() {
      const own = masks();
      await done('device/global/set', { security: sent(own) });
      Object.assign(model.hub, own);
    },
    async removal() {
      const id = any([...model.groups.keys()]);
      const parent = model.groups.get(id)?.parent ?? 0;
      await done('catalog/del', { id, force: true });
      model.groups.delete(id);
      for (const node of [...model.groups.values(), ...model.devices.values()])
        if (node.parent === id) node.parent = parent;
    },
    async registration() {
      const sn = any([...model.devices.keys()]);
      const isWaiting = model.waiting.has(sn);
      await done(isWaiting ? 'device/accept' : 'device/reject', { sn });
      if (isWaiting) model.waiting.delete(sn);
      else model.waiting.add(sn);
      if (isWaiting) fleet.online(sn, { warnings: ['hot'] });
    },
  };
  for (let number = 1; number <= groupCount; number++) await addGroup(number);
  for (let number = 1; number <= deviceCount; number++) await addDevice(number);
  await until(() => fleet.asked.length === deviceCount);
  for (const { sn } of fleet.asked) fleet.online(sn, { warnings: ['hot'] });
  return { ...composed, fleet, post, get, model, viewers, changes };
}
type World = Awaited<ReturnType<typeof setup>>;

const sorted = (list: Iterable<string>) => [...list].toSorted();
const snsOf = (list: readonly Device[]) => sorted(list.map(({ sn }) => sn));

function sessionOf({ hub }: World, { as }: Viewer) {
  const session = hub.sessions.identify(as, { isUse: true });
  if (!session) throw new Error('not signed in');
  return session;
}

/** Readers of the event stream that are open all the time, with what they have by now. */
function openReaders(world: World, viewer: Viewer) {
  const session = sessionOf(world, viewer);
  const open = <T, K extends string | number>(name: string, keyOf: (one: T) => K) => {
    const topic = world.hub.devices.topics.find((one) => one.name === name);
    if (topic === undefined) throw new Error(`no topic ${name}`);
    const read = readTopic<ObjectsEvent<T, K>>(topic, session);
    return () => {
      const kept = new Map<K, T>();
      for (const { data } of read.messages) {
        for (const one of data.changed) kept.set(keyOf(one), one);
        for (const key of data.removed ?? []) kept.delete(key);
      }
      return kept;
    };
  };
  return {
    devices: open<Device, string>('devices', ({ sn }) => sn),
    groups: open<DeviceGroup, number>('device-groups', ({ id }) => id),
    counts: open<DeviceCounts, number>('device-counts', () => 0),
  };
}

async function expectReads(world: World, viewer: Viewer) {
  const { get, post, model } = world;
  const { as } = viewer;
  const every = [...model.devices.keys()];
  const [mine, waiting] = [sorted(model.sns(viewer)), sorted(model.waitingFor(viewer))];
  const list = async (query: string) => (await get(`device/list?${query}`, as)).list as Device[];

  expect(snsOf(await list(''))).toEqual(mine);
  expect((await get('device/list?count=1', as)).total).toBe(mine.length);
  const pages = await Promise.all([0, 7, 14, 21].map((start) => list(`start=${start}&count=7&sort=name`)));
  expect(snsOf(pages.flat())).toEqual(mine);
  for (const query of ['status=online', 'status=dev-warns', 'dir=input', 'module=2', 'sort=online-state', 'key=sn']) {
    expect([query, snsOf(await list(query))]).toEqual([query, mine]);
  }
  expect(snsOf(await list('reg-state=rejected'))).toEqual(waiting);
  for (const id of [0, ...model.groups.keys()]) {
    const inside = mine.filter((sn) => model.devices.get(sn)?.parent === id);
    expect(snsOf(await list(`catalog=${id}`))).toEqual(inside);
  }
  expect(snsOf((await post('device/list', { sn: every }, as)).list)).toEqual(sorted([...mine, ...waiting]));
  const session = sessionOf(world, viewer);
  const isSeen = (sn: string) => mine.includes(sn) || waiting.includes(sn);
  for (const sn of every) {
    const result = isSeen(sn) ? 0 : 10006;
    for (const call of ['device/query', 'device/log']) {
      expect([call, sn, (await get(`${call}?sn=${sn}`, as)).result]).toEqual([call, sn, result]);
    }
    const picture = world.hub.devices.pictures[0]?.canSee(session, sn);
    expect([sn, picture]).toEqual([sn, isSeen(sn)]);
  }

  const tree = model.tree(viewer);
  const shown = (await get('catalog/list', as)).list as DeviceGroup[];
  const nameOf = (id: number) => shown.find((group) => group.id === id)?.name ?? '';
  const real = shown.filter(({ id }) => id !== 0);
  expect(Object.fromEntries(real.map((group) => [group.name, nameOf(group['parent-id'])]))).toEqual(tree);
  const withDevices = (await get('device/list-with-catalog', as)).list as (DeviceGroup & { list: Device[] })[];
  const places = withDevices.flatMap((group) => group.list.map(({ sn }) => [sn, group.id] as const));
  expect(Object.fromEntries(places)).toEqual(Object.fromEntries(mine.map((sn) => [sn, model.groupOf(viewer, sn)])));
  const { device } = (await get('system/status', as)).status.system;
  expect(device).toMatchObject({ 'num-all': mine.length, 'num-rejected': waiting.length, 'num-warn': mine.length });
}

/** Acts on what the user does not see fail as for what does not exist; none of them changes anything. */
async function expectRefusals({ post, get, model, db }: World, viewer: Viewer) {
  const { as } = viewer;
  const seen = new Set([...model.sns(viewer), ...model.waitingFor(viewer)]);
  const unseen = [...model.devices.keys()].filter((sn) => !seen.has(sn));
  const state = () => db.$client.query('SELECT * FROM devices ORDER BY id').all();
  const before = state();
  const { id: channel } = await post('channel/add', { name: `Of ${viewer.name} ${Math.random()}` });
  for (const sn of unseen) {
    const { dev } = await get(`device/query?sn=${sn}`);
    const calls: readonly (readonly [string, object, number])[] = [
      ['device/favorite', { sn, enable: true }, 10006],
      ['device/config', { sn, config: {} }, 10006],
      ['device/set', { sn, name: 'Taken' }, 10006],
      ['device/connect', { sn, channel }, 10006],
      ['device/accept', { sn }, 10006],
      ['device/reject', { sn: [...seen, sn] }, 10006],
      ['device/del', { sn: [...seen, sn] }, 10006],
      ['channel/input/set', { id: channel, input: dev.id }, 16],
    ];
    for (const [path, body, result] of calls) {
      expect([path, sn, (await post(path, body, as)).result]).toEqual([path, sn, result]);
    }
  }
  for (const { id, name } of model.groups.values()) {
    if (name in model.tree(viewer)) continue;
    const body = { address: '10.9.9.9', 'catalog-id': id };
    expect([name, (await post('device/add', body, as)).result]).toEqual([name, 16]);
  }
  expect(state()).toEqual(before);
  await post('channel/del', { id: channel });
}

test.each([1, 2])('with the random tree %d, users see what the masks say, before and after changes', async (seed) => {
  const random = seededRandom(seed);
  const world = await setup(random);
  const { viewers, model, changes } = world;
  const readers = viewers.map((viewer) => ({ viewer, ...openReaders(world, viewer) }));
  const expectAll = async () => {
    for (const viewer of viewers) await expectReads(world, viewer);
    for (const { viewer, devices, groups, counts } of readers) {
      const all = sorted([...model.sns(viewer), ...model.waitingFor(viewer)]);
      await until(() => sorted(devices().keys()).join() === all.join(), 5000, `the devices of ${viewer.name}`);
      const names = sorted(['', ...Object.keys(model.tree(viewer))]).join();
      const nowNames = () => sorted([...groups().values()].map(({ name }) => name)).join();
      await until(() => nowNames() === names, 5000, `the groups of ${viewer.name}`);
      const number = model.sns(viewer).length;
      await until(() => counts().get(0)?.['num-all'] === number, 5000, `the numbers of ${viewer.name}`);
    }
  };
  await expectAll();
  for (const viewer of viewers.slice(1)) await expectRefusals(world, viewer);
  const kinds = Object.values(changes);
  for (let round = 0; round < 3; round++) {
    for (let step = 0; step < 4; step++) await kinds[Math.floor(random() * kinds.length)]?.();
    await expectAll();
  }
});
