import { beforeEach, describe, expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { limits } from '../../contract/limits.ts';
import { defaultChannelNdi } from '../../contract/ndi.ts';
import type { RateHistory } from '../../media/protocol/messages.ts';
import type { ChannelStatus } from '../../media/protocol/reported.ts';
import { channels, outputs } from '../../store/schema.ts';

let hub: StreamingFeatures;
beforeEach(() => {
  hub = createStreamingFeatures();
});

const add = async (name: string, config: object = {}): Promise<number> =>
  (await hub.post('channel/add', { name, config })).id;
const addOutput = async (name: string): Promise<number> =>
  (await hub.post('output/add', { name, config: { type: 1, url: 'udp://239.1.2.3:5000' } })).id;
const query = (id: number, more = '') => hub.get(`channel/query?id=${id}${more}`);
const names = async (more = '') =>
  (await hub.get(`channel/dashboard${more}`)).list.map(({ name }: { name: string }) => name);
const desired = () => hub.media.applied.at(-1)?.channels ?? [];

const connection = { conn: 10, state: 2, kbps: 6000, bytes: 1, since: 1_699_999_990_000 };
const liveStatus = (id: number): ChannelStatus => ({
  id,
  input: { ...connection, protocol: 'rtmp', peer: '192.0.2.5:50000', reconnects: 0 },
  outputs: [],
  clients: [],
});

describe('adding', () => {
  test('takes a name in any script, for its NDI source, its log entry and a search, in one spelling', async () => {
    await add('Su\u0308d 第一演播室', { ndi: { enable: true } });
    const name = 'S\u00fcd 第一演播室';
    expect(await names()).toEqual([name]);
    expect(await names(`?key=${encodeURIComponent('su\u0308D')}`)).toEqual([name]);
    expect(desired()[0]?.outputs).toMatchObject([{ target: { protocol: 'ndi', name } }]);
    expect(hub.operations()).toEqual([`channel.add: ${name}`]);
    expect(await hub.post('channel/add', { name })).toMatchObject({ result: 1003, params: { what: name } });
    expect(await hub.post('channel/add', { name: 'a\u202eb' })).toMatchObject({
      ...{ result: 7, message: "name: 'U+202E' is not allowed; allowed: letters digits space . _ - + ' [ ] ( ) #" },
    });
  });

  test('generates keys and returns the id', async () => {
    const answer = await hub.post('channel/add', { name: 'Studio' });
    expect(answer).toEqual({ result: 0, id: expect.any(Number) });
    expect(answer.id).toBeGreaterThan(100_000);
    const { config } = await query(answer.id);
    expect(config).toEqual({
      enable: true,
      'play-key': expect.stringMatching(/^PULL-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/),
      'push-key': expect.stringMatching(/^PUSH-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/),
      protocol: { rtmp: true, srt: true, ndihx: false, takeover: false, prefer: 1 },
      ndi: { enable: false, ...defaultChannelNdi },
    });
    expect(config['play-key'].slice(5)).not.toBe(config['push-key'].slice(5));
    expect(hub.operations()).toEqual(['channel.add: Studio']);
  });

  test('accepts keys and protocols, and applies them to the engine', async () => {
    const id = await add('Studio', {
      enable: false,
      'play-key': 'watch-it-live',
      'push-key': 'send-it-live',
      protocol: { rtmp: false, prefer: 2 },
    });
    expect(desired()).toEqual([
      {
        id,
        name: 'Studio',
        enabled: false,
        pushKey: 'send-it-live',
        playKey: 'watch-it-live',
        allow: { rtmp: false, srt: true },
        takeover: false,
        inputId: 0,
        input: { protocol: 'push' },
        outputs: [],
      },
    ]);
    expect(hub.operations().join()).not.toMatch(/watch|send/);
  });

  test('is refused for a name or key that exists, in whichever role', async () => {
    await add('Studio', { 'play-key': 'watch-it-live', 'push-key': 'send-it-live' });
    const tryAdd = (name: string, config: object) => hub.post('channel/add', { name, config });
    expect(await tryAdd('Studio', {})).toMatchObject({ result: 1003, params: { what: 'Studio' } });
    const play = { result: 1001, fields: [{ path: 'config.play-key', rule: 'exists' }] };
    const push = { result: 1002, fields: [{ path: 'config.push-key', rule: 'exists' }] };
    expect(await tryAdd('B', { 'play-key': 'watch-it-live' })).toMatchObject(play);
    expect(await tryAdd('B', { 'play-key': 'send-it-live' })).toMatchObject(play);
    expect(await tryAdd('B', { 'push-key': 'send-it-live' })).toMatchObject(push);
    expect(await tryAdd('B', { 'push-key': 'watch-it-live' })).toMatchObject(push);
    expect(await tryAdd('B', { 'push-key': '1234567' })).toMatchObject({
      result: 7,
      fields: [{ path: 'config.push-key', rule: 'shortKey' }],
    });
    expect(await tryAdd('B', { 'push-key': 'one-for-both', 'play-key': 'one-for-both' })).toMatchObject({
      result: 1002,
      fields: [{ path: 'config.push-key', rule: 'sameKey' }],
    });
    expect(await names()).toEqual(['Studio']);
    expect(hub.operations()).toHaveLength(1);
    expect(hub.media.applied).toHaveLength(1);
  });

  test('is refused with the fields that break a rule', async () => {
    expect(
      await hub.post('channel/add', { name: ' x', config: { 'push-key': 'a/b', protocol: { prefer: 3 } } }),
    ).toMatchObject({
      result: 7,
      fields: [
        { path: 'name', rule: 'outerSpace' },
        { path: 'config.push-key', rule: 'characters' },
        { path: 'config.protocol.prefer', rule: 'choice' },
      ],
    });
  });

  test('is refused at the limit of the hub', async () => {
    const row = {
      enabled: true,
      allowRtmp: true,
      allowSrt: true,
      allowNdiHx: false,
      preferredProtocol: 1,
      takeover: false,
      createdAt: 0,
    };
    const rows = Array.from({ length: limits.channels }, (_, at) => ({
      ...row,
      name: `c${at}`,
      playKey: `l${at}`,
      pushKey: `s${at}`,
    }));
    hub.db.insert(channels).values(rows).run();
    expect(await hub.post('channel/add', { name: 'X' })).toMatchObject({ result: 17, params: { limit: 256 } });
  });
});

describe("a channel's own NDI source", () => {
  const offered = () => desired()[0]?.outputs;

  test('is an output known only to the engine, with the name of the channel', async () => {
    const id = await add('Studio', { ndi: { enable: true, group: 'News' } });
    expect(offered()).toEqual([
      { id: 0, enabled: true, target: expect.objectContaining({ protocol: 'ndi', name: 'Studio', groups: 'News' }) },
    ]);
    expect(await query(id)).toMatchObject({
      config: { protocol: { ndihx: true }, ndi: { enable: true, group: 'News', 'transport-mode': 2 } },
      ndi: { name: 'Studio' },
      outputs: { total: 0 },
    });
    await hub.post('channel/set', { id, name: 'Arena', config: { ndi: { enable: false } } });
    expect(offered()).toEqual([]);
    expect(await query(id)).not.toHaveProperty('ndi');
    await hub.post('channel/set', { id, config: { protocol: { ndihx: true } } });
    expect(offered()?.[0]?.target).toMatchObject({ name: 'Arena', groups: 'News' });
    expect(hub.operations().slice(1)).toEqual([
      'channel.set: Studio: NDI false, name Arena',
      'channel.set: Arena: NDI true',
    ]);
  });

  test('uses a multicast group with a mask, as published: the time to live is a string', async () => {
    const multicast = {
      'transport-mode': 1,
      'mcast-ip': '239.200.0.0',
      'mcast-sub-mask': '255.255.0.0',
      'mcast-time-to-live': '4',
    };
    const id = await add('Studio', { ndi: { enable: true, ...multicast } });
    expect((await query(id)).config.ndi).toEqual({ enable: true, group: '', ...multicast });
    expect(offered()?.[0]?.target).toMatchObject({
      transport: 1,
      multicast: { group: '239.200.0.0', mask: '255.255.0.0', ttl: 4 },
    });
    await hub.post('channel/set', { id, config: { ndi: { 'mcast-time-to-live': 9 } } });
    expect((await query(id)).config.ndi).toMatchObject({ 'mcast-time-to-live': '9', 'mcast-ip': '239.200.0.0' });
    // The multicast settings stay, and are not used.
    await hub.post('channel/set', { id, config: { ndi: { 'transport-mode': 0 } } });
    expect(offered()?.[0]?.target).toMatchObject({ transport: 0 });
    expect(offered()?.[0]?.target).not.toHaveProperty('multicast');
    expect(hub.operations().slice(1)).toEqual([
      'channel.set: Studio: NDI by multicast 239.200.0.0',
      'channel.set: Studio: NDI by unicast',
    ]);
  });

  test('stays unchanged when a response is sent back; of its two switches the changed one counts', async () => {
    const id = await add('Studio', { ndi: { enable: true, 'mcast-ip': '239.200.0.0' } });
    const { name, config } = await query(id);
    expect(await hub.post('channel/set', { id, name, config })).toMatchObject({ result: 0 });
    expect(hub.operations()).toHaveLength(1);
    await hub.post('channel/set', { id, config: { ...config, protocol: { ...config.protocol, ndihx: false } } });
    expect((await query(id)).config.ndi).toMatchObject({ enable: false, 'mcast-ip': '239.200.0.0' });
  });

  test.each([
    [{ 'transport-mode': 4 }, 'transport-mode', 'choice'],
    [{ 'mcast-ip': '10.0.0.1' }, 'mcast-ip', 'multicast'],
    [{ 'mcast-sub-mask': '255.0.255.0' }, 'mcast-sub-mask', 'mask'],
    [{ 'mcast-sub-mask': '0.0.0.0' }, 'mcast-sub-mask', 'mask'],
    [{ 'mcast-time-to-live': '256' }, 'mcast-time-to-live', 'range'],
    [{ 'mcast-time-to-live': 'far' }, 'mcast-time-to-live', 'number'],
    [{ group: 'a,,b' }, 'group', 'characters'],
  ])('is refused with %o', async (ndi, member, rule) => {
    const answer = await hub.post('channel/add', { name: 'Studio', config: { ndi } });
    expect(answer).toMatchObject({ result: 7, fields: [{ path: `config.ndi.${member}`, rule }] });
  });

  test('reports a missing runtime at once, whatever the input is', async () => {
    const id = await add('Studio', { ndi: { enable: true } });
    hub.media.report({ parts: [{ name: 'ndi', ok: false, reason: 'missing' }] });
    const { ndi } = await query(id);
    expect(ndi).toMatchObject({ name: 'Studio', 'conn-state': 28, state: 8, reason: 'partMissing' });
    await hub.post('channel/enable', { id, enable: false });
    expect((await query(id)).ndi).toMatchObject({ 'conn-state': 0, reason: 'switchedOff' });
  });
});

describe('changing', () => {
  test('changes only the given members', async () => {
    const id = await add('Studio', { 'play-key': 'watch-it-live', 'push-key': 'send-it-live' });
    await hub.post('channel/set', { id, name: 'Arena', config: { protocol: { srt: false } } });
    expect(await query(id)).toMatchObject({
      name: 'Arena',
      config: { 'play-key': 'watch-it-live', 'push-key': 'send-it-live', protocol: { rtmp: true, srt: false } },
    });
    await hub.post('channel/set', { id, config: { 'push-key': 'sent-it-live' } });
    expect(hub.operations().slice(1)).toEqual([
      'channel.set: Studio: SRT false, name Arena',
      'channel.set: Arena: push key',
    ]);
  });

  test('keeps a key that is shorter than a new one may be', async () => {
    const id = await add('Studio', { 'push-key': 'send-it-live' });
    hub.db.update(channels).set({ playKey: 'tv' }).run();
    const keys = { 'play-key': 'tv', 'push-key': 'send-it-live' };
    expect(await hub.post('channel/set', { id, name: 'Arena', config: keys })).toMatchObject({ result: 0 });
    expect(await query(id)).toMatchObject({ name: 'Arena', config: keys });
    expect(await hub.post('channel/set', { id, name: 'Hall', config: { 'play-key': 'tv2' } })).toMatchObject({
      result: 7,
      fields: [{ path: 'config.play-key', rule: 'shortKey' }],
    });
    expect(await query(id)).toMatchObject({ name: 'Arena', config: keys });
  });

  test('can exchange the two keys, but not make them one', async () => {
    const id = await add('Studio', { 'play-key': 'first-key', 'push-key': 'second-key' });
    expect(
      await hub.post('channel/set', { id, config: { 'play-key': 'second-key', 'push-key': 'first-key' } }),
    ).toMatchObject({
      result: 0,
    });
    expect(desired()[0]).toMatchObject({ playKey: 'second-key', pushKey: 'first-key' });
    expect(await hub.post('channel/set', { id, config: { 'play-key': 'first-key' } })).toMatchObject({
      result: 1001,
      fields: [{ path: 'config.play-key', rule: 'sameKey' }],
    });
  });

  test('to a key or name of another channel is refused and changes nothing', async () => {
    await add('Studio', { 'play-key': 'watch-it-live', 'push-key': 'send-it-live' });
    const id = await add('Arena');
    expect(await hub.post('channel/set', { id, name: 'Hall', config: { 'play-key': 'send-it-live' } })).toMatchObject({
      result: 1001,
    });
    expect(await hub.post('channel/set', { id, name: 'Studio' })).toMatchObject({ result: 1003 });
    expect(await names()).toEqual(['Studio', 'Arena']);
    expect(await hub.post('channel/set', { id: 1, name: 'X' })).toMatchObject({ result: 16 });
  });

  test('enabling twice succeeds and is logged once', async () => {
    const id = await add('Studio');
    for (let i = 0; i < 2; i++) expect(await hub.post('channel/enable', { id, enable: false })).toEqual({ result: 0 });
    expect(desired()[0]?.enabled).toBe(false);
    expect(hub.operations().slice(1)).toEqual(['channel.enable: Studio: enabled false']);
    expect(await hub.post('channel/enable', { id: 1, enable: true })).toMatchObject({ result: 16 });
  });

  test('the input must exist, or be 0', async () => {
    const id = await add('Studio');
    const input = (await hub.post('input/source/add', { name: 'Cam', config: { type: 1, url: 'udp://0.0.0.0:6000' } }))
      .id;
    expect(await hub.post('channel/input/set', { id, input: 5 })).toMatchObject({
      result: 16,
      params: { what: 'input' },
    });
    expect(await hub.post('channel/input/set', { id, input })).toMatchObject({ result: 0 });
    expect(desired()[0]).toMatchObject({ inputId: input, input: { protocol: 'udp', port: 6000 } });
    await hub.post('channel/input/set', { id, input: 0 });
    expect(desired()[0]).toMatchObject({ inputId: 0, input: { protocol: 'push' } });
    expect(hub.operations().slice(2)).toEqual(['channel.setInput: Studio: Cam', 'channel.setInput: Studio: push key']);
  });
});

describe('outputs of a channel', () => {
  test('are assigned, switched and removed; the output itself stays', async () => {
    const id = await add('Studio');
    const output = await addOutput('Lobby');
    for (let i = 0; i < 2; i++) expect(await hub.post('channel/output/add', { id, output })).toEqual({ result: 0 });
    expect(desired()[0]?.outputs).toMatchObject([{ id: output, enabled: true }]);
    await hub.post('channel/output/enable', { id, output, enable: false });
    expect(desired()[0]?.outputs).toMatchObject([{ id: output, enabled: false }]);
    expect((await query(id)).outputs.list).toMatchObject([{ id: output, enable: false, reason: 'switchedOff' }]);
    await hub.post('channel/output/del', { id, output });
    expect(desired()[0]?.outputs).toEqual([]);
    expect((await hub.get('output/list')).total).toBe(1);
    expect(hub.operations().slice(2)).toEqual([
      'channel.addOutput: Studio: Lobby',
      'channel.enableOutput: Studio: Lobby enabled false',
      'channel.delOutput: Studio: Lobby',
    ]);
  });

  test('belong to one channel', async () => {
    const id = await add('Studio');
    const other = await add('Arena');
    const output = await addOutput('Lobby');
    await hub.post('channel/output/add', { id, output });
    expect(await hub.post('channel/output/add', { id: other, output })).toMatchObject({
      result: 1005,
      params: { what: 'Lobby', by: 'Studio' },
    });
    expect(await hub.post('channel/output/del', { id: other, output })).toMatchObject({ result: 16 });
    expect(await hub.post('channel/output/enable', { id: other, output, enable: false })).toMatchObject({ result: 16 });
    expect(await hub.post('channel/output/add', { id, output: 5 })).toMatchObject({ result: 16 });
    expect(await hub.post('channel/output/add', { id: 5, output })).toMatchObject({ result: 16 });
  });

  test('are limited', async () => {
    const id = await add('Studio');
    const row = {
      protocol: 4,
      config: '{"protocol":"udp","host":"239.1.1.1"}',
      secret: null,
      enabled: true,
      createdAt: 0,
    };
    const rows = Array.from({ length: limits.outputsPerChannel }, (_, at) => ({
      ...row,
      channelId: id,
      name: `o${at}`,
    }));
    hub.db.insert(outputs).values(rows).run();
    const output = await addOutput('Lobby');
    expect(await hub.post('channel/output/add', { id, output })).toMatchObject({ result: 17 });
    const config = { type: 1, url: 'udp://239.1.2.3:1' };
    expect(await hub.post('output/add', { name: 'X', config, channel: id })).toMatchObject({ result: 17 });
  });
});

test('deleting removes one or several, all or none, and keeps the outputs', async () => {
  const ids = [await add('A'), await add('B'), await add('C')];
  const output = await addOutput('Lobby');
  await hub.post('channel/output/add', { id: ids[0], output });
  expect(await hub.post('channel/del', { id: [ids[0], 5] })).toMatchObject({ result: 16 });
  expect(await names()).toEqual(['A', 'B', 'C']);
  expect(await hub.post('channel/del', { id: [ids[0], ids[1]] })).toEqual({ result: 0 });
  expect(await hub.post('channel/del', { id: ids[2] })).toEqual({ result: 0 });
  expect(await names()).toEqual([]);
  expect(desired()).toEqual([]);
  expect((await hub.get('output/list')).list[0]).not.toHaveProperty('owner-o');
});

test('keys of a deleted channel are free again', async () => {
  const id = await add('A', { 'play-key': 'watch-it-live', 'push-key': 'send-it-live' });
  await hub.post('channel/del', { id });
  expect(
    await hub.post('channel/add', { name: 'A', config: { 'play-key': 'send-it-live', 'push-key': 'watch-it-live' } }),
  ).toMatchObject({
    result: 0,
  });
});

describe('the dashboard', () => {
  test('counts, sums and lists', async () => {
    const id = await add('Studio');
    await add('Arena', { enable: false });
    const client = { ...connection, id: 3, protocol: 'srt', peer: '192.0.2.9:1', skipped: 0, queueMs: 0 } as const;
    hub.media.report({ channels: [{ ...liveStatus(id), clients: [client] }] });
    expect(await hub.get('channel/dashboard')).toMatchObject({
      result: 0,
      global: {
        ...{ 'enable-num': 1, 'limit-num': 256, 'live-num': 1, 'slate-num': 0 },
        ...{ 'limit-create-num': 256, 'used-num': 2 },
      },
      network: { 'mbps-s': 12 },
      start: 0,
      total: 2,
      list: [
        { name: 'Studio', state: 'live', kbps: 6000, 'living-time-s': 10, clients: { total: 1 } },
        { name: 'Arena', state: 'disabled' },
      ],
    });
    expect(await names('?live=1')).toEqual(['Studio']);
    expect(hub.channels.totals()).toMatchObject({ channel: { 'live-num': 1 }, client: { 'live-num': 1 } });
  });

  test('sorts, filters and pages as published', async () => {
    for (const name of ['b2', 'b10', 'a']) await add(name);
    expect(await names('?sort=name')).toEqual(['a', 'b2', 'b10']);
    expect(await names('?sort=name&order=descending&count=2')).toEqual(['b10', 'b2']);
    expect(await names('?key=B&order=descending')).toEqual(['b2', 'b10']);
    expect(await names('?start=2')).toEqual(['a']);
    expect(await hub.get('channel/dashboard?order=ascending')).toMatchObject({
      result: 7,
      fields: [{ path: 'order' }],
    });
    expect(await hub.get('channel/dashboard?sort=id')).toMatchObject({ result: 7, fields: [{ path: 'sort' }] });
    expect(await hub.get('channel/dashboard?output-count=-1')).toMatchObject({ result: 7 });
  });

  test('has the traffic per minute, or gaps when the engine does not answer', async () => {
    const minutes = async () => (await hub.get('channel/dashboard?history=1')).network['mbps-m'];
    expect(await minutes()).toEqual(Array(60).fill(null));
    const history: RateHistory = { stepSeconds: 1, end: 0, in: Array(90).fill(1000), out: Array(90).fill(2000) };
    hub.media.reply = { what: 'history', history };
    expect((await minutes()).slice(-3)).toEqual([null, 3, 3]);
    expect((await hub.get('channel/dashboard')).network).not.toHaveProperty('mbps-m');
  });
});

describe('one channel', () => {
  test('shows windows of its outputs and clients', async () => {
    const id = await add('Studio');
    for (let at = 0; at < 12; at++) {
      await hub.post('channel/output/add', { id, output: await addOutput(`o${at}`) });
    }
    const shown = async (more: string) => (await query(id, more)).outputs;
    expect(await shown('')).toMatchObject({ start: 0, total: 12, list: { length: 10 } });
    expect((await shown('&output-start=11&output-count=5')).list).toMatchObject([{ name: 'o11' }]);
    expect((await shown('&output-count=0')).list).toEqual([]);
  });

  test('has a history with gaps while the engine is away', async () => {
    const id = await add('Studio');
    expect((await query(id, '&history=1')).history).toMatchObject({ 'step-s': 60, in: Array(60).fill(null) });
    hub.media.reply = { what: 'history', history: { stepSeconds: 1, end: 5, in: [1, null], out: [2, 3] } };
    expect((await query(id, '&history=1')).history).toEqual({ 'step-s': 1, end: 5, in: [1, null], out: [2, 3] });
    expect(await query(id)).not.toHaveProperty('history');
    expect(await query(5)).toMatchObject({ result: 16 });
  });
});

test('at the start the engine gets the stored configuration unchanged', async () => {
  const id = await add('Studio');
  const before = desired();
  hub.channels.applyDesired();
  expect(desired()).toEqual(before);
  expect(desired()[0]?.id).toBe(id);
  expect(hub.media.applied.at(-1)?.settings.rtmpPort).toBe(1935);
});

test('a channel that neither an encoder nor an input can feed is refused', async () => {
  const protocol = { rtmp: false, srt: false };
  const refused = { result: 7, fields: [{ path: 'config.protocol', rule: 'required' }] };
  expect(await hub.post('channel/add', { name: 'Closed', config: { protocol } })).toMatchObject(refused);
  const id = await add('Fed');
  expect(await hub.post('channel/set', { id, config: { protocol } })).toMatchObject(refused);
  const srt = { mode: 'caller', host: '192.0.2.9', port: 9000, latency: 120 };
  const { id: input } = await hub.post('input/source/add', { name: 'Uplink', config: { type: 1, srt } });
  await hub.post('channel/input/set', { id, input });
  expect(await hub.post('channel/set', { id, config: { protocol } })).toMatchObject({ result: 0 });
  const withoutInput = await hub.post('channel/input/set', { id, input: 0 });
  expect(withoutInput).toMatchObject({ result: 7, fields: [{ path: 'input', rule: 'required' }] });
});
