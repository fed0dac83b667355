/** A noun is added to the hub by its folder and one line: here the pens of tests/fixtures. */
import { afterAll, expect, test } from 'bun:test';
import { composedHub } from '../../tests/fixtures/composed-hub.ts';
import { createPenFeature } from '../../tests/fixtures/pens/feature.ts';
import { until } from '../../tests/support/until.ts';
import { groupTypes } from '../contract/permission.ts';

const hub = await composedHub({ features: [createPenFeature] });
afterAll(hub.remove);
const admin = await hub.signIn('Admin');
const post = (path: string, body: object, as = admin) => hub.json(path, { method: 'POST', body, as });

async function openEvents(as: string) {
  const response = await hub.call('/api/events?topics=pens', { as });
  const reader = response.body!.pipeThrough(new TextDecoderStream() as never).getReader();
  let text = '';
  return {
    /** Returns everything up to this part. */
    async read(part: string): Promise<string> {
      while (!text.includes(part)) text += (await reader.read()).value;
      return text;
    },
    close: () => reader.cancel(),
  };
}

test('its calls check permission and input', async () => {
  const viewer = await hub.addUser('viewer', groupTypes.viewer);
  expect(await post('/api/pen/add', { name: 'A' }, viewer)).toMatchObject({ result: 31 });
  expect(await post('/api/pen/add', { name: '' })).toMatchObject({
    ...{ result: 7, fields: [{ path: 'name', rule: 'required' }] },
  });
  expect(await post('/api/pen/add', { name: 'A' })).toEqual({ result: 0, id: 1 });
  expect(await hub.json('/api/pen/list', { as: viewer })).toMatchObject({ list: [{ id: 1, name: 'A', ink: 0 }] });
});

test('its changes are in the operation log', async () => {
  const { list } = await hub.json('/api/log/list', { as: admin });
  expect(list).toContainEqual(expect.objectContaining({ action: 'pen.add', detail: 'A', user: 'Admin' }));
});

test('its objects are on the event stream', async () => {
  const { read, close } = await openEvents(admin);
  await read('{"topic":"pens","data":{"changed":[{"id":1,"name":"A","ink":0}],"removed":[],"left":0}}');
  await post('/api/pen/add', { name: 'B' });
  await read('"changed":[{"id":2,"name":"B","ink":0}]');
  await close();
});

test('its setting is shown, checked, changed and logged like the others', async () => {
  expect(await hub.json('/api/settings/get', { as: admin })).toMatchObject({ pens: { color: 'blue' } });
  expect(await post('/api/settings/set', { pens: { color: 'red' } })).toMatchObject({ result: 7 });
  expect(await post('/api/settings/set', { pens: { color: 'black' } })).toMatchObject({ result: 0 });
  expect(await hub.json('/api/settings/get', { as: admin })).toMatchObject({
    ...{ pens: { color: 'black' }, revision: { pens: 2 } },
  });
});

test('its long work is a task', async () => {
  const { task } = await post('/api/pen/fill', {});
  const state = () => hub.json(`/api/task/query?id=${task}`, { as: admin });
  await until(async () => (await state()).state === 'done');
  expect(await state()).toMatchObject({
    ...{ kind: 'pen.fill', owner: 'Admin', done: 2, total: 2, failed: 0 },
    list: [
      { key: '1', name: 'A black', state: 'done' },
      { key: '2', name: 'B black', state: 'done' },
    ],
  });
  expect(await hub.json('/api/pen/list', { as: admin })).toMatchObject({ list: [{ ink: 100 }, { ink: 100 }] });
});

test('an object that a user may not see is missing from lists, events and acts', async () => {
  const crew = await hub.addUser('crew', groupTypes.user);
  expect(await post('/api/pen/add', { name: 'Secret', hidden: true })).toEqual({ result: 0, id: 3 });
  const names = async (as: string) =>
    (await hub.json('/api/pen/list', { as })).list.map((pen: { name: string }) => pen.name);
  expect(await names(admin)).toEqual(['A', 'B', 'Secret']);
  expect(await names(crew)).toEqual(['A', 'B']);
  const { task } = await post('/api/pen/fill', {}, crew);
  expect(await hub.json(`/api/task/query?id=${task}`, { as: crew })).toMatchObject({ total: 2 });
  const { read, close } = await openEvents(crew);
  expect(await read('"left":0')).not.toContain('Secret');
  await close();
});

test('it takes a file in parts, and sends it', async () => {
  const bytes = new Uint8Array(50_000).map((_, at) => at * 3);
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  expect(await post('/api/pen/draw', { name: 'a/b', size: 0, sha256: 'x' })).toMatchObject({
    fields: [
      { path: 'name', rule: 'characters' },
      { path: 'size', rule: 'range' },
      { path: 'sha256', rule: 'format' },
    ],
  });
  for (const name of ['.', '..', 'a\\b', 'a\n']) {
    const refusal = await post('/api/pen/draw', { name, size: 1 });
    expect(refusal).toMatchObject({ fields: [{ path: 'name', rule: 'characters' }] });
  }
  const { task } = await post('/api/pen/draw', { name: 'cat.bin', size: bytes.length, sha256 });
  const put = (part: Uint8Array<ArrayBuffer>, range?: string) =>
    hub.put(task, part, { as: admin, ...(range !== undefined && { range }) });
  expect(await put(bytes.slice(0, 20_000), 'bytes 0-19999/50000')).toEqual({
    ...{ status: 200, result: 0, done: 20_000, total: 50_000 },
  });
  expect(await put(bytes)).toMatchObject({ status: 409, result: 27, params: { done: 20_000 } });
  expect(await put(bytes.slice(20_000), 'bytes 20000-49998/50000')).toMatchObject({
    ...{ status: 400, result: 7, fields: [{ path: 'content-range', rule: 'range' }] },
  });
  expect(await put(bytes.slice(20_000), 'bytes 9-1/2')).toMatchObject({ status: 400, fields: [{ rule: 'format' }] });
  expect(await hub.put(task, bytes, { as: admin, type: 'text/plain' })).toMatchObject({ status: 415, result: 23 });
  expect(await put(bytes.slice(20_000), 'bytes 20000-49999/50000')).toMatchObject({ status: 200, done: 50_000 });
  await until(async () => (await hub.json(`/api/task/query?id=${task}`, { as: admin })).state === 'done');
  const response = await hub.call('/api/pen/drawing', { as: admin });
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
});

test('its figures are among the metrics', async () => {
  const response = await hub.call('/metrics', { as: admin });
  expect(await response.text()).toContain(
    '# HELP signalbox_pens Pens that exist.\n# TYPE signalbox_pens gauge\nsignalbox_pens 3\n',
  );
});
