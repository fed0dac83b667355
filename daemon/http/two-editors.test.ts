/** Two people who edit the same object, for every kind of editable object. */
import { afterEach, expect, test } from 'bun:test';
import { composedHub } from '../../tests/fixtures/composed-hub.ts';
import { pngOf } from '../../tests/fixtures/pictures.ts';
import { leasePorts } from '../../tests/support/ports.ts';
import { groupTypes, maskOf } from '../contract/permission.ts';
import { createFleetDouble, identityOf } from '../devices/fleet-double-for-test.ts';

// A change of the web settings opens this port and the next ones.
const httpPort = leasePorts(5);
const rtmpPort = leasePorts(5);

let remove = () => {};
afterEach(() => remove());

async function setup() {
  const devices = createFleetDouble();
  const env = { SIGNALBOX_HTTP_PORT: String(httpPort), SIGNALBOX_FEATURES: 'devices' };
  const hub = await composedHub({ devices, env });
  remove = hub.remove;
  const anna = await hub.addUser('anna', groupTypes.admin);
  const bert = await hub.addUser('bert', groupTypes.admin);
  const get = (path: string) => hub.json(path, { as: anna });
  return { hub, devices, anna, bert, get };
}
type Setup = Awaited<ReturnType<typeof setup>>;

/** How an object is created, read and changed; each requested change is a different one. */
interface Edited {
  readonly make?: (on: Setup) => Promise<number>;
  readonly revision: (on: Setup, id: number) => Promise<number>;
  readonly path: string;
  readonly change: (id: number, turn: number) => object;
  /** The log entry of the first change. */
  readonly logged: string;
}

const url = (turn: number) => ({ type: 1, url: `udp://239.1.2.3:${5000 + turn * 2}` });
const listed = async ({ get }: Setup, path: string, id: number): Promise<number> =>
  (await get(path)).list.find((one: { id: number }) => one.id === id).revision;
const maker =
  (path: string, body: object) =>
  async ({ hub, anna }: Setup): Promise<number> =>
    (await hub.post(path, body, anna)).id;
const ofSettings = (group: string, value: (turn: number) => unknown, logged: string): Edited => ({
  revision: async ({ get }) => (await get('/api/settings/get')).revision[group],
  path: '/api/settings/set',
  change: (_, turn) => ({ [group]: value(turn) }),
  logged,
});
const makeChannel = maker('/api/channel/add', { name: 'Studio' });
const ofChannel = async ({ get }: Setup, id: number): Promise<number> =>
  (await get(`/api/channel/query?id=${id}`)).revision;

const everything: Readonly<Record<string, Edited>> = {
  'a channel': {
    make: makeChannel,
    revision: ofChannel,
    path: '/api/channel/set',
    change: (id, turn) => ({ id, name: `Studio ${turn}` }),
    logged: 'Studio: name Studio 1',
  },
  'the inputs of a channel': {
    make: makeChannel,
    revision: ofChannel,
    path: '/api/channel/input/set',
    change: (id, turn) => ({ id, input: 0, failover: { 'stable-s': 10 + turn } }),
    logged: 'Studio: stable for 11 s',
  },
  'an input': {
    make: maker('/api/input/source/add', { name: 'Camera', config: url(0) }),
    revision: (on, id) => listed(on, '/api/input/source/list', id),
    path: '/api/input/source/set',
    change: (id, turn) => ({ id, name: 'Camera', config: url(turn) }),
    logged: 'Camera: address udp://239.1.2.3:5002',
  },
  'an output': {
    make: maker('/api/output/add', { name: 'Lobby', config: url(0) }),
    revision: (on, id) => listed(on, '/api/output/list', id),
    path: '/api/output/set',
    change: (id, turn) => ({ id, name: 'Lobby', config: url(turn) }),
    logged: 'Lobby: address udp://239.1.2.3:5002',
  },
  'a server': {
    make: maker('/api/server/add', {
      name: 'CDN',
      config: { type: 1, url: 'rtmp://live.example/app', 'main-key': 'x' },
    }),
    revision: (on, id) => listed(on, '/api/server/list', id),
    path: '/api/server/set',
    change: (id, turn) => ({ id, name: `CDN ${turn}` }),
    logged: 'CDN: name CDN 1',
  },
  'a device': {
    async make({ hub, devices }) {
      devices.at.set('10.0.0.1', { identity: identityOf('A'), api: 'usapi' });
      return await hub.post('/api/device/add', { address: '10.0.0.1', name: 'Truck' }, await hub.signIn('Admin'));
    },
    revision: async ({ get }) => (await get('/api/device/query?sn=A')).dev.revision,
    path: '/api/device/set',
    change: (_, turn) => ({ sn: 'A', name: `Truck ${turn}` }),
    logged: 'Truck: name Truck 1',
  },
  'a group of devices': {
    make: maker('/api/catalog/add', { name: 'Stage' }),
    revision: (on, id) => listed(on, '/api/catalog/list', id),
    path: '/api/catalog/rename',
    change: (id, turn) => ({ id, param: `Stage ${turn}` }),
    logged: 'Stage: name Stage 1',
  },
  'what applies to all devices': {
    revision: async ({ get }) => (await get('/api/device/global/get')).revision,
    path: '/api/device/global/set',
    change: (_, turn) => ({ config: { input: { protocol: 2, latency: 100 + turn } } }),
    logged: 'devices: sends over SRT, latency 101 ms, plays as all devices',
  },
  'a user': {
    make: maker('/api/usr/add', { name: 'carl', password: 'a-long-secret' }),
    revision: async ({ get }, id) =>
      (await get('/api/usr/list')).users.find((one: { id: number }) => one.id === id).revision,
    path: '/api/usr/set',
    change: (_, turn) => ({ name: 'carl', nick: `Carl ${turn}` }),
    logged: 'carl: display name Carl 1',
  },
  'a group': {
    make: maker('/api/usr-group/add', { name: 'Crew', permissions: 1024 }),
    revision: async ({ get }, id) =>
      (await get('/api/usr/list')).groups.find((one: { id: number }) => one.id === id).revision,
    path: '/api/usr-group/set',
    change: (id, turn) => ({ id, desc: `Rack ${turn}` }),
    logged: 'Crew: description Rack 1',
  },
  'the alarms of a channel': {
    make: makeChannel,
    revision: async ({ get }, id) => (await get(`/api/alarm/rules?channel=${id}`)).revision,
    path: '/api/alarm/rules/set',
    change: (id, turn) => ({ channel: id, rules: { 'no-audio': { enable: true, seconds: 20 + turn } } }),
    logged: 'Studio: no-audio 21 s',
  },
  'the alarms of devices': {
    revision: async ({ get }) => (await get('/api/alarm/device-rules')).revision,
    path: '/api/alarm/device-rules/set',
    change: (_, turn) => ({ rules: { 'device-offline': { enable: true, seconds: 30 + turn } } }),
    logged: 'device-alarms: device-offline 31 s',
  },
  'the alarm webhook': {
    revision: async ({ get }) => (await get('/api/alarm/webhook')).revision,
    path: '/api/alarm/webhook/set',
    change: (_, turn) => ({ enabled: false, url: `https://hooks${turn}.example/private` }),
    logged: 'alarm-webhook: address https://hooks1.example, enabled false',
  },
  'RTMP settings': ofSettings('rtmp', (turn) => ({ port: rtmpPort + turn }), `rtmp: port ${rtmpPort + 1}`),
  'SRT settings': ofSettings(
    'srt',
    (turn) => ({ latency: 200 + turn }),
    'srt: port 8000, latency 201 ms, not encrypted',
  ),
  'web settings': ofSettings('web', (turn) => ({ 'https-port': httpPort + turn }), `web: http ${httpPort}, https off`),
  'the expiry of sessions': ofSettings('expired-time', (turn) => 30 + turn, 'expired-time: 31 min'),
  'the password rule': ofSettings('pwd-rule', (turn) => ({ length: turn }), 'pwd-rule: password rule length 1'),
  'the invitation code': ofSettings(
    'security',
    (turn) => ({ 'code-value': `000${turn}` }),
    'security: no invitation code needed',
  ),
  'the name of the hub': ofSettings('hub-name', (turn) => `Van ${turn}`, 'hub-name: name Van 1'),
  'the language': ofSettings('language', (turn) => (turn % 2 ? 'zh' : 'en'), 'language: language zh'),
};

for (const [name, edited] of Object.entries(everything)) {
  test(`${name}: the slower editor is told who changed what, and may overwrite`, async () => {
    const on = await setup();
    const { hub, anna, bert } = on;
    const id = (await edited.make?.(on)) ?? 0;
    const send = (turn: number, revision: number | undefined, as: string) =>
      hub.post(edited.path, { ...edited.change(id, turn), ...(revision !== undefined && { revision }) }, as);
    const base = await edited.revision(on, id);
    expect(await send(1, base, bert)).toEqual({ result: 0, revision: base + 1 });
    const refused = await send(2, base, anna);
    expect(refused).toMatchObject({
      result: 1004,
      params: { by: 'bert', change: edited.logged, revision: base + 1 },
      later: [{ user: 'bert', result: 0, detail: edited.logged }],
    });
    expect(await edited.revision(on, id)).toBe(base + 1);
    // Overwriting applies only to the revision that the editor was told about.
    expect(await send(2, base + 1, anna)).toEqual({ result: 0, revision: base + 2 });
    expect(await send(3, base + 1, bert)).toMatchObject({ result: 1004, params: { by: 'anna' } });
    expect(await send(3, base, bert)).toMatchObject({ later: [{ user: 'anna' }, { user: 'bert' }] });
    // Clients without revisions continue to work.
    expect(await send(4, undefined, bert)).toMatchObject({ result: 0 });
  });
}

test('a change without effect does not raise the revision', async () => {
  const on = await setup();
  const { hub, anna } = on;
  const set = (minutes: number) => hub.post('/api/settings/set', { 'expired-time': minutes }, anna);
  expect([await set(30), await set(30), await set(31), await set(31)].map(({ revision }) => revision)).toEqual([
    2, 2, 3, 3,
  ]);
  const { list } = await on.get('/api/log/list');
  expect(list.filter(({ subject }: { subject: string }) => subject === 'expired-time')).toHaveLength(2);
  const id = await maker('/api/input/source/add', { name: 'Camera', config: url(0) })(on);
  const [input] = (await on.get('/api/input/source/list')).list;
  expect(await hub.post('/api/input/source/set', input, anna)).toEqual({ result: 0, revision: input.revision });
  const channel = await makeChannel(on);
  expect(await hub.post('/api/channel/set', { id: channel, name: 'Studio' }, anna)).toEqual({ result: 0, revision: 1 });
  expect(await listed(on, '/api/input/source/list', id)).toBe(1);
});

const objectIn =
  (path: string, list: string, name: string) =>
  async ({ get }: Setup) =>
    (await get(path))[list].find((one: { name: string }) => one.name === name);

/** How a client gets a whole object, and how it changes it. */
const kept: Readonly<Record<string, { of: (on: Setup) => Promise<object>; next: (turn: number) => object }>> = {
  'a channel': {
    async of({ get }) {
      const [{ id }] = (await get('/api/channel/dashboard')).list;
      const { result: _, ...channel } = await get(`/api/channel/query?id=${id}`);
      return channel;
    },
    next: (turn) => ({ name: `Studio ${turn}` }),
  },
  'an input': {
    of: objectIn('/api/input/source/list', 'list', 'Camera'),
    next: (turn) => ({ config: url(turn) }),
  },
  'an output': { of: objectIn('/api/output/list', 'list', 'Lobby'), next: (turn) => ({ config: url(turn) }) },
};

for (const [name, { of, next }] of Object.entries(kept)) {
  test(`${name}: a client that keeps it and sends all of it again is refused only after another user's change`, async () => {
    const on = await setup();
    const { hub, anna, bert } = on;
    const { make, path, change } = everything[name]!;
    const id = (await make?.(on)) ?? 0;
    const whole = await of(on);
    const send = (turn: number, as: string) => hub.post(path, { ...whole, ...next(turn) }, as);
    // More than the changes that a refusal lists.
    for (let turn = 1; turn <= 12; turn++) {
      expect(await send(turn, anna)).toEqual({ result: 0, revision: turn + 1 });
    }
    expect(await send(13, bert)).toMatchObject({ result: 1004, params: { by: 'anna' } });
    expect(await hub.post(path, change(id, 14), bert)).toMatchObject({ result: 0 });
    expect(await send(15, anna)).toMatchObject({ result: 1004, params: { by: 'bert' } });
    // A form of the console in two tabs, or a script that is careful.
    expect(await hub.post(path, { ...change(id, 16), revision: 1 }, anna)).toMatchObject({ result: 1004 });
  });
}

test('a kept object is refused if the log no longer says who changed it', async () => {
  const on = await setup();
  await makeChannel(on);
  const { of, next } = kept['a channel']!;
  const whole = await of(on);
  const send = (turn: number) => on.hub.post('/api/channel/set', { ...whole, ...next(turn) }, on.anna);
  expect(await send(1)).toMatchObject({ result: 0 });
  on.hub.db.$client.run('DELETE FROM operation_log');
  expect(await send(2)).toMatchObject({ result: 1004 });
});

test('a renamed object reports the change under its old name', async () => {
  const on = await setup();
  const id = await makeChannel(on);
  await on.hub.post('/api/channel/set', { id, name: 'Roof' }, on.bert);
  expect(await on.hub.post('/api/channel/set', { id, name: 'Cellar', revision: 1 }, on.anna)).toMatchObject({
    result: 1004,
    params: { what: 'Roof', by: 'bert', change: 'Studio: name Roof' },
  });
});

test('starting and stopping, the slate and a deleted input count as changes of the channel', async () => {
  const on = await setup();
  const { hub, bert } = on;
  const id = await makeChannel(on);
  const input = await maker('/api/input/source/add', { name: 'Camera', config: url(0) })(on);
  await hub.post('/api/channel/input/set', { id, input }, bert);
  await hub.post('/api/channel/enable', { id, enable: false }, bert);
  expect(await ofChannel(on, id)).toBe(3);
  const upload = (revision: number) =>
    hub.upload(
      `/api/channel/slate/set?id=${id}&revision=${revision}`,
      { type: 'image/png', file: pngOf(64, 36) },
      bert,
    );
  expect(await upload(2)).toMatchObject({ result: 1004, later: [{ action: 'channel.enable' }] });
  expect(await upload(3)).toEqual({ result: 0, revision: 4 });
  expect(await hub.post('/api/channel/slate/del', { id, revision: 3 }, bert)).toMatchObject({ result: 1004 });
  expect(await hub.post('/api/channel/slate/del', { id, revision: 4 }, bert)).toEqual({ result: 0, revision: 5 });
  await hub.post('/api/input/source/del', { id: input, force: true }, bert);
  expect(await hub.post('/api/channel/set', { id, name: 'Roof', revision: 5 }, bert)).toMatchObject({
    result: 1004,
    later: [{ action: 'input.del', subject: 'Camera' }],
  });
});

test('a change of members is a change of the group, whichever user moved', async () => {
  const on = await setup();
  const { hub, get, bert } = on;
  const group = await maker('/api/usr-group/add', { name: 'Crew', permissions: 1024 })(on);
  const revisions = async (): Promise<Record<string, number>> => {
    const { users, groups } = await get('/api/usr/list');
    return Object.fromEntries([...users, ...groups].map(({ name, revision }) => [name, revision]));
  };
  await maker('/api/usr/add', { name: 'carl', password: 'a-long-secret' })(on);
  const before = await revisions();
  await hub.post('/api/usr/set', { name: 'carl', 'group-id': group }, bert);
  const moved = await revisions();
  expect([moved.Crew, moved.Viewer, moved.carl]).toEqual([before.Crew! + 1, before.Viewer! + 1, before.carl! + 1]);
  expect(await hub.post('/api/usr-group/set', { id: group, users: [], revision: before.Crew }, bert)).toMatchObject({
    result: 1004,
    params: { change: 'carl: group Crew' },
  });
  await hub.post('/api/usr-group/set', { id: group, users: [] }, bert);
  const left = await revisions();
  expect([left.Crew, left.Viewer, left.carl]).toEqual([moved.Crew! + 1, moved.Viewer! + 1, moved.carl! + 1]);
  await hub.post('/api/usr/set', { name: 'carl', 'group-id': group }, bert);
  await hub.post('/api/usr/del', { name: 'carl' }, bert);
  expect((await revisions()).Crew).toBe(left.Crew! + 2);
});

test('a group with the id of a deleted one shows no changes of that one', async () => {
  const { hub, anna, bert } = await setup();
  const add = async (name: string): Promise<number> =>
    (await hub.post('/api/usr-group/add', { name, permissions: maskOf('channelView') }, anna)).id;
  const first = await add('Dock');
  for (const desc of ['a', 'b', 'c']) await hub.post('/api/usr-group/set', { id: first, desc }, anna);
  await hub.post('/api/usr-group/del', { id: first }, anna);
  expect(await add('Quay')).toBe(first);
  await hub.post('/api/usr-group/set', { id: first, desc: 'by bert' }, bert);
  const refused = await hub.post('/api/usr-group/set', { id: first, desc: 'late', revision: 1 }, anna);
  expect(refused).toMatchObject({ result: 1004, params: { by: 'bert' } });
  expect(refused.later.map(({ subject }: { subject: string }) => subject)).toEqual(['Quay']);
});

test('a group with the id of another one is never mistaken for it', async () => {
  const on = await setup();
  const { hub, get, anna, bert } = on;
  const add = maker('/api/usr-group/add', { name: 'Crew', permissions: 1024 });
  const revisionOf = async (id: number): Promise<number> =>
    (await get('/api/usr/list')).groups.find((one: { id: number }) => one.id === id).revision;
  const old = await add(on);
  await hub.post('/api/usr-group/set', { id: old, desc: 'once' }, bert);
  const base = await revisionOf(old);
  await hub.post('/api/usr-group/del', { id: old }, bert);
  const id = await add(on);
  expect(id).toBe(old);
  const set = (desc: string, revision: number) => hub.post('/api/usr-group/set', { id, desc, revision }, anna);
  expect(await set('meant for the other', base)).toMatchObject({ result: 1004, later: [] });
  const now = await revisionOf(id);
  await hub.post('/api/usr-group/set', { id, desc: 'by bert' }, bert);
  expect(await set('by anna', now)).toMatchObject({ result: 1004, later: [{ detail: 'Crew: description by bert' }] });
});

test('a change that the log no longer has is refused without saying who made it', async () => {
  const on = await setup();
  const id = await makeChannel(on);
  await on.hub.post('/api/channel/set', { id, name: 'Roof' }, on.bert);
  on.hub.db.$client.run('DELETE FROM operation_log');
  const refused = await on.hub.post('/api/channel/set', { id, name: 'Cellar', revision: 1 }, on.anna);
  expect(refused).toMatchObject({ result: 1004, params: { what: 'Roof', revision: 2 }, later: [] });
  expect(refused.params.by).toBeUndefined();
});
