import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { DeviceEvent } from '../../contract/devices.ts';
import { groupTypes, maskOf } from '../../contract/permission.ts';
import type { TaskItem } from '../../contract/tasks.ts';
import type { DeviceSession, FirmwareProgress } from '../../devices/driver.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { decoder, deviceHub, encoder, ofDecoder } from '../devices/device-hub-for-test.ts';

const present = '2.3.43';
const next = '2.4.288';
const fileOf = (version: string) => `firmware-787-0-B-${version}.mwf`;

/** A hub with a file for the encoders, and devices whose acts a test decides. */
async function setup() {
  const hub = await deviceHub();
  const { post, get, fleet, admin } = hub;
  const addFile = async (version: string, size = 100): Promise<number> => {
    const bytes = new TextEncoder().encode(`firmware ${version}`.padEnd(size));
    const { task } = await post('firmware/begin-upload', { name: fileOf(version), size: bytes.length });
    await hub.put(task, bytes, { as: admin });
    await until(async () => (await get(`task/query?id=${task}`)).state === 'done');
    const { list } = await get('firmware/list');
    return list.find((file: { version: string }) => file.version === version).id;
  };
  /** `received` are the bytes that devices got. */
  const device = (sn: string, firmware: Partial<NonNullable<DeviceSession['firmware']>> = {}) => {
    const state = { version: present, received: 0, starts: 0, writing: Promise.resolve() };
    const progress = async (): Promise<FirmwareProgress> => ({
      ...{ state: 'idle', percent: 0, version: state.version, uptimeS: state.starts === 0 ? 7200 : 0 },
    });
    fleet.sessions.set(sn, {
      firmware: {
        restartsItself: true,
        async upload(file) {
          for await (const part of file.read()) state.received += part.length;
        },
        async start() {
          await state.writing;
          state.starts += 1;
          state.version = next;
        },
        progress,
        ...firmware,
      },
    });
    return state;
  };
  const encoders = async (...sns: readonly string[]) => {
    for (const sn of sns) {
      await hub.add(sn);
      fleet.online(sn, { identity: identityOf(sn) });
    }
  };
  const task = (id: number) => get(`task/query?id=${id}`);
  const ends = async (id: number) => {
    await until(async () => (await task(id)).ended > 0);
    return await task(id);
  };
  const statesOf = async (id: number) => (await task(id)).list.map(({ state }: TaskItem) => state);
  return { ...hub, addFile, device, encoders, task, ends, statesOf };
}
const sns = ['1', '2', '3', '4', '5', '6'].map((digit) => `B31322091400${digit}`);

test('each device of the published call gets a result of its own, and those that fit are upgraded', async () => {
  const { post, addFile, device, add, encoders, fleet, ends, log, query } = await setup();
  const firmware = await addFile(next);
  const [fit = '', offline = '', busy = '', newer = '', same = ''] = sns;
  await encoders(fit, offline, busy, newer, same);
  for (const sn of sns) device(sn);
  await add(decoder, {}, ofDecoder);
  fleet.online(decoder, { identity: identityOf(decoder, ofDecoder) });
  fleet.offline(offline);
  fleet.online(busy, { identity: identityOf(busy), recording: true });
  for (const [sn, version] of [
    [newer, '3.0.0'],
    [same, next],
  ] as const) {
    fleet.online(sn, { identity: identityOf(sn, { 'firmware-ver': version }) });
    await until(async () => (await query(sn))['firmware-ver'] === version);
  }
  const asked = [fit, offline, busy, newer, same, decoder, 'unknown', fit];
  const answer = await post('device/upgrade', { sn: asked, 'firmware-id': firmware });
  expect(answer).toEqual({
    result: 0,
    details: [
      { sn: fit, result: 0 },
      { sn: offline, result: 12, reason: 'offline' },
      { sn: busy, result: 11, reason: 'busy' },
      { sn: newer, result: 1009, reason: 'lowerVersion' },
      { sn: same, result: 1003, reason: 'sameVersion' },
      { sn: decoder, result: 24, reason: 'otherModel' },
      { sn: 'unknown', result: 16, reason: 'unknownDevice' },
    ],
    task: expect.any(Number),
  });
  const { list, ...task } = await ends(answer.task);
  expect(task).toMatchObject({ kind: 'device.upgrade', subject: fileOf(next), state: 'done', done: 1, failed: 0 });
  expect(list).toMatchObject([{ key: fit, state: 'done', upgrade: { step: 'succeeded', from: present, to: next } }]);
  expect(await log()).toContain(`devices.upgrade: ${fileOf(next)}: 1 devices`);
  expect(await log()).toContain(`device.upgrade: Device ${fit}: firmware ${present} → ${next}`);
});

test('a lower version needs force, and nothing starts in a dry run', async () => {
  const { post, get, addFile, device, encoders, ends } = await setup();
  const firmware = await addFile('1.0.0');
  await encoders(encoder);
  const state = device(encoder, {
    progress: async () => ({ state: 'idle', percent: 0, version: '1.0.0', uptimeS: 0 }),
  });
  const body = { sn: encoder, 'firmware-id': firmware };
  const dry = { ...body, force: true, 'dry-run': true };
  expect((await post('device/upgrade', body)).details).toMatchObject([{ result: 1009 }]);
  expect(await post('device/upgrade', dry)).toEqual({ result: 0, details: [{ sn: encoder, result: 0 }] });
  expect((await get('task/list')).list.filter(({ kind }: { kind: string }) => kind === 'device.upgrade')).toEqual([]);
  const { task } = await post('device/upgrade', { ...body, force: true });
  await ends(task);
  expect(state).toMatchObject({ starts: 1, received: 100 });
});

test('a file that does not exist, or a plan beyond the limits, is refused as a whole', async () => {
  const { post } = await setup();
  expect(await post('device/upgrade', { sn: [encoder], 'firmware-id': 99 })).toMatchObject({ result: 16 });
  const plan = { 'max-parallel': 33 };
  expect(await post('device/upgrade', { sn: [encoder], 'firmware-id': 1, plan })).toMatchObject({
    ...{ result: 7, fields: [{ path: 'plan.max-parallel', rule: 'range' }] },
  });
});

test('a device shows its upgrade, refuses another one, and its file cannot be deleted meanwhile', async () => {
  const { post, addFile, device, encoders, query, ends } = await setup();
  const firmware = await addFile(next);
  await encoders(encoder);
  const state = device(encoder);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.writing = promise;
  expect(await query(encoder)).toMatchObject({ 'update-state': 0, 'is-upload-file': 0 });
  const { task } = await post('device/upgrade', { sn: encoder, 'firmware-id': firmware });
  await until(async () => (await query(encoder))['update-state'] === 3);
  expect((await query(encoder)).upgrade).toEqual({ task, step: 'updating', percent: 0, to: next });
  // So that no other action is offered.
  expect((await query(encoder)).status.tasks).toEqual(['updating']);
  const reboot = await ends((await post('device/action', { sn: [encoder], action: 'reboot' })).task);
  expect(reboot.list[0]).toMatchObject({ state: 'failed', fault: { result: 11, params: { reason: 'updating' } } });
  const again = await post('device/upgrade', { sn: encoder, 'firmware-id': firmware, force: true });
  expect(again).toEqual({ result: 0, details: [{ sn: encoder, result: 11, reason: 'upgrading' }] });
  expect(await post('firmware/del', { id: firmware })).toMatchObject({ result: 1005 });
  resolve();
  await ends(task);
  expect(await query(encoder)).toMatchObject({ 'update-state': 0 });
  expect((await query(encoder)).upgrade).toBeUndefined();
  expect(await post('firmware/del', { id: firmware })).toEqual({ result: 0 });
});

test('devices that its user may no longer control are not upgraded, and the one that writes is followed', async () => {
  const { post, addFile, device, encoders, addUser, signIn, query, ends } = await setup();
  const firmware = await addFile(next);
  const [first = '', second = ''] = sns;
  await encoders(first, second);
  const [writing, waiting] = [device(first), device(second)];
  const { promise, resolve } = Promise.withResolvers<void>();
  writing.writing = promise;
  await addUser('ann', groupTypes.user);
  const permissions = maskOf('deviceView', 'deviceControl', 'firmwareView');
  const { id: group } = await post('usr-group/add', { name: 'Operators', permissions, users: ['ann'] });
  const body = { sn: [first, second], 'firmware-id': firmware, plan: { 'max-parallel': 1 } };
  const { task } = await post('device/upgrade', body, await signIn('ann'));
  await until(async () => (await query(first))['update-state'] === 3);
  await post('usr-group/set', { id: group, permissions: maskOf('deviceView') });
  resolve();
  expect((await ends(task)).list).toMatchObject([
    { state: 'done', upgrade: { step: 'succeeded' } },
    { state: 'failed', upgrade: { step: 'failed' }, fault: { result: 31, params: { reason: 'notPermitted' } } },
  ]);
  expect([writing.starts, waiting.received]).toEqual([1, 0]);
});

test('percent of the file are shown while it is sent', async () => {
  const { post, addFile, device, encoders, query, ends } = await setup();
  const firmware = await addFile(next, 256 * 1024);
  await encoders(encoder);
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = device(encoder, {
    async upload(file) {
      for await (const part of file.read()) {
        state.received += part.length;
        if (state.received === 128 * 1024) await promise;
      }
    },
  });
  const { task } = await post('device/upgrade', { sn: encoder, 'firmware-id': firmware });
  await until(() => state.received === 128 * 1024);
  // The part that the device is taking does not count.
  const shown = { 'update-state': 2, 'is-upload-file': 1, 'upload-file-pos': 25 };
  expect(await query(encoder)).toMatchObject(shown);
  resolve();
  await ends(task);
  expect(state.received).toBe(256 * 1024);
  expect(await query(encoder)).toMatchObject({ 'is-upload-file': 0, 'upload-file-pos': 0 });
});

test('a device whose upgrade failed says so until the next one, with the reason in task and log', async () => {
  const { post, get, addFile, device, encoders, query, ends, log } = await setup();
  const firmware = await addFile(next);
  await encoders(encoder);
  device(encoder, {
    upload: () => Promise.reject(new DeviceProblem('refused', 'the firmware is for another model', -34)),
  });
  const first = await post('device/upgrade', { sn: encoder, 'firmware-id': firmware });
  const { list, failed } = await ends(first.task);
  expect(failed).toBe(1);
  expect(list[0]).toMatchObject({
    ...{ state: 'failed', upgrade: { step: 'failed' } },
    fault: { result: 39, message: 'the firmware is for another model', params: { reason: 'mismatch' } },
  });
  expect(await query(encoder)).toMatchObject({ 'update-state': -1 });
  const events = async () =>
    (await get(`device/log?sn=${encoder}`)).list.map(({ event, word }: DeviceEvent) => [event, word]);
  await until(async () => (await events()).length > 1);
  expect((await events())[0]).toEqual(['upgradeFailed', 'mismatch']);
  expect((await log()).filter((line) => line.startsWith('device.upgrade'))).toHaveLength(1);
  device(encoder);
  await ends((await post('device/upgrade', { sn: encoder, 'firmware-id': firmware })).task);
  expect(await query(encoder)).toMatchObject({ 'update-state': 0 });
  await until(async () => (await events()).length > 2);
  expect((await events())[0]).toEqual(['upgraded', next]);
});

test('no more devices than the plan allows are upgraded at the same time', async () => {
  const { post, addFile, device, encoders, ends, statesOf } = await setup();
  const firmware = await addFile(next);
  await encoders(...sns);
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const sn of sns) device(sn).writing = promise;
  const plan = { 'max-parallel': 2 };
  const { task } = await post('device/upgrade', { sn: sns, 'firmware-id': firmware, plan });
  const waiting = ['waiting', 'waiting', 'waiting', 'waiting'];
  await until(async () => (await statesOf(task)).filter((state: string) => state === 'running').length === 2);
  expect(await statesOf(task)).toEqual(['running', 'running', ...waiting]);
  resolve();
  expect(await ends(task)).toMatchObject({ state: 'done', done: 6, failed: 0 });
});

test('with a canary, the others start only after the first has succeeded', async () => {
  const { post, addFile, device, encoders, ends, statesOf, query } = await setup();
  const firmware = await addFile(next);
  await encoders(...sns.slice(0, 3));
  const { promise, resolve } = Promise.withResolvers<void>();
  const states = sns.slice(0, 3).map((sn) => device(sn));
  states[0]!.writing = promise;
  const body = { sn: sns.slice(0, 3), 'firmware-id': firmware, plan: { canary: true } };
  const { task } = await post('device/upgrade', body);
  await until(async () => (await query(sns[0]!))['update-state'] === 3);
  expect(await statesOf(task)).toEqual(['running', 'waiting', 'waiting']);
  expect(await query(sns[1]!)).toMatchObject({ 'update-state': 1 });
  resolve();
  expect(await ends(task)).toMatchObject({ done: 3, failed: 0 });
});

test('a canary that fails, or too many failures, leave the other devices alone', async () => {
  const { post, addFile, device, encoders, ends, query } = await setup();
  const firmware = await addFile(next);
  await encoders(...sns);
  const refuse = { upload: () => Promise.reject(new DeviceProblem('refused', 'no space left', -16)) };
  const states = sns.map((sn, at) => device(sn, at < 2 ? refuse : {}));
  const canary = await post('device/upgrade', { sn: sns, 'firmware-id': firmware, plan: { canary: true } });
  const first = await ends(canary.task);
  expect(first.list.map(({ state }: TaskItem) => state)).toEqual(['failed', ...Array(5).fill('canceled')]);
  expect(first.list[1].fault).toMatchObject({ result: 42, message: 'the upgrade of the first device failed' });
  const plan = { 'max-parallel': 1, 'stop-after-failures': 2 };
  const stopped = await ends((await post('device/upgrade', { sn: sns, 'firmware-id': firmware, plan })).task);
  expect(stopped.list.map(({ state }: TaskItem) => state)).toEqual(['failed', 'failed', ...Array(4).fill('canceled')]);
  expect(states.map(({ starts }) => starts)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await query(sns[5]!)).toMatchObject({ 'update-state': 0 });
});

test('a cancel ends what has not started to write, and lets the others finish', async () => {
  const { post, addFile, device, encoders, ends, query } = await setup();
  const firmware = await addFile(next);
  const [writing = '', uploading = '', waiting = ''] = sns;
  await encoders(writing, uploading, waiting);
  const { promise, resolve } = Promise.withResolvers<void>();
  const states = [
    device(writing),
    device(uploading, {
      upload: (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }),
    device(waiting),
  ];
  states[0]!.writing = promise;
  const body = { sn: [writing, uploading, waiting], 'firmware-id': firmware, plan: { 'max-parallel': 2 } };
  const { task } = await post('device/upgrade', body);
  await until(async () => (await query(writing))['update-state'] === 3);
  await until(async () => (await query(uploading))['update-state'] === 2);
  const canceling = post('task/cancel', { id: task });
  await until(async () => (await query(uploading))['update-state'] === 0);
  expect(await query(writing)).toMatchObject({ 'update-state': 3 });
  resolve();
  await canceling;
  const { list, state } = await ends(task);
  expect(state).toBe('canceled');
  expect(list.map((item: TaskItem) => item.state)).toEqual(['done', 'canceled', 'canceled']);
  expect(states.map(({ starts }) => starts)).toEqual([1, 0, 0]);
});

test('the report has a line for each device, for those who may see the task', async () => {
  const { post, addFile, device, encoders, ends, call, admin, addUser } = await setup();
  const firmware = await addFile(next);
  await encoders(...sns.slice(0, 2));
  device(sns[0]!);
  device(sns[1]!, { upload: () => Promise.reject(new DeviceProblem('refused', 'no space left', -16)) });
  const { task } = await post('device/upgrade', { sn: sns.slice(0, 2), 'firmware-id': firmware });
  await ends(task);
  const response = await call(`/api/device/upgrade/report?task=${task}`, { as: admin });
  expect(response.headers.get('content-disposition')).toContain(`upgrade-${task}.csv`);
  const [head, ...lines] = (await response.text()).trim().split('\r\n');
  expect(head).toContain('Serial number,Device,State,Step,Version before,Version,Result,Reason');
  expect(lines[0]).toMatch(`${sns[0]},Device ${sns[0]},done,succeeded,${present},${next},success,,`);
  expect(lines[1]).toMatch(`${sns[1]},Device ${sns[1]},failed,failed,${present},${next},noSpace,no space left,`);
  const other = await addUser('operator', 2);
  for (const [path, as] of [
    [`task=${task}`, other],
    ['task=999', admin],
    ['task=x', admin],
  ] as const)
    expect((await call(`/api/device/upgrade/report?${path}`, { as })).status).toBe(404);
});

test('a device that the caller may not see does not exist, and viewers may not upgrade', async () => {
  const { post, addFile, device, encoders, addUser } = await setup();
  const firmware = await addFile(next);
  await encoders(encoder);
  device(encoder);
  await post('device/security/set', {
    ...{ sn: [encoder], security: { 'is-inherit': 0, 'group-mask': 1, 'usr-mask': 0 } },
  });
  const operator = await addUser('operator', 2);
  const body = { sn: [encoder], 'firmware-id': firmware };
  expect(await post('device/upgrade', body, operator)).toEqual({
    result: 0,
    details: [{ sn: encoder, result: 16, reason: 'unknownDevice' }],
  });
  const viewer = await addUser('viewer', 4);
  expect(await post('device/upgrade', body, viewer)).toMatchObject({ result: 31 });
});

test('a device that is deleted or rejected meanwhile fails with that reason, and the others continue', async () => {
  const { post, addFile, device, encoders, ends, query } = await setup();
  const firmware = await addFile(next);
  const [gone = '', rejected = '', fit = ''] = sns;
  await encoders(gone, rejected, fit);
  const { promise, reject } = Promise.withResolvers<void>();
  for (const sn of [gone, rejected]) device(sn, { upload: () => promise });
  device(fit);
  const { task } = await post('device/upgrade', { sn: [gone, rejected, fit], 'firmware-id': firmware });
  await until(async () => (await query(rejected))['update-state'] === 2);
  await post('device/del', { sn: [gone] });
  await post('device/reject', { sn: [rejected] });
  reject(new DeviceProblem('unreachable', 'the connection was ended'));
  const { list } = await ends(task);
  const lost = { state: 'failed', fault: { params: { reason: 'lost' } } };
  expect(list).toMatchObject([lost, lost, { state: 'done' }]);
});

test('of all tasks together, no more than 48 devices are upgraded at the same time', async () => {
  const { post, addFile, device, encoders, ends } = await setup();
  const firmware = await addFile(next);
  const many = Array.from({ length: 60 }, (_, at) => `B3132209${`${at}`.padStart(5, '0')}`);
  await encoders(...many);
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = 0;
  const count = { most: 0 };
  for (const sn of many) {
    device(sn, {
      async upload() {
        running += 1;
        count.most = Math.max(count.most, running);
        await promise;
        running -= 1;
      },
    });
  }
  const plan = { 'max-parallel': 30 };
  const tasks: number[] = [];
  for (const half of [many.slice(0, 30), many.slice(30)])
    tasks.push((await post('device/upgrade', { sn: half, 'firmware-id': firmware, plan })).task);
  await until(() => running === 48);
  resolve();
  for (const task of tasks) expect(await ends(task)).toMatchObject({ state: 'done', done: 30, failed: 0 });
  expect(count.most).toBe(48);
});
