import { beforeEach, expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { limits } from '../../contract/limits.ts';
import { presets } from '../../store/schema.ts';

let hub: StreamingFeatures;
beforeEach(() => {
  hub = createStreamingFeatures();
});

const caller = (port: number) => ({
  srt: { mode: 'caller', host: 'camera.example', port, latency: 200, 'pb-key-len': 16, passphrase: 'hidden-phrase' },
});
const push = { url: 'rtmp://live.example/app', key: 'hidden-key' };
const addInput = async (name: string, port = 9100): Promise<number> =>
  (await hub.post('input/source/add', { name, config: caller(port) })).id;
const addOutput = async (name: string): Promise<number> => (await hub.post('output/add', { name, config: push })).id;
const list = async (query = '') => (await hub.get(`preset/list${query}`)).list;

test('a source is saved as a preset, and creates an input with its secrets', async () => {
  const input = await addInput('Camera');
  const { id } = await hub.post('preset/save', { name: 'Cameras', input });
  await hub.post('input/source/del', { id: input });
  const { id: made } = await hub.post('preset/use', { id, name: 'Camera 2' });
  const channel = (await hub.post('channel/add', { name: 'One' })).id;
  await hub.post('channel/input/set', { id: channel, input: made });
  expect(hub.media.applied.at(-1)?.channels[0]?.input).toMatchObject({ port: 9100, passphrase: 'hidden-phrase' });
  expect(await list()).toMatchObject([{ id, name: 'Cameras', dir: 256, protocol: 2 }]);
  expect(JSON.stringify([await list(), hub.operations()])).not.toContain('hidden');
});

test('an output from a preset is assigned to a channel in the same step', async () => {
  const { id } = await hub.post('preset/save', { name: 'CDN', output: await addOutput('First') });
  const channel = (await hub.post('channel/add', { name: 'One' })).id;
  await hub.post('preset/use', { id, name: 'Second', channel });
  const target = { protocol: 'rtmp', url: push.url, key: push.key };
  expect(hub.media.applied.at(-1)?.channels[0]?.outputs).toMatchObject([{ enabled: true, target }]);
});

test('an existing preset is replaced only after confirmation', async () => {
  const { id } = await hub.post('preset/save', { name: 'Cameras', input: await addInput('A', 9100) });
  const again = { name: 'Cameras', input: await addInput('B', 9200) };
  const refused = { result: 1003, params: { what: 'Cameras' } };
  expect(await hub.post('preset/save', again)).toMatchObject(refused);
  expect((await list())[0].config.srt.port).toBe(9100);
  expect(await hub.post('preset/save', { ...again, replace: true })).toEqual({ result: 0, id });
  expect((await list()).map((one: { config: { srt: { port: number } } }) => one.config.srt.port)).toEqual([9200]);
  expect(hub.operations().slice(-1)).toEqual(['preset.set: Cameras: srt://camera.example:9200']);
});

test('presets of inputs and outputs have separate names and lists', async () => {
  await hub.post('preset/save', { name: 'Same', input: await addInput('A') });
  expect((await hub.post('preset/save', { name: 'Same', output: await addOutput('B') })).result).toBe(0);
  expect(await list()).toHaveLength(2);
  expect(await list('?dir=512')).toMatchObject([{ dir: 512, config: { url: push.url } }]);
  expect(await hub.get('preset/list?dir=768')).toMatchObject({ result: 7, fields: [{ path: 'dir' }] });
});

test('invalid requests are refused with their reason', async () => {
  expect(await hub.post('preset/save', { name: 'X', input: 1 })).toMatchObject({
    result: 16,
    params: { what: 'input' },
  });
  expect(await hub.post('preset/save', { name: 'X' })).toMatchObject({ result: 7, fields: [{ rule: 'required' }] });
  const both = { name: 'X', input: 1, output: 2 };
  expect(await hub.post('preset/save', both)).toMatchObject({ result: 7, fields: [{ rule: 'conflict' }] });
  expect(await hub.post('preset/use', { id: 1, name: 'X' })).toMatchObject({ result: 16 });
  expect(await hub.post('preset/del', { id: 1 })).toMatchObject({ result: 16 });
  const input = await addInput('Camera');
  const { id } = await hub.post('preset/save', { name: 'Cameras', input });
  const taken = { result: 1003, fields: [{ path: 'name', rule: 'exists' }] };
  expect(await hub.post('preset/use', { id, name: 'Camera' })).toMatchObject(taken);
  expect(await hub.post('preset/del', { id })).toEqual({ result: 0 });
  const row = { dir: 256, protocol: 4, config: '{"protocol":"udp"}', secret: null, createdAt: 0 };
  const rows = Array.from({ length: limits.presets }, (_, at) => ({ ...row, name: `p${at}` }));
  hub.db.insert(presets).values(rows).run();
  expect(await hub.post('preset/save', { name: 'X', input })).toMatchObject({ result: 17 });
});
