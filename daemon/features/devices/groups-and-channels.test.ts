import { describe, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { DeviceGroup } from '../../contract/device-groups.ts';
import type { Device } from '../../contract/devices.ts';
import type { DeviceSession } from '../../devices/driver.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { decoder, deviceHub, encoder, ofDecoder } from './device-hub-for-test.ts';

describe('groups', () => {
  test('form a tree of five levels, with unique names on each', async () => {
    const { post, get, log } = await deviceHub();
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
    expect(await post('catalog/set', { id: 30_002, 'parent-id': 0 })).toMatchObject({
      result: 7,
      fields: [{ path: 'parent-id' }],
    });
    // A group as it was read.
    const rack = { id: 30_002, 'parent-id': one.id, name: 'Rack', 'is-inherit': 1 };
    expect(await post('catalog/set', rack)).toMatchObject({ result: 0 });
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
    const { post, get, add, fleet } = await deviceHub();
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
    const { add, post, query, get, log } = await deviceHub();
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
    const { add, post, query, get, fleet, media } = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
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
    const { id: other } = await post('channel/add', { name: 'Other' });
    // The published way.
    const chosen = { id: other, input: 200_001, failover: { 'stable-s': 30 } };
    expect(await post('channel/input/set', { ...chosen, revision: 7 })).toMatchObject({ result: 1004 });
    expect(await post('channel/input/set', { ...chosen, revision: 1 })).toEqual({ result: 0, revision: 3 });
    expect(applied()?.find(({ id }) => id === other)).toEqual({ id: other, pushKey: key });
    expect(await post('channel/input/set', { id: channel, input: 200_001 })).toMatchObject({ result: 0 });
    expect(await post('channel/input/set', { id: channel, input: 200_002 })).toMatchObject({ result: 16 });
    expect(told).toHaveLength(3);
    await post('channel/del', { id: other });
    told.splice(1);
    // A copy does not take the device away.
    const { id: copy } = await post('channel/add', { name: 'Copy', 'copy-of': channel });
    expect(applied()?.map(({ pushKey }) => pushKey === key)).toEqual([true, false]);
    await post('channel/del', { id: copy });
    // The rule of the backup changes without changing the input.
    const again = { id: channel, input: 200_001, failover: { 'stable-s': 20 } };
    expect(await post('channel/input/set', again)).toMatchObject({ result: 0 });
    expect(applied()).toEqual([{ id: channel, pushKey: key }]);
    // A new configuration reaches the device at once.
    await post('device/config', { sn: encoder, config: srt });
    await until(() => told.length === 2);
    expect(told[1]).toMatchObject({ protocol: 'srt', port: 8000, latencyMs: 120, stream: 'sub', key });
    const { id: third } = await post('channel/add', { name: 'Third' });
    expect(await post('device/connect', { sn: encoder, channel: third })).toMatchObject({ result: 1005 });
    expect(await post('device/connect', { sn: encoder, channel: third, force: true })).toEqual({ result: 0 });
    expect(applied()?.map(({ pushKey }) => pushKey === key)).toEqual([false, true]);
    expect(await post('device/connect', { sn: encoder, channel: 0 })).toEqual({ result: 0 });
    expect(told.at(-1)).toBe('stop Signalbox');
    expect(applied()?.map(({ pushKey }) => pushKey === key)).toEqual([false, false]);
    expect(await query(encoder)).not.toHaveProperty('owner-i');
  });

  test('is kept if the device refuses, and ends when it is rejected or deleted', async () => {
    const { add, post, query, fleet, media } = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
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
    const { add, post, query, fleet } = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
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

  test('is told when the channel or the device is gone once the device has taken the change', async () => {
    const { add, post, query, fleet } = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
    await add(decoder, {}, ofDecoder);
    await until(() => fleet.asked.length === 1);
    fleet.online(decoder, { identity: identityOf(decoder, ofDecoder) });
    const { id: channel } = await post('channel/add', { name: 'Studio' });
    const meanwhile = (path: string, body: object) =>
      fleet.sessions.set(decoder, { play: async () => void (await post(path, body)) });
    meanwhile('channel/del', { id: channel });
    expect(await post('device/connect', { sn: decoder, channel })).toMatchObject({ result: 16 });
    const { id: next } = await post('channel/add', { name: 'Studio' });
    meanwhile('device/reject', { sn: decoder });
    expect(await post('device/connect', { sn: decoder, channel: next })).toMatchObject({ result: 38 });
    expect(await query(decoder)).not.toHaveProperty('owner-o');
  });

  test('with which the hub fails has its own result; the others of the list are added', async () => {
    const { post, fleet, lines } = await deviceHub();
    fleet.at.set('10.0.0.1', { identity: identityOf(encoder), api: 'usapi' });
    const identify = fleet.identify;
    Object.assign(fleet, {
      identify: (...given: Parameters<typeof identify>) =>
        given[0] === '10.0.0.2' ? Promise.reject(new RangeError('Invalid Date')) : identify(...given),
    });
    const { list } = await post('device/add', { list: [{ address: '10.0.0.2' }, { address: '10.0.0.1' }] });
    expect(list).toMatchObject([
      { address: '10.0.0.2', result: 6 },
      { sn: encoder, result: 0 },
    ]);
    expect(lines.some((line) => line.includes('Invalid Date'))).toBe(true);
  });

  test('is refused in a group that is deleted while the device is identified', async () => {
    const { add, post, sns, fleet } = await deviceHub();
    const { id: group } = await post('catalog/add', { name: 'Hall' });
    const identify = fleet.identify;
    Object.assign(fleet, {
      identify: async (...given: Parameters<typeof identify>) => {
        await post('catalog/del', { id: group });
        return await identify(...given);
      },
    });
    expect(await add(encoder, { 'catalog-id': group })).toMatchObject({ result: 16 });
    expect(await sns()).toEqual([]);
  });
});

test('a key of a device is used by no channel, and the reverse', async () => {
  const { add, post, query } = await deviceHub();
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
