import { beforeEach, describe, expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { limits } from '../../contract/limits.ts';
import { outputs } from '../../store/schema.ts';

let hub: StreamingFeatures;
beforeEach(() => {
  hub = createStreamingFeatures();
});

const udp = { type: 1, url: 'udp://239.1.2.3:5000?ttl=4' };
const rtmp = {
  url: 'rtmp://live.example.net/app',
  key: 'stream-key',
  'enable-auth': true,
  username: 'me',
  password: 'hidden-word',
};
const srt = {
  type: 1,
  srt: { mode: 'caller', host: 'h.example', port: 9000, latency: 120, passphrase: 'hidden-phrase' },
};

const add = async (name: string, config: object = udp): Promise<number> =>
  (await hub.post('output/add', { name, config })).id;
const list = async (query = '') => (await hub.get(`output/list${query}`)).list;

test('an added output is listed with its type, protocol and both forms of its address', async () => {
  const id = await add('Lobby');
  expect(id).toBeGreaterThan(11_000);
  expect(await hub.get('output/list')).toEqual({
    result: 0,
    start: 0,
    total: 1,
    list: [
      {
        id,
        name: 'Lobby',
        type: 514,
        dir: 512,
        protocol: 4,
        config: { ...udp, udp: { host: '239.1.2.3', port: 5000, ttl: 4 } },
        revision: 1,
      },
    ],
  });
});

test('no response, log entry or database row shows a secret in plain text', async () => {
  await add('A', rtmp);
  const id = await add('B', srt);
  await hub.post('output/set', { id, config: { ...srt, srt: { ...srt.srt, passphrase: 'hidden-too-long' } } });
  const shown = JSON.stringify([await list(), hub.operations(), hub.db.select().from(outputs).all()]);
  expect(shown).not.toContain('hidden');
  expect(hub.operations().join()).not.toContain('stream-key');
  const [a, b] = await list();
  expect(a.config).toMatchObject({ key: 'stream-key', 'password-set': true });
  expect(b.config.srt).toMatchObject({ 'passphrase-set': true, 'pb-key-len': 16 });
});

test('sending a response back unchanged changes nothing', async () => {
  await add('A', rtmp);
  await add('B', srt);
  const before = await list();
  for (const output of before) expect(await hub.post('output/set', output)).toMatchObject({ result: 0 });
  expect(await list()).toEqual(before);
});

test('a change affects only the given members and keeps the rest, secrets too', async () => {
  const channel = (await hub.post('channel/add', { name: 'Studio' })).id;
  const { id } = await hub.post('output/add', { name: 'B', config: srt, channel });
  expect(await hub.post('output/set', { id, name: 'C' })).toMatchObject({ result: 0 });
  await hub.post('output/set', { id, config: { type: 1, url: 'srt://h.example:9000?latency=300' } });
  const elsewhere = { type: 1, url: 'srt://other.example:9000?latency=300' };
  const again = { result: 7, fields: [{ path: 'config.url', rule: 'secretAgain' }] };
  expect(await hub.post('output/set', { id, config: elsewhere })).toMatchObject(again);
  const [output] = await list();
  expect(output).toMatchObject({
    name: 'C',
    config: { url: 'srt://h.example:9000?mode=caller&latency=300&pbkeylen=16' },
  });
  expect(hub.media.applied.at(-1)?.channels[0]?.outputs[0]?.target).toMatchObject({ passphrase: 'hidden-phrase' });
  expect(hub.operations().slice(-2)).toEqual(['output.set: B: name C', 'output.set: C: address srt://h.example:9000']);
});

test('with a channel the output is assigned to it in the same step', async () => {
  const channel = (await hub.post('channel/add', { name: 'Studio' })).id;
  const { id } = await hub.post('output/add', { name: 'Lobby', config: udp, channel });
  expect((await list())[0]).toMatchObject({ 'owner-o': 'Studio', 'owner-o-d': channel });
  expect(hub.media.applied.at(-1)?.channels[0]?.outputs).toEqual([
    {
      id,
      enabled: true,
      target: { protocol: 'udp', host: '239.1.2.3', port: 5000, ttl: 4, interface: '', source: '' },
    },
  ]);
  await hub.post('output/add', { name: 'Later', config: udp, channel, enable: false });
  expect(hub.media.applied.at(-1)?.channels[0]?.outputs[1]).toMatchObject({ enabled: false });
  expect(await hub.post('output/add', { name: 'Bar', config: udp, channel: 9 })).toMatchObject({ result: 16 });
  expect(await list()).toHaveLength(2);
});

describe('refused', () => {
  test('an SRT listener cannot use a port of the hub', async () => {
    const config = (port: number) => ({ srt: { mode: 'listener', host: '0.0.0.0', port, latency: 120 } });
    const refused = { result: 1007, params: { port: 8000 } };
    expect(await hub.post('output/add', { name: 'Gate', config: config(8000) })).toMatchObject(refused);
    const { id } = await hub.post('output/add', { name: 'Gate', config: config(9000) });
    expect(await hub.post('output/set', { id, config: config(8000) })).toMatchObject(refused);
    expect(await hub.post('output/set', { id, config: config(9001) })).toMatchObject({ result: 0 });
  });

  test('an RTSP server cannot use a port of the hub, or the path of another output', async () => {
    const config = { type: 0, port: 8554, key: 'stage', 'enable-auth': true, username: 'me', password: 'hidden-word' };
    const { id } = await hub.post('output/add', { name: 'Stage', config });
    expect(await hub.post('output/add', { name: 'X', config: { ...config, port: 8000 } })).toMatchObject({
      ...{ result: 1007, params: { port: 8000 } },
    });
    const taken = { result: 7, fields: [{ path: 'config.key', rule: 'exists' }] };
    expect(await hub.post('output/add', { name: 'X', config })).toMatchObject(taken);
    const other = (await hub.post('output/add', { name: 'Backstage', config: { ...config, key: 'backstage' } })).id;
    expect(await hub.post('output/set', { id: other, config })).toMatchObject(taken);
    for (const output of await list()) expect(await hub.post('output/set', output)).toMatchObject({ result: 0 });
    expect(await hub.post('output/set', { id, config: { ...config, port: 8555 } })).toMatchObject({ result: 0 });
    expect(JSON.stringify([await list(), hub.operations(), hub.db.select().from(outputs).all()])).not.toContain(
      'hidden',
    );
    expect(hub.operations().join()).not.toContain('/stage');
  });

  test('a name that exists, also in a change', async () => {
    await add('Lobby');
    const id = await add('Bar');
    const taken = { result: 1003, params: { what: 'Lobby' }, fields: [{ path: 'name', rule: 'exists' }] };
    expect(await hub.post('output/add', { name: 'Lobby', config: udp })).toMatchObject(taken);
    expect(await hub.post('output/set', { id, name: 'Lobby' })).toMatchObject(taken);
  });

  test('an invalid config, with field and rule', async () => {
    const refusals: [config: object, path: string, rule: string][] = [
      [{}, 'config.url', 'required'],
      [{ srt: { ...srt.srt, latency: 1 } }, 'config.srt.latency', 'range'],
      [{ srt: { ...srt.srt, passphrase: 'short' } }, 'config.srt.passphrase', 'tooShort'],
      [{ udp: { host: '239.1.2.3' } }, 'config.udp.port', 'required'],
      [{ url: 'udp://239.1.2.3:5000?buffer=1' }, 'config.url', 'unknownOption'],
      [{ url: 'udp://239.1.2.3' }, 'config.url', 'required'],
      [{ url: 'rtmp://h.example/app', key: 'a b' }, 'config.key', 'characters'],
      [{ type: 7, url: 'udp://239.1.2.3:5000' }, 'config.type', 'choice'],
    ];
    for (const [config, path, rule] of refusals) {
      const answer = await hub.post('output/add', { name: 'X', config });
      expect(answer).toMatchObject({ result: 7, fields: [{ path, rule }] });
    }
    expect(await list()).toEqual([]);
    expect(hub.operations()).toEqual([]);
  });

  test('an unknown id', async () => {
    expect(await hub.post('output/set', { id: 5, name: 'X' })).toMatchObject({ result: 16 });
    expect(await hub.post('output/del', { id: 5 })).toMatchObject({ result: 16 });
  });

  test('more outputs than the limit', async () => {
    const row = {
      protocol: 4,
      config: '{"protocol":"udp"}',
      secret: null,
      channelId: null,
      enabled: true,
      createdAt: 0,
    };
    const rows = Array.from({ length: limits.outputs }, (_, at) => ({ ...row, name: `o${at}` }));
    hub.db.insert(outputs).values(rows).run();
    expect(await hub.post('output/add', { name: 'X', config: udp })).toMatchObject({
      result: 17,
      params: { limit: limits.outputs },
    });
  });
});

describe('deleting', () => {
  test('removes one or several, all or none', async () => {
    const ids = [await add('A'), await add('B'), await add('C')];
    expect(await hub.post('output/del', { id: [ids[0], 999] })).toMatchObject({ result: 16 });
    expect(await list()).toHaveLength(3);
    await hub.post('output/del', { id: [ids[0], ids[1], ids[0]] });
    await hub.post('output/del', { id: ids[2] });
    expect(await list()).toEqual([]);
    expect(hub.operations().slice(-3)).toEqual(['output.del: A', 'output.del: B', 'output.del: C']);
  });

  test('of outputs that a channel uses requires force', async () => {
    const channel = (await hub.post('channel/add', { name: 'Studio' })).id;
    const { id } = await hub.post('output/add', { name: 'Lobby', config: udp, channel });
    const free = await add('Free');
    expect(await hub.post('output/del', { id: [free, id] })).toMatchObject({
      result: 1005,
      params: { what: 'Lobby', by: 'Studio' },
    });
    expect(await list()).toHaveLength(2);
    expect(await hub.post('output/del', { id: [free, id], force: true })).toEqual({ result: 0 });
    expect(hub.media.applied.at(-1)?.channels[0]?.outputs).toEqual([]);
  });
});

test('lists are sorted, filtered and paged', async () => {
  for (const name of ['b2', 'b10', 'a']) await add(name);
  const names = async (query: string) => (await list(query)).map(({ name }: { name: string }) => name);
  expect(await names('?sort=name&order=descending')).toEqual(['b10', 'b2', 'a']);
  expect(await names('?start=1&count=1')).toEqual(['b10']);
  expect(await names('?key=B')).toEqual(['b2', 'b10']);
  expect(await hub.get('output/list?order=ascending')).toMatchObject({ result: 7, fields: [{ path: 'order' }] });
});
