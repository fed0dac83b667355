/**
 * The calls of the published API for inputs, outputs, channels and previews, as a script makes them with curl: with the
 * documented payloads, expecting the documented members and types. Additional members are extensions.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { leasePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { killAll, publish, run } from './live-media.ts';
import { type ApiResponse, expectShape, type Json, publishedCalls, type Shape } from './published-calls.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
let cookie = '';
const { curl, asked, sent, good } = publishedCalls(() => ({ url: hub.url, cookie }));
/** The console's query, since the published response of `add` has no id. */
const idOf = async (list: string, name: string) =>
  ((await asked(`${list}?count=1000`)).list as { id: number; name: string }[]).find((one) => one.name === name)?.id ??
  0;

beforeAll(async () => {
  hub = await startHub({});
  const pass = createHash('md5').update(adminPassword).digest('hex');
  const answer = await sent('/api/login', { id: 'Admin', pass });
  expectShape(answer, {
    ...{ result: 'number', 'is-hardware': 'boolean', token: 'string' },
    user: { name: 'string', id: 'number', 'group-name': 'string', permission: 'number', type: 'number' },
  });
  expect(answer).toMatchObject({ result: 0, user: { name: 'Admin', id: 1, permission: 4_294_967_295, type: 1 } });
  cookie = `mwcloud-sid=${answer.token}; mwcloud-uid=Admin`;
});
afterAll(async () => {
  await killAll();
  await hub.stop();
});

const inputs = '/api/input/source/list';
const outputs = '/api/output/list';
const inputShape: Shape = {
  id: 'number',
  name: 'string',
  type: 'number',
  dir: 'number',
  protocol: 'number',
  config: { type: 'number', url: 'string' },
};

describe('inputs', () => {
  const secret = 'a-long-secret';
  test.each([
    ['rtsp://192.0.2.1:554/path?mw-tcp-first=1', 16],
    ['rtmp://192.0.2.1/app/key', 1],
    ['udp://239.1.2.3:5000', 4],
    ['udp://0.0.0.0:5000', 4],
    ['rtp://239.1.2.3:5004', 8],
    ['rtp://0.0.0.0:5004', 8],
    [`srt://192.0.2.1:9000?mode=caller&latency=125&streamid=a&passphrase=${secret}`, 2],
    ['srt://0.0.0.0:9001?mode=listener&latency=125&streamid=a', 2],
    ['http://192.0.2.1/live/index.m3u8', 32],
  ])('%s is added, listed, changed by its whole object or a part of it, and deleted', async (url, protocol) => {
    await good('/api/input/source/add', { name: 'As published', config: { type: 1, url } });
    const { list } = await asked(inputs);
    const [input] = list as ApiResponse[];
    expectShape(input, inputShape);
    expect(input).toMatchObject({ name: 'As published', type: 258, dir: 256, protocol, config: { type: 1 } });
    expect(JSON.stringify(list)).not.toContain(secret);
    const id = input?.id ?? 0;
    await good('/api/input/source/set', {
      id,
      name: 'Renamed',
      dir: 256,
      type: 258,
      protocol,
      config: { type: 1, url },
    });
    await good('/api/input/source/set', { id, config: { type: 1, url: 'udp://239.1.2.9:5000' } });
    expect((await asked(inputs)).list).toMatchObject([{ id, name: 'Renamed', protocol: 4 }]);
    await good('/api/input/source/del', { id });
    expect(await asked(inputs)).toMatchObject({ result: 0, start: 0, total: 0, list: [] });
  });

  test('list the channels that use them, and are deleted with force', async () => {
    for (const name of ['One', 'Two', 'Three'])
      await good('/api/input/source/add', { name, config: { type: 1, url: 'udp://239.1.2.3:5000' } });
    const [one, two, three] = await Promise.all(['One', 'Two', 'Three'].map((name) => idOf(inputs, name)));
    await good('/api/channel/add', { name: 'User', config: {} });
    const channel = await idOf('/api/channel/dashboard', 'User');
    await good('/api/channel/input/set', { id: channel, input: one! });
    const [used] = (await asked(inputs)).list as ApiResponse[];
    expectShape(used, { ...inputShape, 'owner-i': 'strings', 'owner-i-d': 'numbers' });
    expect(used).toMatchObject({ 'owner-i': ['User'], 'owner-i-d': [channel] });
    expect(await sent('/api/input/source/del', { id: one! })).toMatchObject({ result: 1005 });
    await good('/api/input/source/del', { id: one!, force: true });
    await good('/api/input/source/del', { id: [two!, three!] });
    await good('/api/channel/del', { id: [channel] });
  });

  test('are listed in pages, by name on request; an order alone is invalid, and a key makes it irrelevant', async () => {
    for (const name of ['b', 'a', 'c'])
      await good('/api/input/source/add', { name, config: { type: 1, url: 'udp://239.1.2.3:5000' } });
    const names = async (query: string) => {
      const { start, total, list } = await asked(`${inputs}?${query}`);
      return { start, total, names: (list as ApiResponse[]).map(({ name }) => name) };
    };
    expect(await names('start=1&count=1')).toEqual({ start: 1, total: 3, names: ['a'] });
    expect((await names('sort=name&order=descending')).names).toEqual(['c', 'b', 'a']);
    expect((await names('key=a&order=descending')).names).toEqual(['a']);
    expect(await asked(`${inputs}?order=ascending`)).toMatchObject({ result: 7 });
  });
});

test('outputs are listed with their one channel, and RTMP and RTSP with their own members', async () => {
  const rtmp = { url: 'rtmp://192.0.2.1/app', key: 'k', 'enable-auth': true, username: 'me', password: 'hidden-word' };
  const login = { 'enable-auth': true, username: 'me', password: 'hidden-word' };
  const [port] = [leasePort()];
  const rtsp = { type: 0, port, key: 'stage', 'max-client-num': 2, ...login };
  await good('/api/channel/add', { name: 'Owner', config: {} });
  const channel = await idOf('/api/channel/dashboard', 'Owner');
  for (const [name, config] of [
    ['To a CDN', rtmp],
    ['Served', rtsp],
  ] as const) {
    await good('/api/output/add', { name, config });
    await good('/api/channel/output/add', { id: channel, output: await idOf(outputs, name) });
  }
  const { start, total, list } = await asked(outputs);
  expect({ start, total }).toEqual({ start: 0, total: 2 });
  const [cdn, served] = list as ApiResponse[];
  const shape: Shape = {
    id: 'number',
    name: 'string',
    type: 'number',
    dir: 'number',
    protocol: 'number',
    'owner-o': 'string',
    'owner-o-d': 'number',
  };
  const shown: Shape = { key: 'string', 'enable-auth': 'boolean', username: 'string' };
  expectShape(cdn, { ...shape, config: { ...shown, url: 'string' } });
  expectShape(served, { ...shape, config: { ...shown, type: 'number', port: 'number', 'max-client-num': 'number' } });
  expect(cdn).toMatchObject({ type: 514, dir: 512, protocol: 1, 'owner-o': 'Owner', 'owner-o-d': channel });
  expect(served).toMatchObject({ protocol: 16, config: { type: 0, port, key: 'stage', 'max-client-num': 2 } });
  expect(JSON.stringify(list)).not.toContain('hidden-word');
  await good('/api/output/del', { id: [cdn!.id as number, served!.id as number], force: true });
  await good('/api/channel/del', { id: channel });
});

describe('channels', () => {
  test('are added, changed, switched and deleted with the documented members', async () => {
    const ndi = {
      ...{ enable: false, 'transport-mode': 1, 'mcast-ip': '239.255.0.0', 'mcast-sub-mask': '255.255.0.0' },
      ...{ 'mcast-time-to-live': '1', group: 'Public' },
    };
    const protocol = { rtmp: true, srt: true, ndihx: false, takeover: false, prefer: 1 };
    const config = { 'play-key': 'watch-published', 'push-key': 'send-published', ndi, protocol };
    await good('/api/channel/add', { name: 'Studio', config });
    const id = await idOf('/api/channel/dashboard', 'Studio');
    const channel = await asked(
      `/api/channel/query?id=${id}&output-start=0&output-count=10&client-start=0&client-count=10`,
    );
    expectShape(channel, {
      ...{ result: 'number', id: 'number', name: 'string' },
      config: {
        ...{ enable: 'boolean', 'play-key': 'string', 'push-key': 'string' },
        protocol: { rtmp: 'boolean', srt: 'boolean', ndihx: 'boolean', prefer: 'number' },
        ndi: {
          ...{ enable: 'boolean', 'transport-mode': 'number', 'mcast-ip': 'string', 'mcast-sub-mask': 'string' },
          ...{ 'mcast-time-to-live': 'string', group: 'string' },
        },
      },
      input: {
        ...{ id: 'number', name: 'string', type: 'number', protocol: 'number', addr: 'string' },
        ...{ 'conn-state': 'number', state: 'number', kbps: 'number' },
      },
      outputs: { list: 'list' },
      clients: { list: 'list' },
    });
    expect(channel.config).toEqual({ enable: true, ...config });
    await good('/api/channel/set', { id, name: 'Arena', config: channel.config! });
    await good('/api/channel/enable', { id, enable: false });
    expect(await asked(`/api/channel/query?id=${id}`)).toMatchObject({ name: 'Arena', config: { enable: false } });
    await good('/api/channel/del', { id });
    expect(await asked(`/api/channel/query?id=${id}`)).toMatchObject({ result: 16 });
  });

  test('get generated keys of the documented form', async () => {
    await good('/api/channel/add', { name: 'Studio', config: {} });
    const id = await idOf('/api/channel/dashboard', 'Studio');
    const { config } = await asked(`/api/channel/query?id=${id}`);
    const uuid = '[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}';
    expect(config).toMatchObject({
      'play-key': expect.stringMatching(new RegExp(`^PULL-${uuid}$`)),
      'push-key': expect.stringMatching(new RegExp(`^PUSH-${uuid}$`)),
    });
    await good('/api/channel/del', { id });
  });

  test('are reported live with their input, an SRT output, its report, and the figures of all', async () => {
    const config = { 'play-key': 'watch-live', 'push-key': 'send-live' };
    await good('/api/channel/add', { name: 'Live', config });
    const id = await idOf('/api/channel/dashboard', 'Live');
    const port = leasePort();
    run(['srt-live-transmit', '-q', `srt://127.0.0.1:${port}?mode=listener`, 'file://con']);
    const url = `srt://127.0.0.1:${port}?mode=caller&latency=125`;
    await good('/api/output/add', { name: 'Far', config: { type: 1, url } });
    await good('/api/channel/output/add', { id, output: await idOf(outputs, 'Far') });
    await good('/api/channel/output/enable', { id, output: await idOf(outputs, 'Far'), enable: true });
    publish(`rtmp://127.0.0.1:${hub.ports.rtmp}/live/send-live`);
    const query = () =>
      asked(`/api/channel/query?id=${id}`) as Promise<ApiResponse & { outputs: { list: ApiResponse[] } }>;
    const report = async () => (await query()).outputs.list[0]?.report as { [name: string]: Json } | undefined;
    await until(async () => (await report())?.['pkt-loss'] !== undefined, 30_000, 'the output is reported');
    const { outputs: sending, input } = await query();
    expectShape(sending.list[0], {
      ...{ id: 'number', name: 'string', type: 'number', protocol: 'number', mode: 'string', state: 'number' },
      ...{ 'conn-state': 'number', kbps: 'number', 'living-time-s': 'number' },
      report: { 'pkt-drop': 'number', 'pkt-drop-total': 'number', 'pkt-loss': 'number' },
    });
    expect(sending.list[0]).toMatchObject({ type: 514, protocol: 2, mode: 'caller', state: 2 });
    expect(input).toMatchObject({ type: 260, protocol: 1, 'conn-state': 10, state: 2 });
    const page = 'start=0&count=5&live=1&output-start=0&output-count=0&client-start=0&client-count=0&history=1';
    const dashboard = await asked(`/api/channel/dashboard?${page}&sort=name&order=ascending`);
    expectShape(dashboard, {
      ...{ result: 'number', start: 'number', total: 'number', list: 'list' },
      global: {
        ...{ 'enable-num': 'number', 'limit-num': 'number', 'live-num': 'number' },
        ...{ 'limit-create-num': 'number', 'used-num': 'number' },
      },
      network: { 'mbps-s': 'number', 'mbps-m': 'list' },
    });
    expect(dashboard.list).toMatchObject([{ id, outputs: { list: [] } }]);
    expect((dashboard.network as { 'mbps-m': Json[] })['mbps-m']).toHaveLength(60);
  });
});

test('SRT encryption is shown by its key length, and the settings never return its passphrase', async () => {
  for (const length of [16, 24, 32, 0]) {
    const srt = { 'pb-key-len': length, ...(length > 0 && { passphrase: 'a-long-secret' }) };
    await good('/api/settings/set', { srt });
    const text = await curl('/api/settings/get');
    expect(text).toContain(`"pb-key-len":${length}`);
    expect(text).not.toContain('a-long-secret');
  }
});

test('a preview stream is opened, configured by numbers or strings, and cleared', async () => {
  const opening = new AbortController();
  const opened = await fetch(`${hub.url}/api/preview/open?v=${Date.now()}`, {
    headers: { cookie },
    signal: opening.signal,
  });
  // Bun closes a connection whose response is no longer referenced.
  const stream = opened.body?.getReader();
  const handle = opened.headers.get('handle-id') ?? '';
  expect({ status: opened.status, handle }).toEqual({ status: 200, handle: expect.stringMatching(/.+/) });
  await good('/api/channel/add', { name: 'Seen', config: {} });
  const id = await idOf('/api/channel/dashboard', 'Seen');
  await good('/api/preview/setup', { id: handle, add: [id] });
  await good('/api/preview/setup', { id: handle, add: [String(id)], del: [id] });
  expect(await sent('/api/preview/setup', { id: 'none', add: [id] })).toMatchObject({ result: 16 });
  expect(await asked(`/api/preview/clear?id=${handle}`)).toMatchObject({ result: 0 });
  while ((await stream?.read())?.done === false);
  opening.abort();
});
