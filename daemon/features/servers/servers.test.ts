import { beforeEach, expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { limits } from '../../contract/limits.ts';

let hub: StreamingFeatures;
beforeEach(() => {
  hub = createStreamingFeatures();
});

const rtmp = { type: 1, url: 'rtmp://live.example/app', 'main-key': 'hidden-main' };
const both = { ...rtmp, 'sub-stream': true, 'sub-key': 'hidden-sub' };
const caller = { type: 2, url: 'studio.example', port: 9000, 'main-key': 'hidden-id' };
const listener = { type: 3, port: 9100, 'max-connections': 4 };
const add = async (name: string, config: object): Promise<number> =>
  (await hub.post('server/add', { name, config })).id;
const list = async () => (await hub.get('server/list')).list;

test('each type is listed with its own members, and without secrets', async () => {
  const login = { 'enable-auth': true, username: 'crew', password: 'hidden-word' };
  const ids = [
    await add('A', { ...both, ...login }),
    await add('B', { ...caller, 'pb-key-len': 16, passphrase: 'hidden-phrase' }),
  ];
  ids.push(await add('C', listener));
  expect(await list()).toEqual([
    {
      ...{
        id: ids[0],
        revision: 1,
        name: 'A',
        type: 1,
        url: rtmp.url,
        'enable-auth': true,
        username: 'crew',
        'password-set': true,
      },
      ...{ 'main-stream': true, 'main-key-set': true, 'sub-stream': true, 'sub-key-set': true },
    },
    {
      ...{
        id: ids[1],
        revision: 1,
        name: 'B',
        type: 2,
        url: 'studio.example',
        port: 9000,
        latency: 120,
        'bandwidth-overhead': 0,
      },
      ...{ 'pb-key-len': 16, 'passphrase-set': true },
      ...{ 'main-stream': true, 'main-key-set': true, 'sub-stream': false, 'sub-key-set': false },
    },
    {
      ...{
        id: ids[2],
        revision: 1,
        name: 'C',
        type: 3,
        url: '0.0.0.0',
        port: 9100,
        latency: 120,
        'bandwidth-overhead': 0,
      },
      ...{ 'pb-key-len': 0, 'passphrase-set': false, 'max-connections': 4 },
      ...{ 'main-stream': true, 'main-key-set': false, 'sub-stream': false, 'sub-key-set': false },
    },
  ]);
  const stored = hub.db.$client.query('SELECT * FROM servers').all();
  expect(JSON.stringify([await list(), hub.operations(), stored])).not.toContain('hidden');
});

test.each([
  ['the same stream key at the same place', rtmp, { ...rtmp, url: 'rtmp://LIVE.example:1935/app/' }, 'config.main-key'],
  ['the other stream’s key', both, { ...rtmp, 'main-key': 'hidden-sub' }, 'config.main-key'],
  ['the same stream id', caller, { ...caller, url: 'Studio.example' }, 'config.main-key'],
  ['no stream id twice', { ...caller, 'main-key': '' }, { ...caller, 'main-key': '' }, 'config.url'],
  ['the port of another listener', listener, { ...listener, url: '127.0.0.1', 'main-key': 'x' }, 'config.port'],
])('a server is refused if it has %s', async (_, first, second, path) => {
  await add('First', first);
  const refused = { result: 1003, params: { what: 'First' }, fields: [{ path, rule: 'sameServer' }] };
  expect(await hub.post('server/add', { name: 'Second', config: second })).toMatchObject(refused);
  const id = await add('Other', { ...caller, port: 7777 });
  expect(await hub.post('server/set', { id, config: second })).toMatchObject(refused);
  expect(await list()).toHaveLength(2);
});

test('the same address with another key is another server, and names are unique', async () => {
  await add('First', rtmp);
  expect(await add('Second', { ...rtmp, 'main-key': 'other' })).toBeGreaterThan(21_000);
  const taken = { result: 1003, params: { what: 'First' }, fields: [{ path: 'name', rule: 'exists' }] };
  expect(await hub.post('server/add', { name: 'First', config: caller })).toMatchObject(taken);
});

test.each<[object, string, string]>([
  [{ ...rtmp, 'main-key': '' }, 'config.main-key', 'required'],
  [{ ...rtmp, 'main-key': 'a b' }, 'config.main-key', 'characters'],
  [{ ...both, 'sub-key': 'hidden-main' }, 'config.sub-key', 'unique'],
  [{ ...rtmp, 'main-stream': false }, 'config.main-stream', 'required'],
  [{ ...rtmp, 'enable-auth': true }, 'config.username', 'required'],
  [{ ...rtmp, url: 'http://live.example/app' }, 'config.url', 'rtmpUrl'],
  [{ ...caller, url: '0.0.0.0' }, 'config.url', 'host'],
  [{ ...caller, port: 0 }, 'config.port', 'range'],
  [{ ...caller, latency: 19 }, 'config.latency', 'range'],
  [{ ...caller, 'pb-key-len': 16 }, 'config.passphrase', 'passphraseNeeded'],
  [{ ...listener, url: 'studio.example' }, 'config.url', 'host'],
  [{ ...listener, 'max-connections': 65 }, 'config.max-connections', 'range'],
])('%j is refused at %s: %s', async (config, path, rule) => {
  expect(await hub.post('server/add', { name: 'X', config })).toMatchObject({ result: 7, fields: [{ path, rule }] });
});

test('a change keeps omitted secrets', async () => {
  const id = await add('First', { ...both, 'enable-auth': true, username: 'crew', password: 'hidden-word' });
  const { url, type } = rtmp;
  expect(await hub.post('server/set', { id, name: 'Renamed', config: { type, url } })).toMatchObject({ result: 0 });
  expect((await list())[0]).toMatchObject({
    name: 'Renamed',
    'main-key-set': true,
    'sub-key-set': true,
    'password-set': true,
  });
  await hub.post('server/set', { id, config: { type, url, 'sub-stream': false } });
  expect((await list())[0]).toMatchObject({ 'main-key-set': true, 'sub-stream': false, 'sub-key-set': false });
});

test.each<[string, object, object, string]>([
  ['the key of RTMP', both, { type: 1, url: 'rtmp://other.example/app', 'sub-key': 'typed' }, 'config.main-key'],
  ['the key of RTMP', both, { type: 1, url: 'rtmp://other.example/app', 'main-key': 'typed' }, 'config.sub-key'],
  ['a stream id', caller, { type: 2, url: 'studio.example', port: 9001 }, 'config.main-key'],
  ['a stream id', caller, { ...listener, 'main-stream': true }, 'config.main-key'],
  [
    'a passphrase',
    { ...caller, 'pb-key-len': 16, passphrase: 'hidden-phrase' },
    { type: 2, url: 'other.example', port: 9000, 'main-key': 'typed' },
    'config.passphrase',
  ],
  [
    'a password',
    { ...rtmp, 'enable-auth': true, username: 'crew', password: 'hidden-word' },
    { type: 1, url: 'rtmps://live.example/app', 'main-key': 'typed' },
    'config.password',
  ],
])('%s must be sent again when the address changes', async (_, stored, config, path) => {
  const id = await add('First', stored);
  const again = { result: 7, fields: [{ path, rule: 'secretAgain' }] };
  expect(await hub.post('server/set', { id, config })).toMatchObject(again);
  expect((await list())[0]).toMatchObject({ revision: 1 });
});

test('an output is created from either stream, with the secrets, and is independent of the server', async () => {
  const channel = (await hub.post('channel/add', { name: 'One' })).id;
  const id = await add('First', both);
  const { id: output } = await hub.post('server/output/add', { id, stream: 'sub', name: 'From server', channel });
  await hub.post('server/del', { id });
  expect(hub.media.applied.at(-1)?.channels[0]?.outputs).toEqual([
    {
      id: output,
      enabled: true,
      target: { protocol: 'rtmp', url: rtmp.url, key: 'hidden-sub', username: '', password: '' },
    },
  ]);
  expect((await hub.get('output/list')).list[0]).toMatchObject({ name: 'From server', 'owner-o': 'One' });
  expect(hub.operations().slice(-2)).toEqual([
    'output.add: From server: rtmp://live.example/app, for One',
    'server.del: First',
  ]);
});

test.each<[string, object, object]>([
  ['RTMP', both, { 'key-set': true }],
  ['SRT', caller, { srt: { 'stream-id-set': true } }],
  ['an SRT listener', { ...listener, 'main-key': 'hidden-id' }, { srt: { 'stream-id-set': true } }],
])(
  'an output made from a server of %s never shows its key, nor does anything made from that output',
  async (_, config, shown) => {
    const id = await add('First', config);
    const { id: output } = await hub.post('server/output/add', { id, stream: 'main', name: 'Made' });
    const shownOutput = async () => (await hub.get('output/list')).list[0].config;
    expect(await shownOutput()).toMatchObject(shown);
    expect(await hub.post('output/set', { id: output, name: 'Other', config: await shownOutput() })).toMatchObject({
      result: 0,
    });
    expect((await hub.post('output/reveal', { id: output })).config).toMatchObject(shown);
    const { id: preset } = await hub.post('preset/save', { name: 'Kept', output });
    await hub.post('preset/use', {
      id: preset,
      name: 'Again',
      channel: (await hub.post('channel/add', { name: 'One' })).id,
    });
    const seen = [
      await hub.get('output/list'),
      await hub.get('preset/list'),
      await hub.get('server/list'),
      hub.operations(),
    ];
    expect(JSON.stringify(seen)).not.toContain('hidden');
    expect(JSON.stringify(hub.media.applied.at(-1)?.channels[0]?.outputs)).toContain('hidden');
  },
);

test('a key that a user has sent is shown again', async () => {
  const id = await add('First', both);
  const { id: output } = await hub.post('server/output/add', { id, stream: 'main', name: 'Made' });
  await hub.post('output/set', { id: output, config: { url: rtmp.url, key: 'typed' } });
  expect((await hub.get('output/list')).list[0].config).toMatchObject({ key: 'typed' });
});

test('an output cannot be made from a stream that the server does not accept, or on a port of the hub', async () => {
  const id = await add('First', rtmp);
  const of = { stream: 'sub', name: 'X' };
  const fault = { result: 7, fields: [{ path: 'stream', rule: 'choice' }] };
  expect(await hub.post('server/output/add', { id, ...of })).toMatchObject(fault);
  const own = await add('Own port', { ...listener, port: 8000 });
  expect(await hub.post('server/output/add', { id: own, stream: 'main', name: 'X' })).toMatchObject({ result: 1007 });
  expect(await hub.post('server/output/add', { id: 1, ...of })).toMatchObject({ result: 16 });
});

test('the number of servers is limited to 16', async () => {
  for (let at = 0; at < limits.servers; at++) await add(`S ${at}`, { ...caller, port: 9000 + at });
  expect(await hub.post('server/add', { name: 'X', config: rtmp })).toMatchObject({
    result: 17,
    params: { limit: 16 },
  });
});
