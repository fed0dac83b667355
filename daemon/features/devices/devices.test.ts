import { afterEach, describe, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { until } from '../../../tests/support/until.ts';
import type { DeviceGroup } from '../../contract/device-groups.ts';
import { regStates } from '../../contract/device-states.ts';
import { Device, deviceApi } from '../../contract/devices.ts';
import type { DeviceSession } from '../../devices/driver.ts';
import { createFleetDouble, identityOf } from '../../devices/fleet-double-for-test.ts';
import { DeviceProblem } from '../../devices/problem.ts';

let remove = () => {};
afterEach(() => remove());

async function setup(env: Record<string, string> = {}) {
  const fleet = createFleetDouble();
  const hub = await composedHub({ devices: fleet, env: { SIGNALBOX_FEATURES: 'devices', ...env } });
  remove = hub.remove;
  hub.hub.start();
  const admin = await hub.signIn('Admin');
  const get = (path: string, as = admin) => hub.json(`/api/${path}`, { as });
  const post = (path: string, body: object, as = admin) => hub.post(`/api/${path}`, body, as);
  let count = 0;
  /** Adds a device by its address. */
  const add = async (sn: string, more: object = {}, identity = {}) => {
    count += 1;
    const address = `10.0.0.${count}`;
    fleet.at.set(address, { identity: identityOf(sn, identity), api: 'usapi' });
    return await post('device/add', { address, user: 'admin', password: 'of-the-device', ...more });
  };
  const apply = (sn: string, agentKey = 'key') => hub.hub.devices.applyFor({ identity: identityOf(sn), agentKey });
  const query = async (sn: string) => (await get(`device/query?sn=${sn}`)).dev;
  const sns = async (query = '', as = admin): Promise<string[]> =>
    (await get(`device/list?${query}`, as)).list.map(({ sn }: Device) => sn);
  const log = async () =>
    (await get('log/list?count=100')).list.map(({ action, detail }: never) => `${action}: ${detail}`) as string[];
  return { ...hub, fleet, admin, get, post, add, apply, query, sns, log };
}

const encoder = 'B313220914001';
const decoder = 'C413220914002';
const ofDecoder = { 'product-id': 1060 - 20, model: 'NDI to HDMI' };

describe('a device', () => {
  test('is identified when it is added by its address, and is accepted and asked then', async () => {
    const { add, query, fleet, log } = await setup();
    expect(fleet.isLoaded).toBe(false);
    expect(await add(encoder)).toEqual({ result: 0, list: [{ address: '10.0.0.1', sn: encoder, result: 0 }] });
    await until(() => fleet.asked.length === 1);
    expect(fleet.asked[0]).toMatchObject({ sn: encoder, api: 'usapi', credentials: { password: 'of-the-device' } });
    const device = await query(encoder);
    expect(deviceApi.query.response.parse({ dev: device }).dev).toEqual(device);
    expect(device).toMatchObject({
      ...{ id: 200_001, sn: encoder, name: `Device ${encoder}`, 'reg-state': 101, module: 2, 'product-id': 787 },
      ...{ 'module-name': 'Ultra Encode AIO', 'hardware-ver': 'B', 'firmware-ver': '2.3.43', 'catalog-id': 0 },
      ...{ type: 257, dir: 256, 'dev-type': 258, config: null, 'is-inherit': 1, 'is-favorite': 0, link: 'direct' },
      ...{ connection: 'connecting', 'online-date': 0, address: '10.0.0.1', user: 'admin', 'password-set': true },
      'push-key': expect.stringMatching(/^\[MGDEV\]-B313220914001-[0-9a-f]{16}$/),
    });
    expect(JSON.stringify(device)).not.toContain('of-the-device');
    expect(await log()).toContain(`device.add: Device ${encoder}: ${encoder}, 10.0.0.1`);
  });

  test('shows what it reports, in the published form and its own', async () => {
    const { add, query, fleet, get } = await setup();
    await add(encoder);
    await until(() => fleet.asked.length === 1);
    fleet.online(encoder, {
      ethernet: { address: '10.0.0.1', 'rx-kbps': 400.4, 'tx-kbps': 8000 },
      ...{ cpu: 31.6, temperature: 50, 'uptime-s': 12.9, recording: true, living: true, 'cur-status': 0x45 },
      signal: { state: 'none', text: 'no signal' },
      warnings: ['noSignal', 'hot'],
      streams: [
        { id: '1', name: 'a', protocol: 'RTMP', state: 'running', kbps: 4000 },
        { id: '2', name: 'b', protocol: 'RTMP', state: 'off', kbps: 1 },
      ],
    });
    expect(await query(encoder)).toMatchObject({
      ...{
        connection: 'online',
        'online-date': 1_700_000_000_000,
        'dev-warns': 5,
        'pro-feature': { input: 'no signal' },
      },
      status: { 'cur-status': 0x47, eth: '10.0.0.1', 'up-time': 12, cpu: [null, 1, 2], 'eth-rx': [null, 1000, 2000] },
      figures: { cpu: 32, temperature: 50, 'rx-kbps': 400, 'tx-kbps': 8000, 'stream-kbps': 4000 },
      facts: { identity: { sn: encoder }, warnings: ['noSignal', 'hot'] },
    });
    fleet.offline(encoder, 'wrongPassword');
    const dev = await query(encoder);
    expect(dev).toMatchObject({
      ...{ connection: 'offline', 'online-date': 0, problem: 'wrongPassword', 'problem-text': 'is wrongPassword' },
      ...{ 'dev-warns': 0, status: { 'cur-status': 0 } },
    });
    const { list } = await get('device/list');
    expect(Device.parse(list[0])).toEqual(list[0]);
  });

  test('that cannot be identified is refused with its problem, in a list each for itself', async () => {
    const { post, fleet, add, admin, json } = await setup();
    await add(encoder);
    const known = { identity: identityOf(encoder), api: 'usapi' as const };
    fleet.at.set('a.example', known).set('b.example', new DeviceProblem('wrongPassword', 'not that one'));
    const fresh = Object.assign(new DeviceProblem('certificateUnknown', 'self-signed'), {
      fingerprint: 'ab'.repeat(32),
    });
    fleet.at.set('https://c.example', fresh).set('d.example:8080', { ...known, identity: identityOf('NEW') });
    fleet.at.set('e.example', { ...known, identity: identityOf('') });
    expect(await post('device/add', { address: 'b.example' })).toMatchObject({
      ...{ result: 36, params: { problem: 'wrongPassword', what: 'b.example' } },
    });
    expect(await post('device/add', { address: 'nothing.example' })).toMatchObject({ result: 10007 });
    const addresses = ['a.example', 'b.example', 'https://c.example', 'd.example:8080', 'e.example'];
    const { list } = await post('device/add', { list: addresses.map((address) => ({ address })) });
    expect(list).toMatchObject([
      { address: 'a.example', result: 1003 },
      { address: 'b.example', result: 36, problem: 'wrongPassword' },
      { address: 'https://c.example', result: 40, problem: 'certificateUnknown', pin: 'ab'.repeat(32) },
      { address: 'd.example:8080', sn: 'NEW', result: 0 },
      { address: 'e.example', result: 49 },
    ]);
    for (const address of ['http://a.example/path', 'ftp://a.example', 'a b', 'a.example:0', '1.2.3', '']) {
      expect([address, await post('device/add', { address })]).toMatchObject([
        address,
        { result: 7, fields: [{ path: 'address', rule: address === '' ? 'required' : 'deviceAddress' }] },
      ]);
    }
    expect((await json('/api/device/list', { as: admin })).total).toBe(2);
  });

  test('changes by name, address, user and password; a new address needs the password again', async () => {
    const { add, post, query, fleet, log } = await setup();
    await add(encoder);
    await until(() => fleet.asked.length === 1);
    const [before] = fleet.asked;
    const renamed: string[] = [];
    fleet.sessions.set(encoder, {
      rename: (name) => Promise.resolve(void renamed.push(name)).then(() => ({ silentMs: 1 })),
    });
    const { revision } = await query(encoder);
    expect(await post('device/set', { sn: encoder, name: 'Truck', revision })).toEqual({ result: 0, revision: 2 });
    expect(renamed).toEqual([]);
    expect(fleet.asked[0]?.transport).toBe(before!.transport);
    fleet.online(encoder);
    expect(await post('device/set', { sn: encoder, name: 'Truck 2' })).toMatchObject({ result: 0 });
    expect(renamed).toEqual(['Truck 2']);
    expect(await post('device/set', { sn: encoder, name: 'Stale', revision })).toMatchObject({ result: 1004 });
    expect(await post('device/set', { sn: encoder, address: '10.9.9.9' })).toMatchObject({
      fields: [{ path: 'password', rule: 'required' }],
    });
    const moved = { sn: encoder, address: '10.9.9.9', password: 'another', user: 'me' };
    expect(await post('device/set', moved)).toMatchObject({ result: 0 });
    expect(fleet.asked[0]?.credentials).toEqual({ user: 'me', password: 'another' });
    expect(fleet.asked[0]?.transport).not.toBe(before!.transport);
    expect(await log()).toContain(`device.set: Truck 2: address 10.9.9.9, user me, password`);
    expect(await post('device/set', { sn: 'nothing', name: 'x' })).toMatchObject({ result: 10006 });
    // A device that refuses keeps its name on the hub, too.
    fleet.sessions.set(encoder, { rename: () => Promise.reject(new DeviceProblem('refused', 'not now', 7)) });
    expect(await post('device/set', { sn: encoder, name: 'No' })).toMatchObject({ result: 38, params: { code: 7 } });
    expect(await query(encoder)).toMatchObject({ name: 'Truck 2' });
  });

  test('takes the name and the firmware that it states later', async () => {
    const { add, query, fleet, post } = await setup();
    await add(encoder, { name: 'Stage' });
    await until(() => fleet.asked.length === 1);
    const state = (more: object) => fleet.online(encoder, { identity: identityOf(encoder, more) });
    state({});
    expect(await query(encoder)).toMatchObject({ name: 'Stage' });
    state({ 'firmware-ver': '3.0.1' });
    expect(await query(encoder)).toMatchObject({ name: 'Stage', 'firmware-ver': '3.0.1' });
    state({ 'firmware-ver': '3.0.1', name: 'Given on the device' });
    expect(await query(encoder)).toMatchObject({ name: 'Given on the device' });
    // It cannot be renamed.
    fleet.sessions.set(encoder, {});
    await post('device/set', { sn: encoder, name: 'Hub' });
    state({ 'firmware-ver': '3.0.1', name: 'Given on the device' });
    expect(await query(encoder)).toMatchObject({ name: 'Hub' });
  });
});

describe('registration', () => {
  test('a device whose agent applies waits, is accepted or rejected, and can be deleted in any state', async () => {
    const { apply, post, sns, get, log, fleet } = await setup();
    expect([apply('A'), apply('B'), apply('C'), apply('A')]).toEqual(
      Array.from({ length: 4 }, () => regStates.pending),
    );
    expect(() => apply('A', 'of another')).toThrow('another agent');
    expect([await sns(), await sns('reg-state=waiting')]).toEqual([[], ['A', 'B', 'C']]);
    expect(fleet.isLoaded).toBe(false);
    expect(await post('device/accept', { sn: ['A', 'B'] })).toEqual({ result: 0 });
    expect(await post('device/reject', { sn: 'C' })).toEqual({ result: 0 });
    expect(apply('C')).toBe(regStates.rejected);
    expect([await sns(), await sns('reg-state=rejected'), await sns('reg-state=waiting')]).toEqual([
      ['A', 'B'],
      ['C'],
      [],
    ]);
    await until(() => fleet.asked.length === 2);
    expect(await post('device/reject', { sn: ['B'] })).toEqual({ result: 0 });
    expect(fleet.asked.map(({ sn }) => sn)).toEqual(['A']);
    expect(await post('device/accept', { sn: ['C', 'D'] })).toMatchObject({ result: 10006, params: { id: 'D' } });
    expect(await sns('reg-state=rejected')).toEqual(['B', 'C']);
    expect(await post('device/del', { sn: ['A', 'B', 'C'] })).toEqual({ result: 0 });
    expect((await get('device/list')).total).toBe(0);
    expect(apply('A', 'of another')).toBe(regStates.pending);
    expect(await log()).toEqual(expect.arrayContaining(['device.accept: Device A', 'device.reject: Device B']));
  });

  test('is limited by the license; if it shrinks, those that were accepted last are not asked', async () => {
    const { apply, post, sns, fleet, db, query, get, hub } = await setup({ SIGNALBOX_LICENSE_DEVICES: '2' });
    for (const sn of ['A', 'B', 'C']) apply(sn);
    expect(await post('device/accept', { sn: ['A', 'B', 'C'] })).toMatchObject({
      ...{ result: 1006, params: { what: 'devices', limit: 2, used: 0 } },
    });
    expect(await sns()).toEqual([]);
    await post('device/accept', { sn: ['A', 'B'] });
    expect(await post('device/accept', { sn: 'C' })).toMatchObject({ result: 1006 });
    db.$client.run(`UPDATE devices SET reg_state = 101, applied_at = 0 WHERE sn = 'C'`);
    hub.devices.refresh();
    expect(await query('B')).toMatchObject({ problem: 'overLicense', connection: 'offline' });
    expect([(await query('A')).problem, (await query('C')).problem]).toEqual([undefined, undefined]);
    await until(() => fleet.asked.length === 2);
    expect(fleet.asked.map(({ sn }) => sn)).toEqual(['A', 'C']);
    expect((await get('device/list?status=warns')).list).toMatchObject([{ sn: 'B' }]);
    const { status } = await get('system/status');
    expect(status['cur-license']).toMatchObject({ 'max-dev-count': 2 });
  });
});

test('lists filter, sort and page as published', async () => {
  const { add, apply, sns, get, post, fleet } = await setup();
  for (const [sn, name] of [
    ['S3', 'b'],
    ['S1', 'a10'],
    ['S2', 'a9'],
  ] as const)
    await add(sn, { name });
  await add(decoder, { name: 'screen' }, ofDecoder);
  apply('W1');
  await until(() => fleet.asked.length === 4);
  fleet.online('S1', { warnings: ['noSignal'] });
  fleet.online('S2');
  fleet.offline('S3');
  fleet.offline(decoder, 'wrongPassword');
  expect(await sns()).toEqual(['S3', 'S1', 'S2', decoder]);
  expect(await sns('sort=name&order=ascending')).toEqual(['S2', 'S1', 'S3', decoder]);
  expect(await sns('sort=sn&order=descending')).toEqual(['S3', 'S2', 'S1', decoder]);
  expect(await sns('sort=online-state')).toEqual(['S1', 'S2', 'S3', decoder]);
  expect(await sns('sort=sn&start=1&count=2')).toEqual(['S1', 'S2']);
  expect(await get('device/list?start=1&count=1')).toMatchObject({ start: 1, total: 4, list: [{ sn: 'S1' }] });
  expect(await sns('key=A1')).toEqual(['S1']);
  expect(await sns('key=s3')).toEqual(['S3']);
  expect(await sns('status=offline')).toEqual(['S3', decoder]);
  expect(await sns('status=dev-warns,warns')).toEqual(['S1', decoder]);
  expect(await sns('dir=output')).toEqual([decoder]);
  expect(await sns('module=2')).toEqual(['S3', 'S1', 'S2']);
  await post('device/favorite', { sn: ['S1', 'S2'], enable: true });
  await post('device/favorite', { sn: 'S2', enable: false });
  expect(await sns('is-favorite=1')).toEqual(['S1']);
  expect(await sns('is-favorite=1&status=offline')).toEqual([]);
  expect(await get('device/list?order=ascending')).toMatchObject({ fields: [{ path: 'order', rule: 'needsSort' }] });
  expect(await get('device/list?status=off')).toMatchObject({ fields: [{ path: 'status', rule: 'choice' }] });
  expect(await post('device/list', { sn: ['S2', 'nothing', 'W1'] })).toMatchObject({
    ...{ total: 2, 'global-config': {}, list: [{ sn: 'S2' }, { sn: 'W1', 'reg-state': 103 }] },
  });
  expect((await get('device/list?global-config=1'))['global-config']).toEqual({});
});

describe('groups', () => {
  test('form a tree of five levels, with unique names on each', async () => {
    const { post, get, log } = await setup();
    const one = await post('catalog/add', { name: 'Hall' });
    expect(one).toEqual({ result: 0, id: 30_001 });
    // The published form.
    let { id } = await post('catalog/add', { id: one.id, param: 'Rack' });
    for (const name of ['3', '4', '5']) ({ id } = await post('catalog/add', { name, 'parent-id': id }));
    expect(await post('catalog/add', { name: '6', 'parent-id': id })).toMatchObject({
      result: 17,
      params: { limit: 5 },
    });
    expect(await post('catalog/add', { name: 'Hall' })).toMatchObject({ result: 1003 });
    expect(await post('catalog/add', { name: 'Hall', 'parent-id': one.id })).toMatchObject({ result: 0 });
    expect(await post('catalog/add', { name: 'x', 'parent-id': 5 })).toMatchObject({ result: 16 });
    expect(await post('catalog/add', { name: 'x'.repeat(33) })).toMatchObject({ fields: [{ rule: 'tooLong' }] });
    expect(await post('catalog/rename', { id: one.id, param: 'Stage', revision: 1 })).toEqual({
      result: 0,
      revision: 2,
    });
    expect(await post('catalog/rename', { id: one.id, param: 'Old', revision: 1 })).toMatchObject({ result: 1004 });
    expect(await post('catalog/rename', { id: 0, param: 'None' })).toMatchObject({ result: 31 });
    const { total, list } = await get('catalog/list');
    expect(total).toBe(7);
    expect(list.map((group: DeviceGroup) => [group.id, group.name, group['parent-id']])).toEqual([
      [30_006, 'Hall', 30_001],
      [30_005, '5', 30_004],
      [30_004, '4', 30_003],
      [30_003, '3', 30_002],
      [30_002, 'Rack', 30_001],
      [30_001, 'Stage', 0],
      [0, '', 0],
    ]);
    expect(await log()).toContain('deviceGroup.set: Hall: name Stage');
  });

  test('hold devices, which move with force to the group above when theirs is deleted', async () => {
    const { post, get, add, fleet } = await setup();
    const { id: top } = await post('catalog/add', { name: 'Top' });
    const { id: low } = await post('catalog/add', { name: 'Low', 'parent-id': top });
    for (const sn of ['A', 'B', 'C', 'D']) await add(sn, sn === 'D' ? { 'catalog-id': top } : {});
    await until(() => fleet.asked.length === 4);
    fleet.online('C');
    expect(await post('catalog/set', { id: low, devices: ['A', 'B'] })).toMatchObject({ result: 0 });
    expect(await post('device/move', { sn: ['C'], 'catalog-id': low })).toEqual({ result: 0 });
    const inGroups = async (query = '') => {
      const { list } = await get(`device/list-with-catalog?${query}`);
      return list.map(({ id, list: devices }: never) => [id, (devices as Device[]).map(({ sn }) => sn).join('')]);
    };
    expect(await inGroups()).toEqual([
      [0, ''],
      [top, 'D'],
      [low, 'CBA'],
    ]);
    expect(await inGroups(`catalogs=${low},0&dev-start=1&dev-count=1`)).toEqual([
      [0, ''],
      [low, 'B'],
    ]);
    expect(await inGroups('start=1&count=1')).toEqual([[top, 'D']]);
    expect(await post('catalog/del', { id: low })).toMatchObject({ result: 1005, params: { what: 'Low' } });
    expect(await post('catalog/del', { id: low, force: true })).toEqual({ result: 0 });
    expect(await inGroups()).toEqual([
      [0, ''],
      [top, 'CDBA'],
    ]);
    expect(await post('catalog/set', { id: 0, devices: ['A'] })).toMatchObject({ result: 0 });
    expect((await get('device/list?catalog=0')).list).toMatchObject([{ sn: 'A', 'catalog-id': 0 }]);
    expect(await post('catalog/del', { id: [top], force: true })).toEqual({ result: 0 });
    expect((await get('device/list?catalog=0')).total).toBe(4);
  });
});

describe('the connection to the hub', () => {
  const srt = { input: { protocol: 2, 'stream-index': 1 } };

  test('is configured for devices, and by default for all', async () => {
    const { add, post, query, get, log } = await setup();
    await add(encoder);
    expect(await post('device/config', { sn: [encoder], config: srt })).toEqual({ result: 0 });
    expect((await query(encoder)).config).toEqual({ input: { protocol: 2, latency: 120, 'stream-index': 1 } });
    expect(await post('device/config', { sn: [encoder], config: {} })).toEqual({ result: 0 });
    expect((await query(encoder)).config).toBeNull();
    const global = { output: { protocol: 1, latency: 200, 'buffer-ms': 60 } };
    expect(await post('device/global/set', { config: global })).toEqual({ result: 0, revision: 2 });
    const stored = { output: { protocol: 1, 'buffer-ms': 60 } };
    expect(await get('device/global/get')).toEqual({
      ...{ result: 0, revision: 2, config: stored },
      security: { 'group-mask': 4294967295, 'usr-mask': 4294967295 },
    });
    expect((await get('system/status?global-config=1')).status['global-config']).toEqual({ device: stored });
    expect((await get(`device/query?sn=${encoder}&global-config=1`))['global-config']).toEqual(stored);
    expect(await log()).toContain(
      `device.config: Device ${encoder}: sends over SRT, latency 120 ms, sub stream, plays as all devices`,
    );
    await add('ULTRA', {}, { 'product-id': 769, model: 'Ultra Stream HDMI' });
    expect(await post('device/config', { sn: 'ULTRA', config: srt })).toMatchObject({ result: 9 });
    expect(await post('device/config', { sn: encoder, config: { input: { protocol: 4 } } })).toMatchObject({
      result: 7,
    });
  });

  const targets = () => {
    const told: unknown[] = [];
    const session: Partial<DeviceSession> = {
      sendTo: (target) => Promise.resolve(void told.push(target)),
      stopSendingTo: (name) => Promise.resolve(void told.push(`stop ${name}`)),
      play: (source) => Promise.resolve(void told.push(source)),
    };
    return { told, session };
  };

  test('makes an encoder the input of a channel, with its own key', async () => {
    const { add, post, query, get, fleet, media } = await setup({ SIGNALBOX_HOSTS: 'hub.example' });
    await add(encoder, { name: 'Truck' });
    await until(() => fleet.asked.length === 1);
    const { id: channel } = await post('channel/add', { name: 'Studio' });
    expect(await post('device/connect', { sn: encoder, channel })).toMatchObject({ result: 10007 });
    fleet.online(encoder);
    expect(await post('device/connect', { sn: encoder, channel })).toMatchObject({ result: 9 });
    const { told, session } = targets();
    fleet.sessions.set(encoder, session);
    const { 'push-key': key } = await query(encoder);
    expect(await post('device/connect', { sn: encoder, channel, dir: 'output' })).toMatchObject({ result: 9 });
    expect(await post('device/connect', { sn: encoder, channel })).toEqual({ result: 0 });
    expect(told).toEqual([
      { name: 'Signalbox', protocol: 'rtmp', host: 'hub.example', port: 1935, stream: 'main', app: 'live', key },
    ]);
    const applied = () => media.applied.at(-1)?.channels.map(({ id, pushKey }) => ({ id, pushKey }));
    expect(applied()).toEqual([{ id: channel, pushKey: key }]);
    expect((await get(`channel/query?id=${channel}`)).input).toMatchObject({ id: 200_001, name: 'Truck', type: 257 });
    expect(await query(encoder)).toMatchObject({ 'owner-i': ['Studio'], 'owner-i-d': [channel] });
    // The rule of the backup changes without changing the input.
    const again = { id: channel, input: 200_001, failover: { 'stable-s': 20 } };
    expect(await post('channel/input/set', again)).toMatchObject({ result: 0 });
    expect(applied()).toEqual([{ id: channel, pushKey: key }]);
    // A new configuration reaches the device at once.
    await post('device/config', { sn: encoder, config: srt });
    await until(() => told.length === 2);
    expect(told[1]).toMatchObject({ protocol: 'srt', port: 8000, latencyMs: 120, stream: 'sub', key });
    const { id: other } = await post('channel/add', { name: 'Other' });
    expect(await post('device/connect', { sn: encoder, channel: other })).toMatchObject({ result: 1005 });
    expect(await post('device/connect', { sn: encoder, channel: other, force: true })).toEqual({ result: 0 });
    expect(applied()?.map(({ pushKey }) => pushKey === key)).toEqual([false, true]);
    expect(await post('device/connect', { sn: encoder, channel: 0 })).toEqual({ result: 0 });
    expect(told.at(-1)).toBe('stop Signalbox');
    expect(applied()?.map(({ pushKey }) => pushKey === key)).toEqual([false, false]);
    expect(await query(encoder)).not.toHaveProperty('owner-i');
  });

  test('is kept if the device refuses, and ends when it is rejected or deleted', async () => {
    const { add, post, query, fleet, media } = await setup({ SIGNALBOX_HOSTS: 'hub.example' });
    await add(encoder);
    await until(() => fleet.asked.length === 1);
    fleet.online(encoder);
    const { id: channel } = await post('channel/add', { name: 'Studio', config: { 'push-key': 'of-the-channel' } });
    const pushKeys = () => media.applied.at(-1)?.channels.map(({ pushKey }) => pushKey);
    const { session } = targets();
    fleet.sessions.set(encoder, { sendTo: () => Promise.reject(new DeviceProblem('busy', 'is updating')) });
    expect(await post('device/connect', { sn: encoder, channel })).toMatchObject({
      result: 11,
      params: { problem: 'busy' },
    });
    expect(pushKeys()).toEqual(['of-the-channel']);
    fleet.sessions.set(encoder, session);
    await post('device/connect', { sn: encoder, channel });
    expect(pushKeys()).toEqual([(await query(encoder))['push-key']]);
    await post('device/reject', { sn: encoder });
    expect(pushKeys()).toEqual(['of-the-channel']);
    await post('device/accept', { sn: encoder });
    fleet.online(encoder);
    await post('device/connect', { sn: encoder, channel });
    await post('device/del', { sn: encoder });
    expect(pushKeys()).toEqual(['of-the-channel']);
  });

  test('lets a decoder play a channel', async () => {
    const { add, post, query, fleet } = await setup({ SIGNALBOX_HOSTS: 'hub.example' });
    await add(decoder, {}, ofDecoder);
    await until(() => fleet.asked.length === 1);
    fleet.online(decoder, { identity: identityOf(decoder, ofDecoder) });
    const { told, session } = targets();
    fleet.sessions.set(decoder, session);
    const keys = { 'play-key': 'to-watch' };
    const protocol = { rtmp: false };
    const { id: channel } = await post('channel/add', { name: 'Studio', config: { ...keys, protocol } });
    await post('device/config', { sn: decoder, config: { output: { protocol: 0, 'buffer-ms': 80 } } });
    expect(await post('device/connect', { sn: decoder, channel })).toEqual({ result: 0 });
    const url = 'srt://hub.example:8000?mode=caller&streamid=to-watch&latency=120';
    expect(told).toEqual([{ name: 'Signalbox', url, bufferMs: 80 }]);
    expect(await query(decoder)).toMatchObject({ type: 513, 'owner-o': ['Studio'], 'owner-o-d': [channel] });
    await post('channel/del', { id: channel });
    expect(await query(decoder)).not.toHaveProperty('owner-o');
    expect(await post('device/connect', { sn: decoder, channel: 5 })).toMatchObject({ result: 16 });
  });
});

test('a key of a device is used by no channel, and the reverse', async () => {
  const { add, post, query } = await setup();
  await add(encoder);
  const { 'push-key': key } = await query(encoder);
  for (const name of ['push-key', 'play-key']) {
    expect(await post('channel/add', { name, config: { [name]: key } })).toMatchObject({
      ...{ result: name === 'push-key' ? 1002 : 1001, fields: [{ path: `config.${name}` }] },
    });
  }
  const { id } = await post('channel/add', { name: 'x' });
  expect(await post('channel/set', { id, config: { 'push-key': key } })).toMatchObject({ result: 1002 });
});

test('hubs without devices do not have the calls', async () => {
  const { get } = await setup({ SIGNALBOX_FEATURES: 'none' });
  expect(await get('device/list')).toMatchObject({ result: 9 });
});
