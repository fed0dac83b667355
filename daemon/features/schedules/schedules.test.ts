/** The noun in a whole hub: its calls, its topic, and what it does with devices. */
import { expect, test } from 'bun:test';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import { groupTypes } from '../../contract/permission.ts';
import type { Schedule } from '../../contract/schedules.ts';
import { decoder, deviceHub, encoder, ofDecoder } from '../devices/device-hub-for-test.ts';
import { testClock } from './clock-for-test.ts';

const config = {
  ...{ name: 'Service', enabled: true, action: 'record', start: '09:00', stop: '10:00', days: [1, 2, 3, 4, 5, 6, 7] },
  sn: [encoder],
};

async function setUp() {
  const clock = testClock('2026-07-01T08:00Z', 'Asia/Shanghai');
  const hub = await deviceHub({}, { scheduleClock: clock });
  await hub.add(encoder);
  await hub.add(decoder, {}, { ...ofDecoder, api: 'mwapi' });
  await until(() => hub.fleet.asked.length === 2);
  hub.fleet.online(encoder, { recording: false });
  const told: boolean[] = [];
  hub.fleet.sessions.set(encoder, { setRecording: async (on) => void told.push(on) });
  const list = async (as = hub.admin): Promise<Schedule[]> => (await hub.get('schedule/list', as)).list;
  return { ...hub, clock, told, list };
}

test('a schedule is added, listed with its next run in the time zone of the hub, runs, and is in the operation log', async () => {
  const { post, get, clock, told, list, log } = await setUp();
  const { id, result } = await post('schedule/add', config);
  expect(result).toBe(0);
  expect(await get('schedule/list')).toMatchObject({ total: 1, zone: 'Asia/Shanghai' });
  const next = { part: 'start', time: Date.parse('2026-07-02T01:00Z') };
  const { sn: _, ...shown } = config;
  expect((await list())[0]).toMatchObject({ id, ...shown, devices: 1, owner: 'Admin', next });
  expect(await get(`schedule/query?id=${id}`)).toMatchObject({ sn: [encoder], failed: [] });
  clock.to('2026-07-02T01:00:30Z');
  await until(async () => (await list())[0]?.last?.state === 'done');
  expect(told).toEqual([true]);
  expect((await log()).slice(0, 2)).toEqual([
    'schedule.start: Service: 1/1 devices',
    `device.record-start: Device ${encoder}`,
  ]);
  expect(await post('schedule/set', { id, config: { ...config, start: undefined, name: 'Evening' } })).toMatchObject({
    result: 0,
  });
  expect((await list())[0]).toMatchObject({ name: 'Evening', next: { part: 'stop' } });
  expect(await post('schedule/del', { id })).toEqual({ result: 0 });
  expect(await list()).toEqual([]);
});

test.each([
  [{ start: '9:00' }, 'start'],
  [{ start: '24:00' }, 'start'],
  [{ stop: '09:00' }, 'stop'],
  [{ start: undefined, stop: undefined }, 'start'],
  [{ days: [] }, 'days'],
  [{ days: [8] }, 'days.0'],
  [{ date: '2026-08-01' }, 'date'],
  [{ days: undefined, date: '2026-02-30' }, 'date'],
  [{ days: undefined, date: '2026-06-30' }, 'date'],
  [{ action: 'reboot' }, 'action'],
  [{ sn: [] }, 'sn'],
  [{ name: '' }, 'name'],
])('%j is refused with the field', async (wrong, path) => {
  const { post } = await setUp();
  const { result, fields } = await post('schedule/add', { ...config, ...wrong });
  expect([result, fields?.[0]?.path]).toEqual([7, path]);
});

test('a product that cannot do it is refused', async () => {
  const { post } = await setUp();
  expect(await post('schedule/add', { ...config, sn: [encoder, decoder] })).toMatchObject({ result: 9 });
});

test('a change on an older revision is refused with the changes since', async () => {
  const { post, list } = await setUp();
  const { id } = await post('schedule/add', config);
  const revision = (await list())[0]?.revision;
  expect(await post('schedule/set', { id, enabled: false, revision })).toMatchObject({ result: 0 });
  expect(await post('schedule/set', { id, config, revision })).toMatchObject({
    result: 1004,
    later: [{ user: 'Admin' }],
  });
});

test('a viewer reads, and changes nothing; listeners of the topic get what they may see', async () => {
  const { post, list, hub, addUser, admin } = await setUp();
  const viewer = await addUser('viewer', groupTypes.viewer);
  const { id } = await post('schedule/add', config);
  expect(await list(viewer)).toHaveLength(1);
  expect(await post('schedule/set', { id, enabled: false }, viewer)).toMatchObject({ result: 31 });
  const listen = (as: string) =>
    readTopic<ObjectsEvent<Schedule>>(hub.schedules.topics[0]!, hub.sessions.identify(as, { isUse: true })!);
  const [theirs, own] = [listen(viewer), listen(admin)];
  expect(theirs.messages.map(({ data }) => data.changed)).toMatchObject([[{ id, name: 'Service' }]]);
  const security = { 'is-inherit': false, 'group-mask': 1, 'usr-mask': 0 };
  await post('device/security/set', { sn: encoder, security }, admin);
  await until(() => theirs.changes().some(({ removed }) => removed.includes(id)));
  await post('schedule/set', { id, enabled: false });
  await until(() => own.changes().some(({ changed }) => changed[0]?.enabled === false));
  for (const listener of [theirs, own]) listener.close();
  expect(await list(viewer)).toEqual([]);
});

test('when its owner is deleted, it is disabled in the same moment', async () => {
  const { post, list, addUser, clock, told } = await setUp();
  const ann = await addUser('ann', groupTypes.admin);
  const { id } = await post('schedule/add', config, ann);
  await post('usr/del', { name: 'ann' });
  expect(await list()).toMatchObject([{ id, enabled: false, owner: 'ann', problem: 'ownerDeleted' }]);
  clock.to('2026-07-02T01:00:30Z');
  expect(told).toEqual([]);
});
