import { describe, expect, test } from 'bun:test';
import { adminPassword } from '../../../tests/fixtures/composed-hub.ts';
import { until } from '../../../tests/support/until.ts';
import { limits } from '../../contract/limits.ts';
import { maskOf } from '../../contract/permission.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { Actor } from '../../http/route.ts';
import { decoder, deviceHub, encoder, ofDecoder } from './device-hub-for-test.ts';

const done = () => Promise.resolve();
const everything = { canSee: () => true, canAct: () => true };
const schedule: Actor = { name: 'Schedule', ip: '' };

async function setUp() {
  const hub = await deviceHub();
  const { add, fleet, post, get } = hub;
  await add(encoder);
  await add(decoder, {}, { ...ofDecoder, api: 'mwapi' });
  await until(() => fleet.asked.length === 2);
  fleet.online(encoder, { recording: false, living: false });
  fleet.online(decoder);
  const task = async (id: number) => {
    await until(async () => (await get(`task/query?id=${id}`)).ended > 0);
    return await get(`task/query?id=${id}`);
  };
  const bulk = async (action: string, sn: readonly string[] = [encoder, decoder], params?: object) =>
    await task((await post('device/action', { sn, action, ...(params && { params }) })).task);
  return { ...hub, task, bulk };
}

describe('an action on one device', () => {
  test('is answered when it is done, and is in the operation log', async () => {
    const { post, fleet, log } = await setUp();
    const told: boolean[] = [];
    fleet.sessions.set(encoder, { setRecording: async (on) => void told.push(on) });
    expect(await post('device/action', { sn: encoder, action: 'record-start' })).toEqual({ result: 0 });
    expect(await post('device/action', { sn: encoder, action: 'record-stop' })).toEqual({ result: 0 });
    expect(told).toEqual([true, false]);
    expect((await log()).slice(0, 2)).toEqual([
      `device.record-stop: Device ${encoder}`,
      `device.record-start: Device ${encoder}`,
    ]);
  });

  test('is refused with the reason, and the device is not asked', async () => {
    const { post, fleet, get } = await setUp();
    fleet.sessions.set(encoder, {
      reboot: () => Promise.reject(new Error('asked')),
      setLive: () => Promise.reject(new Error('asked')),
    });
    const reboot = () => post('device/action', { sn: encoder, action: 'reboot' });
    fleet.online(encoder, { tasks: ['updating'] });
    expect(await reboot()).toMatchObject({ result: 11, params: { reason: 'updating', what: `Device ${encoder}` } });
    fleet.report(encoder, { pauseUntil: 1_800_000_000_000, silentUntil: 1 });
    expect(await reboot()).toMatchObject({ result: 11, params: { reason: 'pausing' } });
    fleet.offline(encoder);
    expect(await reboot()).toMatchObject({ result: 10007, params: { reason: 'offline' } });
    expect(await post('device/action', { sn: decoder, action: 'live-start' })).toMatchObject({
      ...{ result: 9, params: { reason: 'unsupported' } },
    });
    expect(await post('device/action', { sn: 'NONE', action: 'reboot' })).toMatchObject({ result: 10006 });
    const { list } = await get('log/list?result=failure');
    expect(list.map(({ action, result }: never) => [action, result])).toEqual([
      ['device.reboot', 10006],
      ['device.live-start', 9],
      ['device.reboot', 10007],
      ['device.reboot', 11],
      ['device.reboot', 11],
    ]);
  });

  test('that the device answers with a fault has its word and the result that is the closest', async () => {
    const { post, fleet } = await setUp();
    fleet.sessions.set(encoder, {
      setRecording: () => Promise.reject(new DeviceProblem('refused', 'start-rec: no space left', -16, 'storageFull')),
      setLive: () => Promise.reject(new DeviceProblem('refused', 'start-live: code -99', -99)),
    });
    expect(await post('device/action', { sn: encoder, action: 'record-start' })).toMatchObject({
      ...{ result: 29, params: { reason: 'storageFull', code: -16 } },
      message: `Device ${encoder}: start-rec: no space left`,
    });
    expect(await post('device/action', { sn: encoder, action: 'live-start' })).toMatchObject({
      ...{ result: 38, params: { problem: 'refused', code: -99 } },
    });
  });

  test('rename changes the name on the device and on the hub', async () => {
    const { post, fleet, query, log } = await setUp();
    const names: string[] = [];
    fleet.sessions.set(encoder, {
      rename: async (name) => {
        names.push(name);
        return { silentMs: 0 };
      },
    });
    const rename = (params?: object) => post('device/action', { sn: encoder, action: 'rename', params });
    const { revision } = await query(encoder);
    expect(await rename({ name: 'Hall 1' })).toEqual({ result: 0 });
    expect(names).toEqual(['Hall 1']);
    expect(await query(encoder)).toMatchObject({ name: 'Hall 1' });
    // It is not polled during its pause: the name that it stated before must not come back.
    expect((await query(encoder)).facts.identity.name).toBe('Hall 1');
    expect((await query(encoder)).revision).toBeGreaterThan(revision);
    expect(await log()).toContain(`device.rename: Device ${encoder}: name Hall 1`);
    const faults = async (params?: object) =>
      (await rename(params)).fields?.map(({ path, rule }: never) => [path, rule]);
    expect(await faults({ name: 'x'.repeat(33) })).toEqual([['params.name', 'tooLong']]);
    expect(await faults({ name: ' x' })).toEqual([['params.name', 'outerSpace']]);
    expect(await faults()).toEqual([['params.name', 'required']]);
  });
});

describe('an action on several devices', () => {
  test('is a task in which each ends with its own result', async () => {
    const { bulk, fleet, log } = await setUp();
    fleet.sessions.set(encoder, { reboot: async () => ({ silentMs: 0 }) });
    fleet.sessions.set(decoder, {
      reboot: () => Promise.reject(new DeviceProblem('timeout', 'no answer', undefined, 'unknown')),
    });
    expect(await bulk('reboot', [encoder, decoder, 'NONE', encoder])).toMatchObject({
      ...{ kind: 'device.reboot', state: 'done', total: 3, done: 3, failed: 2 },
      list: [
        { key: encoder, name: `Device ${encoder}`, state: 'done' },
        { key: decoder, state: 'failed', fault: { result: 47, params: { reason: 'unknown' } } },
        { key: 'NONE', name: 'NONE', state: 'failed', fault: { result: 10006 } },
      ],
    });
    const lines = await log();
    expect(lines.filter((line) => line.startsWith('device.reboot')).sort()).toEqual(
      [
        `device.reboot: Device ${encoder}`,
        `device.reboot: Device ${decoder}: reason unknown`,
        'device.reboot: ',
      ].sort(),
    );
    expect(lines).toContain(`device.bulk: Device ${encoder}, Device ${decoder}: reboot, 3 devices`);
  });

  test('renames them with their numbers', async () => {
    const { bulk, post, fleet } = await setUp();
    const names = new Map<string, string>();
    for (const sn of [encoder, decoder]) {
      fleet.sessions.set(sn, {
        rename: async (name) => {
          names.set(sn, name);
          return { silentMs: 0 };
        },
      });
    }
    expect(await bulk('rename', [encoder, decoder], { name: 'Hall ## (#)' })).toMatchObject({ failed: 0 });
    expect([...names]).toEqual([
      [encoder, 'Hall 01 (1)'],
      [decoder, 'Hall 02 (2)'],
    ]);
    expect(
      await post('device/action', { sn: [encoder, decoder], action: 'rename', params: { name: 'Hall' } }),
    ).toMatchObject({
      ...{ result: 7, fields: [{ path: 'params.name', rule: 'counter' }] },
    });
  });

  test('ends with the access token that started it', async () => {
    const { post, json, fleet, task, add } = await setUp();
    const answer = Promise.withResolvers<{ silentMs: number }>();
    let asked = 0;
    const reboot = () => {
      asked += 1;
      return answer.promise;
    };
    const sns = Array.from({ length: 20 }, (_, at) => `B3132209141${10 + at}`);
    for (const sn of sns) {
      await add(sn);
      fleet.online(sn);
      fleet.sessions.set(sn, { reboot });
    }
    const { id, token } = await post('token/add', {
      ...{ name: 'script', permission: maskOf('deviceView', 'deviceControl', 'firmwareView'), password: adminPassword },
    });
    const headers = { authorization: `Bearer ${token}` };
    const body = { sn: sns, action: 'reboot' };
    const { task: of } = await json('/api/device/action', { method: 'POST', body, headers });
    await until(() => asked === limits.deviceActionsAtOnce);
    await post('token/del', { id });
    answer.resolve({ silentMs: 0 });
    const { list } = await task(of);
    expect(asked).toBe(limits.deviceActionsAtOnce);
    expect(list.at(-1)).toMatchObject({ state: 'failed', fault: { result: 31 } });
  });

  test('that is canceled tells no further device, and shows what the others came to', async () => {
    const { post, fleet, get, task, log } = await setUp();
    const answer = Promise.withResolvers<never>();
    let asked = 0;
    const reboot = () => {
      asked += 1;
      return answer.promise;
    };
    for (let at = 0; at < 10; at += 1) {
      const sn = `B3132209140${10 + at}`;
      fleet.at.set(`more${at}`, { identity: identityOf(sn), api: 'usapi' });
      await post('device/add', { address: `more${at}` });
      await until(() => fleet.asked.some((one) => one.sn === sn));
      fleet.online(sn);
      fleet.sessions.set(sn, { reboot });
    }
    const sn = fleet.asked.map((one) => one.sn).filter((one) => one !== encoder && one !== decoder);
    const { task: id } = await post('device/action', { sn, action: 'reboot' });
    await until(() => asked === 8);
    const canceling = post('task/cancel', { id });
    await until(async () => (await get(`task/query?id=${id}`)).cancelable === false);
    answer.reject(new DeviceProblem('refused', 'reboot: no', -9));
    expect(await canceling).toEqual({ result: 0 });
    const { state, list } = await task(id);
    expect(state).toBe('canceled');
    const count = (wanted: string) => list.filter((item: { state: string }) => item.state === wanted).length;
    expect([count('failed'), count('canceled'), asked]).toEqual([8, 2, 8]);
    expect((await log()).filter((line) => line.startsWith('device.reboot'))).toHaveLength(8);
  });

  test('by a schedule has the same results', async () => {
    const { hub, fleet, log } = await setUp();
    fleet.sessions.set(encoder, { setLive: done });
    const { act } = await hub.devices.actions();
    const who = { actor: schedule, objects: everything };
    expect(await act([encoder, decoder], 'live-start', {}, who)).toMatchObject([
      { sn: encoder, result: 'success' },
      { sn: decoder, result: 'unsupported', error: { params: { reason: 'unsupported' } } },
    ]);
    expect(await log()).toContain(`device.live-start: Device ${encoder}`);
    const blind = { actor: schedule, objects: { ...everything, canSee: () => false } };
    expect(await act([encoder], 'live-stop', {}, blind)).toMatchObject([{ result: 'clientNotExist' }]);
    const idle = { actor: schedule, objects: { ...everything, canAct: () => false } };
    expect(await act([encoder], 'live-stop', {}, idle)).toMatchObject([{ result: 'notPermitted' }]);
  });
});
