import { beforeEach, expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { limits } from '../../contract/limits.ts';
import { inputs } from '../../store/schema.ts';

let hub: StreamingFeatures;
beforeEach(() => {
  hub = createStreamingFeatures();
});

const udp = { type: 1, url: 'udp://239.9.9.9:6000' };
const caller = {
  type: 1,
  srt: { mode: 'caller', host: 'camera.example', port: 9100, latency: 200, passphrase: 'hidden-phrase' },
};
const add = async (name: string, config: object = udp): Promise<number> =>
  (await hub.post('input/source/add', { name, config })).id;
const list = async () => (await hub.get('input/source/list')).list;
const channel = async (name: string): Promise<number> => (await hub.post('channel/add', { name })).id;

test('an added input is listed as published', async () => {
  const id = await add('Camera');
  expect(id).toBeGreaterThan(1000);
  expect(await list()).toEqual([
    {
      id,
      name: 'Camera',
      type: 258,
      dir: 256,
      protocol: 4,
      config: { type: 1, url: 'udp://239.9.9.9:6000?ttl=16', udp: { host: '239.9.9.9', port: 6000, ttl: 16 } },
      revision: 1,
    },
  ]);
});

test('an input lists all channels that use it, and a change reaches the engine', async () => {
  const id = await add('Camera', caller);
  const channels = [await channel('One'), await channel('Two')];
  for (const one of channels) await hub.post('channel/input/set', { id: one, input: id });
  expect((await list())[0]).toMatchObject({ 'owner-i': ['One', 'Two'], 'owner-i-d': channels });
  await hub.post('input/source/set', {
    id,
    config: { srt: { mode: 'caller', host: 'camera.example', port: 9100, latency: 50 } },
  });
  const desired = hub.media.applied.at(-1)!.channels.map(({ input }) => input);
  expect(desired[1]).toMatchObject({ protocol: 'srt', mode: 'caller', latencyMs: 50, passphrase: 'hidden-phrase' });
  expect(desired[0]).toEqual(desired[1]!);
  expect(JSON.stringify([await list(), hub.operations()])).not.toContain('hidden');
});

test('a list without count is whole, a larger count than a page is a page, and later pages follow', async () => {
  const rows = Array.from({ length: 120 }, (_, at) => ({
    ...{ name: `Camera ${at}`, protocol: 4, createdAt: 0 },
    config: JSON.stringify({ protocol: 'udp', host: '239.1.2.3', port: 5000, ttl: 16, interface: '', source: '' }),
  }));
  hub.db.insert(inputs).values(rows).run();
  const page = async (query: string) => {
    const { result, start, total, list } = await hub.get(`input/source/list?${query}`);
    return { result, start, total, rows: list.length };
  };
  const whole = { result: 0, start: 0, total: 120, rows: 120 };
  expect(await page('')).toEqual(whole);
  expect(await page('count=100000')).toEqual(whole);
  expect(await page('start=100')).toEqual({ ...whole, start: 100, rows: 20 });
  expect(await page('start=110&count=5')).toEqual({ ...whole, start: 110, rows: 5 });
  expect(await page('start=&count=&key=&sort=&order=')).toEqual(whole);
  expect(await hub.get('input/source/list?count=0')).toMatchObject({ result: 7, fields: [{ path: 'count' }] });
});

test('an object is found by its name if a change has no id, as in older samples', async () => {
  await add('Camera');
  const config = { type: 1, url: 'udp://239.1.1.1:5000?ttl=16' };
  expect(await hub.post('input/source/set', { name: 'Camera', config })).toMatchObject({ result: 0 });
  expect((await list())[0]).toMatchObject({ name: 'Camera', config });
  await hub.post('channel/add', { name: 'Studio' });
  expect(await hub.post('channel/set', { name: 'Studio', config: { enable: false } })).toMatchObject({ result: 0 });
  expect((await hub.get('channel/dashboard')).list[0].config.enable).toBe(false);
  for (const call of ['input/source/set', 'channel/set']) {
    expect(await hub.post(call, { name: 'Other' })).toMatchObject({ result: 16 });
    expect(await hub.post(call, { config: {} })).toMatchObject({ result: 7 });
  }
});

test('an input is changed and cloned by its published members', async () => {
  const urls = [
    'rtmp://h.example/app/key1',
    'rtmp://h.example/app/inst/key1',
    'rtsp://h.example/1?mw-tcp-first=1&mw-buffer-duration=500',
    'udp://239.1.2.3:5000?ttl=16&mw-program=22&mw-audio-track=2',
  ];
  for (const url of urls) await add(url.slice(0, 40).replaceAll(/[^a-z0-9]/g, '-'), { type: 1, url });
  const before = await list();
  expect(before.map(({ config }: { config: { url: string } }) => config.url)).toEqual(urls);
  for (const { id, name, dir, type, protocol, config } of before) {
    const shown = { type: config.type, url: config.url };
    expect(await hub.post('input/source/set', { id, name, dir, type, protocol, config: shown })).toMatchObject({
      ...{ result: 0, revision: 1 },
    });
    await add(`Clone ${id}`, shown);
  }
  const after = await list();
  expect(after.slice(0, urls.length)).toEqual(before);
  const configs = (inputs: { config: object }[]) => inputs.map(({ config }) => config);
  expect(configs(after.slice(urls.length))).toEqual(configs(before));
});

test('sending a response back unchanged changes nothing', async () => {
  await add('A', caller);
  await add('B');
  const before = await list();
  for (const input of before) expect(await hub.post('input/source/set', input)).toMatchObject({ result: 0 });
  expect(await list()).toEqual(before);
});

test('deleting inputs that channels use requires force; the channels then wait for their push key', async () => {
  const id = await add('Camera');
  const other = await add('Spare');
  const one = await channel('One');
  const two = await channel('Two');
  for (const channelId of [one, two]) await hub.post('channel/input/set', { id: channelId, input: id });
  const refused = await hub.post('input/source/del', { id: [other, id] });
  expect(refused).toMatchObject({ result: 1005, params: { what: 'Camera', by: 'One, Two' } });
  expect(await list()).toHaveLength(2);
  expect(await hub.post('input/source/del', { id: [other, id], force: true })).toEqual({ result: 0 });
  expect(hub.media.applied.at(-1)?.channels[0]).toMatchObject({ inputId: 0, input: { protocol: 'push' } });
  expect(hub.operations().slice(-2)).toEqual(['input.del: Camera', 'input.del: Spare']);
});

test('an invalid input is refused with its reason', async () => {
  await add('Camera');
  expect(await hub.post('input/source/add', { name: 'Camera', config: udp })).toMatchObject({ result: 1003 });
  expect(await hub.post('input/source/add', { name: 'X', config: { type: 1, url: 'rtsps://camera/1' } })).toMatchObject(
    {
      result: 9,
      fields: [{ path: 'config.url', rule: 'unsupported' }],
    },
  );
  expect(await hub.post('input/source/add', { name: 'a/b', config: udp })).toMatchObject({
    result: 7,
    fields: [{ path: 'name', rule: 'characters' }],
  });
  expect(await hub.post('input/source/set', { id: 1, name: 'X' })).toMatchObject({ result: 16 });
  expect(await hub.post('input/source/del', { id: [1, 2] })).toMatchObject({ result: 16 });
});

test('an SRT listener cannot use a port of the hub', async () => {
  const config = (port: number) => ({ srt: { mode: 'listener', host: '0.0.0.0', port, latency: 120 } });
  const refused = { result: 1007, params: { port: 8000 } };
  expect(await hub.post('input/source/add', { name: 'Gate', config: config(8000) })).toMatchObject(refused);
  const { id } = await hub.post('input/source/add', { name: 'Gate', config: config(9000) });
  expect(await hub.post('input/source/set', { id, config: config(8000) })).toMatchObject(refused);
  expect(await hub.post('input/source/set', { id, config: config(9001) })).toMatchObject({ result: 0 });
});

const media = { container: 'ts', video: { codec: 'h264', width: 1920, height: 1080, fps: 25 } } as const;

test('a stored input is tested with its secrets, and the response shows its streams', async () => {
  const id = await add('Camera', caller);
  hub.media.reply = { what: 'tested', outcome: { isFound: true, media } };
  expect(await hub.post('input/source/test', { id })).toEqual({ result: 0, found: true, media });
  const changed = { srt: { mode: 'caller', host: 'camera.example', port: 9100, latency: 50 } };
  await hub.post('input/source/test', { id, config: changed });
  expect(hub.media.asked).toMatchObject([
    { what: 'test', inputId: id, source: { host: 'camera.example', passphrase: 'hidden-phrase' } },
    { what: 'test', inputId: id, source: { latencyMs: 50, passphrase: 'hidden-phrase' } },
  ]);
  expect((await list())[0]?.config.url).toContain('camera.example');
});

test('another server never gets the secrets of a stored input', async () => {
  const id = await add('Camera', caller);
  const config = { srt: { mode: 'caller', host: 'other.example', port: 9100, latency: 200 } };
  const again = { result: 7, fields: [{ path: 'config.srt.passphrase', rule: 'secretAgain' }] };
  for (const call of ['test', 'set']) {
    expect(await hub.post(`input/source/${call}`, { id, config })).toMatchObject(again);
  }
  expect(hub.media.asked).toEqual([]);
  expect((await list())[0]?.config.url).toContain('camera.example');
});

test('an input that is not stored is tested as given, and the response has the reason of a failure', async () => {
  hub.media.reply = { what: 'tested', outcome: { isFound: false, conn: 22, reason: 'refused' } };
  const answer = await hub.post('input/source/test', { config: udp });
  expect(answer).toEqual({ result: 0, found: false, 'conn-state': 22, reason: 'refused' });
  expect(hub.media.asked).toMatchObject([{ inputId: 0, source: { protocol: 'udp', host: '239.9.9.9', port: 6000 } }]);
});

test('a test that is impossible is refused without asking the engine', async () => {
  expect(await hub.post('input/source/test', {})).toMatchObject({ result: 7, fields: [{ path: 'config' }] });
  expect(await hub.post('input/source/test', { id: 1 })).toMatchObject({ result: 16 });
  const wrong = { config: { url: 'rtsps://camera/1' } };
  expect(await hub.post('input/source/test', wrong)).toMatchObject({ result: 9, fields: [{ path: 'config.url' }] });
  expect(hub.media.asked).toEqual([]);
});

test('too many tests at a time, and an engine that is down, are reported separately', async () => {
  expect(await hub.post('input/source/test', { config: udp })).toMatchObject({ result: 47 });
  hub.media.reply = { what: 'error', text: 'too many tests at a time' };
  expect(await hub.post('input/source/test', { config: udp })).toMatchObject({ result: 4 });
});

test('the number of inputs is limited', async () => {
  const row = { protocol: 4, config: '{"protocol":"udp"}', secret: null, createdAt: 0 };
  const rows = Array.from({ length: limits.inputs }, (_, at) => ({ ...row, name: `i${at}` }));
  hub.db.insert(inputs).values(rows).run();
  expect(await hub.post('input/source/add', { name: 'X', config: udp })).toMatchObject({ result: 17 });
});
