import { describe, expect, test } from 'bun:test';
import { fillDatabase } from '../../../tests/support/full-database.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import { Device, deviceApi } from '../../contract/devices.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { decoder, deviceHub, encoder, ofDecoder } from './device-hub-for-test.ts';

describe('a device', () => {
  test('is identified when it is added by its address, and is accepted and asked then', async () => {
    const { add, query, fleet, log } = await deviceHub();
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

  test.each(['A 1', '../1', '__proto__', 'A,1', 'A\r\nB', 'é'])('with the serial number %j is refused', async (sn) => {
    const { add, sns } = await deviceHub();
    expect(await add(sn)).toMatchObject({ result: 49 });
    expect(await sns()).toEqual([]);
  });

  test('with a name that is too long has its beginning, without half a character or a space at the end', async () => {
    const { add, query } = await deviceHub();
    await add(encoder, {}, { name: `${'a'.repeat(63)}😀` });
    await add(decoder, {}, { name: `${'a'.repeat(60)}    b` });
    expect([(await query(encoder)).name, (await query(decoder)).name]).toEqual(['a'.repeat(63), 'a'.repeat(60)]);
  });

  test('states codec and source; the preset of the hub has the name of the channel', async () => {
    const { add, query, fleet, post } = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
    await add(decoder, {}, ofDecoder);
    await until(() => fleet.asked.length === 1);
    const source = { name: 'Signalbox', connected: true };
    fleet.online(decoder, { source, main: { codec: 'H.264', width: 1920, height: 1080 } });
    expect((await query(decoder))['pro-feature']).toEqual({ codec: 'H.264 1920x1080p', source });
    fleet.sessions.set(decoder, { play: () => Promise.resolve() });
    const { id: channel } = await post('channel/add', { name: 'Service' });
    expect(await post('device/connect', { sn: decoder, channel })).toEqual({ result: 0 });
    expect((await query(decoder))['pro-feature'].source).toEqual({ name: 'Service', connected: true });
    fleet.online(decoder, { source: { name: 'Other hub', connected: false } });
    expect((await query(decoder))['pro-feature']).toEqual({ source: { name: 'Other hub', connected: false } });
    fleet.offline(decoder);
    expect((await query(decoder))['pro-feature']).toEqual({});
  });

  test('shows what it reports, in the published form and its own', async () => {
    const { add, query, fleet, get } = await deviceHub();
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
    fleet.online(encoder, { signal: { state: 'present', width: 1920, height: 1080, interlaced: true, fps: 29.97 } });
    expect(await query(encoder)).toMatchObject({ 'pro-feature': { input: '1920x1080i, 29.97 Hz' } });
    fleet.online(encoder, { 'cur-status': -1 });
    expect((await query(encoder)).status['cur-status']).toBeGreaterThan(0x7fff_ffff);
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
    const { post, fleet, add, admin, json } = await deviceHub();
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
    const { add, post, query, fleet, log } = await deviceHub();
    await add(encoder);
    await until(() => fleet.asked.length === 1);
    const [before] = fleet.asked;
    const renamed: string[] = [];
    fleet.sessions.set(encoder, {
      rename: (name) => Promise.resolve(void renamed.push(name)).then(() => ({ silentMs: 1 })),
    });
    const { revision } = await query(encoder);
    expect(await post('device/set', { sn: encoder, name: 'Truck', revision })).toEqual({
      ...{ result: 0, revision: revision + 1 },
    });
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
    const { add, query, fleet, post } = await deviceHub();
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

  test('states new firmware while the disk is full: the hub continues, and stores it once there is room', async () => {
    const { add, query, fleet, db } = await deviceHub();
    const all = Array.from({ length: 12 }, (_, at) => `B31322091400${at}`);
    for (const sn of all) await add(sn);
    await until(() => fleet.asked.length === all.length);
    const long = 'v'.repeat(255);
    const firmware = async () => {
      for (const sn of all) fleet.online(sn, { identity: identityOf(sn, { 'firmware-ver': long, model: long }) });
      return await Promise.all(all.map(async (sn) => (await query(sn))['firmware-ver']));
    };
    let id = 0;
    const makeRoom = fillDatabase(db, () => {
      id += 1;
      db.$client.run('INSERT INTO settings (name, value) VALUES (?, ?)', [`filler ${id}`, long]);
    });
    expect((await firmware()).some((version) => version !== long)).toBe(true);
    makeRoom();
    expect((await firmware()).every((version) => version === long)).toBe(true);
  });

  test('that is watched before it is accepted is asked every second from then on', async () => {
    const { apply, admin, hub, fleet, post } = await deviceHub();
    apply(encoder);
    const topic = hub.devices.topics.find(({ name }) => name === 'devices');
    const reader = hub.sessions.identify(admin, { isUse: true });
    if (topic === undefined || reader === null) throw new Error('no topic or no session');
    const read = readTopic(topic, reader, new Set([encoder]));
    expect(fleet.isLoaded).toBe(false);
    await post('device/accept', { sn: encoder });
    await until(() => fleet.holders.get(encoder) === 1);
    read.close();
    expect(fleet.holders.get(encoder)).toBe(0);
  });
});

describe('registration', () => {
  test('a device whose agent applies waits, is accepted or rejected, and can be deleted in any state', async () => {
    const { apply, post, sns, get, log, fleet } = await deviceHub();
    const waiting = { state: 'waiting' } as const;
    expect([apply('A'), apply('B'), apply('C'), apply('A')]).toEqual(Array.from({ length: 4 }, () => waiting));
    expect(apply('A', 'of another')).toEqual({ state: 'exists' });
    expect([await sns(), await sns('reg-state=waiting')]).toEqual([[], ['A', 'B', 'C']]);
    expect(fleet.isLoaded).toBe(false);
    expect(await post('device/accept', { sn: ['A', 'B'] })).toEqual({ result: 0 });
    expect(await post('device/reject', { sn: 'C' })).toEqual({ result: 0 });
    expect(apply('C')).toEqual({ state: 'refused' });
    expect([await sns(), await sns('reg-state=rejected'), await sns('reg-state=waiting')]).toEqual([
      ['A', 'B'],
      ['C'],
      [],
    ]);
    await until(() => fleet.asked.length === 2);
    expect(await post('device/reject', { sn: ['B'] })).toEqual({ result: 0 });
    expect(fleet.asked.map(({ sn }) => sn)).toEqual(['A']);
    expect(await post('device/accept', { sn: ['C', 'D'] })).toMatchObject({ result: 10006, params: { position: 1 } });
    expect(await sns('reg-state=rejected')).toEqual(['B', 'C']);
    expect(await post('device/del', { sn: ['A', 'B', 'C'] })).toEqual({ result: 0 });
    expect((await get('device/list')).total).toBe(0);
    expect(apply('A', 'of another')).toEqual(waiting);
    expect(await log()).toEqual(expect.arrayContaining(['device.accept: Device A', 'device.reject: Device B']));
  });

  test('is limited by the license; if it shrinks, those that were accepted last are not asked', async () => {
    const { apply, post, sns, fleet, db, query, get, hub } = await deviceHub({ SIGNALBOX_LICENSE_DEVICES: '2' });
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
  const { add, apply, sns, get, post, fleet } = await deviceHub();
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

test('what happens is in the system log, and the numbers are in the metrics', async () => {
  const { add, apply, fleet, lines, call, admin } = await deviceHub();
  await add('A', { name: 'Truck' });
  apply('W');
  await until(() => fleet.asked.length === 1);
  for (let round = 0; round < 20; round++) {
    fleet.online('A');
    fleet.offline('A', 'timeout');
  }
  fleet.offline('A', 'wrongPassword');
  fleet.offline('A', 'wrongPassword');
  const about = (text: string) => lines.filter((line) => line.includes(text));
  // Repeated lines are folded.
  expect([about('a device is online').length, about('a device is offline').length]).toEqual([5, 5]);
  expect(about('a device is offline')[0]).toContain('peer=A device=Truck reason=timeout');
  expect(about('a device has a problem')).toHaveLength(1);
  expect(about('a device waits for approval')).toHaveLength(1);
  const metrics = await (await call('/metrics', { as: admin })).text();
  for (const line of ['accepted"} 1', 'online"} 0', 'warning"} 1', 'pending"} 1', 'rejected"} 0']) {
    expect(metrics).toContain(`signalbox_devices{state="${line}`);
  }
});

test('a fleet as large as possible is listed at once, sorted in any way', async () => {
  const { db, hub, get, fleet } = await deviceHub();
  db.$client.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO devices (sn, name, own_name, reg_state, applied_at, module, product_id, model, hardware_version,
      firmware_version, is_inherited, group_mask, user_mask, push_key, link, api)
    SELECT 'S' || (100000 + i), 'Encoder ' || (i * 7919 % 5000), '', 101, i, 2, 787, 'x', 'B', '1', 1, 4294967295,
      4294967295, 'key ' || i, 'direct', 'usapi' FROM n`);
  hub.devices.refresh();
  await until(() => fleet.asked.length === 5000);
  const queries = ['', 'sort=name', 'sort=online-state', 'key=4999', 'status=dev-warns,offline', 'is-favorite=1'];
  for (const query of queries) {
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
      const from = performance.now();
      const { list } = await get(`device/list?count=50&start=100&${query}`);
      times.push(performance.now() - from);
      expect(list.length).toBeLessThanOrEqual(50);
    }
    // The best of several: the machine may do other work.
    expect([query, Math.min(...times) < 50]).toEqual([query, true]);
  }
});

test('hubs that manage no devices do not have the calls, and ask none', async () => {
  const { get, db, hub, fleet, post } = await deviceHub({ SIGNALBOX_FEATURES: 'none' });
  expect(await get('device/list')).toMatchObject({ result: 9 });
  db.$client.run(`INSERT INTO devices (sn, name, own_name, reg_state, applied_at, module, product_id, model,
    hardware_version, firmware_version, is_inherited, group_mask, user_mask, push_key, link, api)
    VALUES ('A', 'A', 'A', 101, 1, 2, 787, 'x', 'B', '1', 1, 4294967295, 4294967295, 'key', 'direct', 'usapi')`);
  await post('usr/add', { name: 'ann', password: 'a-long-secret' });
  await post('usr/del', { name: 'ann' });
  hub.devices.refresh();
  expect(fleet.isLoaded).toBe(false);
});
