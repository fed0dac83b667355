/** The router in a whole hub: its calls, topics and log, on a network in memory. */
import { afterEach, expect, test } from 'bun:test';
import { connect, createServer } from 'node:net';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { leasePort } from '../../../tests/support/ports.ts';
import { readerSession, readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import type { NdiInput, NdiOutput, RouteResult } from '../../contract/ndi-router.ts';
import { maskOf, type Permission } from '../../contract/permission.ts';
import { createRouterDouble } from '../../ndi/router-double-for-test.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function ndiHub(more: Parameters<typeof composedHub>[0] = {}) {
  const ndi = more.ndi ?? createRouterDouble(['CAM (1)', 'CAM (2)', 'REPLAY (A)']);
  const hub = await composedHub({ ...more, ndi, env: { SIGNALBOX_FEATURES: 'ndi-router' } });
  hub.hub.start();
  ended.push(async () => {
    await hub.hub.close();
    hub.remove();
  });
  const admin = more.isSetUp === false ? '' : await hub.signIn('Admin');
  const get = (path: string, as = admin) => hub.json(`/api/ndi/${path}`, { as });
  const post = (path: string, body: object, as = admin) => hub.post(`/api/ndi/${path}`, body, as);
  const router = async () => (await get('router/get')).router;
  const output = async (id: number): Promise<NdiOutput | undefined> =>
    (await get('router/get')).outputs.find((one: NdiOutput) => one.id === id);
  const input = async (id: number): Promise<NdiInput> => (await get('router/get')).inputs[id - 1];
  const log = async (count = 20): Promise<string[]> =>
    (await hub.json(`/api/log/list?count=${count}`, { as: admin })).list.map(
      ({ user, action, detail }: Record<string, string>) => `${user} ${action}: ${detail}`,
    );
  /** Returns a group whose members have this permission alone. */
  const groupOf = async (permission: Permission): Promise<number> =>
    (await hub.post('/api/usr-group/add', { name: 'Routing', permissions: maskOf(permission) }, admin)).id;
  return { ...hub, ndi, admin, get, post, router, output, input, log, groupOf };
}
const words = (results: readonly RouteResult[]) => results.map(({ result, reason }) => reason ?? result);

test('inputs are filled, outputs routed at once, confirmed by the runtime, and each route is in the operation log', async () => {
  const { post, output, input, ndi, log } = await ndiHub();
  expect(await post('router/input/set', { source: 'CAM (1)', label: 'Stage' })).toMatchObject({ result: 0, id: 1 });
  expect(await post('router/input/set', { source: 'CAM (2)' })).toMatchObject({ id: 2 });
  expect(await input(1)).toMatchObject({ source: 'CAM (1)', label: 'Stage', online: true, revision: 2 });
  const { results } = await post('router/route', {
    routes: [
      { out: 1, in: 1 },
      { out: 2, in: 2 },
      { out: 3, in: 9 },
    ],
  });
  expect(results).toEqual([
    { out: 1, result: 'done', applied: true },
    { out: 2, result: 'done', applied: true },
    { out: 3, result: 'refused', reason: 'emptyInput', applied: true },
  ]);
  expect(ndi.applied).toEqual([
    [
      { id: 1, source: 'CAM (1)' },
      { id: 2, source: 'CAM (2)' },
    ],
  ]);
  expect(ndi.pictureOf(1)).toBe('CAM (1)');
  expect(await output(1)).toMatchObject({ in: 1, source: 'CAM (1)', applied: true, waiting: false, previous: null });
  await post('router/route', { routes: [{ out: 1, in: null }] });
  expect(ndi.pictureOf(1)).toBeNull();
  expect((await log()).slice(0, 5)).toEqual([
    'Admin ndiRouter.route: 1 Out 1: to no input, from input 1 Stage',
    'Admin ndiRouter.route: 2 Out 2: to input 2 CAM (2)',
    'Admin ndiRouter.route: 1 Out 1: to input 1 Stage',
    'Admin ndiInput.set: 2 CAM (2): source CAM (2)',
    'Admin ndiInput.set: 1 Stage: label Stage, source CAM (1)',
  ]);
});

test('outputs appear on the network with the first change of the router', async () => {
  const { get, post, ndi } = await ndiHub();
  const { router, inputs, outputs } = await get('router/get');
  expect([router.inputs, inputs.length, outputs.length]).toEqual([16, 16, 16]);
  expect(router['base-name']).toMatch(/^[A-Z0-9-]+-ROUTER$/);
  expect(ndi.port.outputs()).toEqual([]);
  await post('router/set', { 'base-name': 'stage' });
  expect(ndi.port.outputs()).toHaveLength(16);
  expect(ndi.port.outputs()[0]?.fullName).toBe('STAGE (Out 1)');
});

test('sources of another machine that has the base name are reported', async () => {
  const { post, ndi, router } = await ndiHub();
  await post('router/set', { 'base-name': 'stage', outputs: 1 });
  expect(await router()).not.toHaveProperty('name-clash');
  ndi.addSource('STAGE (Cam 1)');
  ndi.addSource('STAGE2 (Cam 1)');
  expect((await router())['name-clash']).toEqual(['STAGE (Cam 1)']);
  await post('router/set', { 'base-name': 'STAGE2' });
  expect((await router())['name-clash']).toEqual(['STAGE2 (Cam 1)']);
  ndi.removeSource('STAGE2 (Cam 1)');
  expect(await router()).not.toHaveProperty('name-clash');
});

test('without a process, routes are stored and not applied; its next start gets all of them', async () => {
  const { post, output, ndi, router } = await ndiHub();
  await post('router/input/set', { source: 'CAM (1)' });
  ndi.die();
  expect((await post('router/route', { routes: [{ out: 1, in: 1 }] })).results).toEqual([
    { out: 1, result: 'done', applied: false },
  ]);
  expect(await output(1)).toMatchObject({ in: 1, applied: false, 'applied-source': null });
  expect((await router()).runtime).toMatchObject({ state: 'restarting', remedy: 'wait', 'restarts-in': 250 });
  ndi.revive();
  expect(await output(1)).toMatchObject({ applied: true });
  expect(ndi.pictureOf(1)).toBe('CAM (1)');
});

test('a hub that starts again has everything that was acknowledged, and routes it without a call', async () => {
  const db = memoryDatabase();
  const first = await ndiHub({ db });
  await first.post('router/input/set', { source: 'CAM (1)', label: 'Stage', failover: 2 });
  await first.post('router/route', { routes: [{ out: 2, in: 1 }] });
  await first.post('router/lock', { out: 2, locked: true });
  await first.post('router/output/set', { id: 2, name: 'Program', label: 'PGM' });
  await first.post('salvo/capture', { name: 'Show', outs: [2] });
  const before = await first.get('router/get');
  // Nothing is told to the old hub: it may have been killed.
  const ndi = createRouterDouble(['CAM (1)']);
  const second = await ndiHub({ db, ndi, isSetUp: false });
  await until(() => ndi.pictureOf(2) === 'CAM (1)');
  const as = await second.signIn('Admin');
  const after = await second.get('router/get', as);
  expect(after.outputs).toEqual(before.outputs);
  expect(after.router).toEqual(before.router);
  expect((await second.get('salvo/list', as)).list[0]).toMatchObject({ name: 'Show', routes: [{ out: 2, in: 1 }] });
});

test('locked outputs are skipped for every user, and other users unlock them only with force', async () => {
  const hub = await ndiHub();
  const { post, output, log } = hub;
  await post('router/input/set', { source: 'CAM (1)' });
  await post('router/lock', { out: [1, 2], locked: true });
  const { results } = await post('router/route', { routes: [1, 2, 3].map((out) => ({ out, in: 1 })) });
  expect(words(results)).toEqual(['locked', 'locked', 'done']);
  expect(results[0]['locked-by']).toBe('Admin');
  expect((await output(1))?.lock).toMatchObject({ by: 'user', owner: 'Admin' });
  const other = await hub.addUser('omar', await hub.groupOf('ndiEdit'));
  expect(await post('router/lock', { out: 1, locked: false }, other)).toMatchObject({
    ...{ result: 1005, params: { by: 'Admin' } },
  });
  expect(await post('router/lock', { out: 1, locked: false, force: true }, other)).toEqual({ result: 0 });
  expect((await log())[0]).toBe('omar ndiOutput.unlock: 1 Out 1: lock of Admin');
  expect(words((await post('router/route', { routes: [{ out: 1, in: 1 }] })).results)).toEqual(['done']);
});

test('a change based on an older revision is refused with the change in between', async () => {
  const { post } = await ndiHub();
  const { revision } = await post('router/output/set', { id: 1, label: 'PGM' });
  await post('router/output/set', { id: 1, label: 'Program', revision });
  expect(await post('router/output/set', { id: 1, label: 'Late', revision })).toMatchObject({
    ...{ result: 1004, later: [{ detail: '1 PGM: label Program' }] },
  });
  // A route is not an edit: a form that is open stays valid.
  await post('router/input/set', { source: 'CAM (1)' });
  await post('router/route', { routes: [{ out: 1, in: 1 }] });
  expect(await post('router/output/set', { id: 1, label: 'A', revision: revision + 1 })).toMatchObject({ result: 0 });
});

test('a source that is away is refused where it must be online, and otherwise waited for', async () => {
  const { post, output, ndi } = await ndiHub();
  await post('router/input/set', { source: 'CAM (9)' });
  const routes = [{ out: 1, in: 1 }];
  expect(await post('router/route', { routes, 'must-be-online': true })).toMatchObject({ result: 2001 });
  await post('router/route', { routes });
  expect(await output(1)).toMatchObject({ in: 1, applied: true, waiting: true });
  ndi.addSource('CAM (9)');
  expect(await output(1)).toMatchObject({ waiting: false });
});

test('salvos are captured, edited, recalled with their policy, and undone at once', async () => {
  const { post, get, router, output, log } = await ndiHub();
  for (const source of ['CAM (1)', 'CAM (2)']) await post('router/input/set', { source });
  await post('router/route', {
    routes: [
      { out: 1, in: 1 },
      { out: 2, in: 2 },
    ],
  });
  const { id } = await post('salvo/capture', { name: 'Show', outs: [1, 2] });
  expect(await post('salvo/add', { name: 'Show', routes: [{ out: 1, in: null }] })).toMatchObject({ result: 1003 });
  const dark = [1, 2].map((out) => ({ out, in: null }));
  const { id: off } = await post('salvo/add', { name: 'Dark', routes: dark, policy: 'allOrNothing' });
  await post('router/lock', { out: 2, locked: true });
  expect(words((await post('salvo/recall', { id: off })).results)).toEqual(['others', 'locked']);
  expect(words((await post('salvo/recall', { id: off, policy: 'skipLocked' })).results)).toEqual(['done', 'locked']);
  expect((await log())[0]).toBe('Admin ndiRouter.route: 1 Out 1: to no input, from input 1 CAM (1), by salvo Dark');
  expect((await router())['last-salvo']).toMatchObject({ name: 'Dark', by: 'Admin', outputs: [1] });
  expect(words((await post('router/undo', {})).results)).toEqual(['done']);
  expect(await output(1)).toMatchObject({ in: 1 });
  expect(await post('router/undo', {})).toMatchObject({ result: 38 });
  const { revision } = await post('salvo/set', { id, policy: 'allOrNothing' });
  expect(revision).toBe(2);
  expect(await post('salvo/set', { id, name: 'Late', revision: 1 })).toMatchObject({ result: 1004 });
  await post('salvo/capture', { id });
  expect((await get('salvo/list')).list[0]).toMatchObject({
    ...{ id, name: 'Show', policy: 'allOrNothing', revision: 3 },
    routes: [
      { out: 1, in: 1 },
      { out: 2, in: 2 },
    ],
  });
  expect(await post('salvo/add', { name: 'Bad', routes: [{ out: 99, in: 1 }] })).toMatchObject({ result: 16 });
  await post('salvo/del', { id: [id, off] });
  expect((await get('salvo/list')).total).toBe(0);
});

test('a preset is saved, not overwritten without being asked, and fills an input', async () => {
  const { post, get, input } = await ndiHub();
  const preset = { name: 'Cam one', source: 'CAM (1)', group: 'studio', alias: 'C1' };
  const { id } = await post('preset/save', preset);
  expect(await post('preset/save', preset)).toMatchObject({ result: 1003 });
  expect(await post('preset/save', { ...preset, alias: 'Cam', replace: true })).toEqual({ result: 0, id });
  await post('router/input/set', { preset: id });
  expect(await input(1)).toMatchObject({ source: 'CAM (1)', label: 'Cam', group: 'studio' });
  await post('preset/del', { id });
  expect((await get('preset/list')).list).toEqual([]);
});

test.each([
  ['router/set', { 'base-name': 'a b' }, 'base-name'],
  ['router/set', { 'base-name': '' }, 'base-name'],
  ['router/set', { inputs: 257 }, 'inputs'],
  ['router/set', { outputs: 129 }, 'outputs'],
  ['router/output/add', { name: 'Out/1' }, 'name'],
  ['router/output/add', { name: 'Out: 1' }, 'name'],
  ['router/input/set', { source: 'x'.repeat(254) }, 'source'],
  ['router/input/set', { source: '' }, 'source'],
  ['router/route', { routes: [] }, 'routes'],
  ['router/route', { routes: [{ out: 1 }] }, 'routes.0.in'],
  [
    'router/route',
    {
      routes: [
        { out: 1, in: 1 },
        { out: 1, in: 2 },
      ],
    },
    'routes',
  ],
  ['salvo/capture', {}, 'name'],
])('%s refuses %j with the field', async (path, body, field) => {
  const { post } = await ndiHub();
  const { result, fields } = await post(path, body);
  expect([result, fields?.[0]?.path]).toEqual([7, field]);
});

test('a user who may only view sees the router and changes nothing', async () => {
  const hub = await ndiHub();
  const viewer = await hub.addUser('vera', await hub.groupOf('ndiView'));
  expect(await hub.get('router/get', viewer)).toMatchObject({ result: 0 });
  expect(await hub.get('source/list', viewer)).toMatchObject({ result: 0, total: 3 });
  for (const [path, change] of [
    ['router/route', { routes: [{ out: 1, in: null }] }],
    ['router/lock', { out: 1, locked: true }],
    ['salvo/recall', { id: 1 }],
  ] as const) {
    expect(await hub.post(path, change, viewer)).toMatchObject({ result: 31 });
  }
});

test('a hub without the feature has none of the calls', async () => {
  const hub = await composedHub();
  ended.push(hub.remove);
  const as = await hub.signIn('Admin');
  expect(await hub.json('/api/ndi/router/get', { as })).toMatchObject({ result: 9 });
  const body = { videohub: { enabled: true, address: '127.0.0.1', allow: ['127.0.0.1'] } };
  const server = { 'hub-ndi-server': { enable: true } };
  for (const change of [body, server]) {
    expect(await hub.json('/api/settings/set', { method: 'POST', body: change, as })).toMatchObject({ result: 9 });
  }
});

test('readers get what changed, object by object', async () => {
  const { hub, post, ndi } = await ndiHub();
  await post('router/input/set', { source: 'CAM (1)' });
  const viewer = readerSession('viewer', 'ndiView');
  const topic = (wanted: string) => {
    const found = hub.ndi.router.topics.find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`no topic ${name}`);
    return found;
  };
  const outputs = readTopic<ObjectsEvent<NdiOutput>>(topic('ndi-outputs'), viewer);
  const sources = readTopic<ObjectsEvent<{ name: string }, string>>(topic('ndi-sources'), viewer);
  ended.push(outputs.close, sources.close);
  expect(outputs.messages[0]?.data.changed).toHaveLength(16);
  await post('router/route', { routes: [{ out: 5, in: 1 }] });
  await until(() => outputs.changes().length > 0);
  expect(outputs.changes().flatMap(({ changed }) => changed.map(({ id }) => id))).toEqual([5]);
  ndi.addSource('NEW (1)');
  ndi.removeSource('CAM (2)');
  await until(() => sources.changes().some(({ removed }) => removed.includes('CAM (2)')));
  expect(sources.changes().flatMap(({ changed }) => changed.map(({ name }) => name))).toEqual(['NEW (1)']);
  await until(() => outputs.changes().length > 0);
});

test('a source that is new on the network takes the next free input, if that is wanted', async () => {
  const { post, input, ndi, log } = await ndiHub();
  await post('router/set', { 'auto-fill': true });
  await post('router/input/set', { id: 2, source: 'CAM (9)' });
  ndi.addSource('NEW (1)');
  ndi.addSource('NEW (2)');
  expect([(await input(1)).source, (await input(3)).source]).toEqual(['NEW (1)', 'NEW (2)']);
  expect((await log())[0]).toBe(' ndiInput.set: 3 NEW (2): source NEW (2)');
  // One that comes back is still in its input.
  ndi.removeSource('NEW (1)');
  expect(await input(1)).toMatchObject({ online: false, 'last-seen': expect.any(Number) });
  ndi.addSource('NEW (1)');
  expect((await input(4)).source).toBeNull();
});

/** Switches the server for panels on, and connects to it. */
async function withPanel() {
  const hub = await ndiHub();
  for (const source of ['CAM (1)', 'CAM (2)']) await hub.post('router/input/set', { source });
  await hub.post('router/set', { inputs: 2, outputs: 3 });
  const port = leasePort();
  const videohub = { enabled: true, address: '127.0.0.1', port, allow: ['127.0.0.1'] };
  const set = (change: object) => hub.json('/api/settings/set', { method: 'POST', body: change, as: hub.admin });
  expect(await set({ videohub })).toMatchObject({ result: 0 });
  await until(async () => (await hub.router()).panels.state === 'listening');
  const socket = connect({ host: '127.0.0.1', port });
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  ended.push(() => socket.destroy());
  const receives = (part: string) => until(() => text.includes(part));
  await receives('END PRELUDE:\n\n');
  return { ...hub, set, socket, text: () => text, receives };
}

test('a panel sees the matrix, routes it, and its routes are in the log with its address', async () => {
  const { socket, text, receives, post, output, log, router, ndi } = await withPanel();
  expect(text()).toContain('Video inputs: 3\n');
  expect(text()).toContain('INPUT LABELS:\n0 CAM (1)\n1 CAM (2)\n2 None\n\n');
  expect(text()).toContain('VIDEO OUTPUT ROUTING:\n0 2\n1 2\n2 2\n\n');
  expect((await router()).panels).toEqual({ state: 'listening', clients: ['127.0.0.1'] });
  socket.write('VIDEO OUTPUT ROUTING:\n0 1\n1 0\n\n');
  await receives('ACK\n\nVIDEO OUTPUT ROUTING:\n0 1\n1 0\n\n');
  expect([ndi.pictureOf(1), ndi.pictureOf(2)]).toEqual(['CAM (2)', 'CAM (1)']);
  expect((await log())[1]).toBe(' ndiRouter.route: 1 Out 1: to input 2 CAM (2), by a panel');
  // What a user does reaches the panel.
  await post('router/input/set', { id: 1, label: 'Stage' });
  await receives('INPUT LABELS:\n0 Stage\n\n');
  await post('router/lock', { out: 2, locked: true });
  await receives('VIDEO OUTPUT LOCKS:\n1 L\n\n');
  socket.write('OUTPUT LABELS:\n0 Program\n\nVIDEO OUTPUT LOCKS:\n2 O\n\n');
  await receives('VIDEO OUTPUT LOCKS:\n2 O\n\n');
  expect(await output(1)).toMatchObject({ label: 'Program', name: 'Out 1' });
  expect((await output(3))?.lock).toEqual({ by: 'panel', 'user-id': 0, owner: '127.0.0.1' });
});

test('the server for panels needs an address and a list, and ends when it is switched off', async () => {
  const { set, socket, router } = await withPanel();
  expect(await set({ videohub: { allow: [] } })).toMatchObject({ result: 7, fields: [{ path: 'videohub.allow' }] });
  expect(await set({ videohub: { address: '' } })).toMatchObject({ fields: [{ path: 'videohub.address' }] });
  expect(await set({ videohub: { address: '203.0.113.9' } })).toMatchObject({ fields: [{ rule: 'ownAddress' }] });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  expect(await set({ videohub: { enabled: false } })).toMatchObject({ result: 0 });
  await closed;
  expect((await router()).panels).toEqual({ state: 'off', clients: [] });
});

test('settings of the discovery reach the process', async () => {
  const { json, admin, get, ndi } = await ndiHub();
  await get('router/get');
  const told: unknown[] = [];
  const { configure } = ndi.port;
  ndi.port.configure = (desired) => {
    told.push({ discovery: desired.discovery, groups: desired.groups });
    configure(desired);
  };
  const discovery = { servers: '10.0.0.5:5959', 'extra-ips': '10.0.0.7', 'receive-groups': 'studio' };
  const body = { 'ndi-discovery': discovery };
  expect(await json('/api/settings/set', { method: 'POST', body, as: admin })).toMatchObject({ result: 0 });
  expect(told).toEqual([
    {
      discovery: { servers: '10.0.0.5:5959', extraIps: '10.0.0.7' },
      groups: { send: '', receive: 'studio' },
    },
  ]);
});

test('the discovery server of the hub is switched on and off, and the router shows its state', async () => {
  const { json, admin, router, log } = await ndiHub();
  const set = (body: object) =>
    json('/api/settings/set', { method: 'POST', body: { 'hub-ndi-server': body }, as: admin });
  expect((await router())['discovery-server']).toEqual({ state: 'disabled' });
  const port = leasePort();
  expect(await set({ enable: true, port })).toMatchObject({ result: 0 });
  // No machine of the tests has the program.
  await until(async () => (await router())['discovery-server'].state === 'waiting');
  expect((await router())['discovery-server']).toMatchObject({ fault: 'notInstalled' });
  expect((await log(1))[0]).toBe(`Admin settings.set: hub-ndi-server: listens on ${port}`);
  const other = createServer().listen(0, '0.0.0.0');
  ended.push(() => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const taken = { port: (other.address() as { port: number }).port };
  expect(await set(taken)).toMatchObject({ result: 1007, fields: [{ path: 'hub-ndi-server.port', rule: 'occupied' }] });
  expect(await set({ enable: false })).toMatchObject({ result: 0 });
  await until(async () => (await router())['discovery-server'].state === 'disabled');
});
