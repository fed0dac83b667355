import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { until } from '../../../tests/support/until.ts';
import { createApplianceDouble } from '../../appliance/double-for-test.ts';
import { MissingPart } from '../../appliance/missing-part.ts';
import { ssidOf } from '../../appliance/wifi/double-for-test.ts';
import { systemAreas } from '../../contract/power-fields.ts';
import { systemFlags } from '../../contract/variant.ts';
import { createLog } from '../../lib/log.ts';
import { readSystemReset, writeSystemReset } from '../../store/reset.ts';
import { timing } from '../../timing.ts';
import { createAudit } from '../logs/audit.ts';
import { createPowerService } from './service.ts';
import { continueSystemReset } from './system-reset.ts';

type Hub = Awaited<ReturnType<typeof composedHub>>;

let hub: Hub;
let admin: string;
beforeEach(async () => {
  hub = await composedHub();
  admin = await hub.signIn('Admin');
});
afterEach(() => hub.remove());

const flags = async (): Promise<number> => {
  const { status } = await hub.json('/api/system/status', { as: admin });
  return status.system.status['status-code'];
};
const lastEntry = async () => (await hub.json('/api/log/list?count=1', { as: admin })).list[0];

test('a reboot answers when it begins and how long it takes, is logged, shows its flag, and restarts the hub', async () => {
  const answer = await hub.post('/api/reboot', {}, admin);
  expect(answer).toMatchObject({ result: 0, delay: timing.power.delayMs / 1000, what: 'hub' });
  expect(answer['estimate-sec']).toBeGreaterThan(answer.delay);
  expect(await flags()).toBe(systemFlags.restarting);
  expect(await lastEntry()).toMatchObject({ user: 'Admin', action: 'system.reboot', result: 0 });
  expect(hub.restarts).toEqual([]);
  await until(() => hub.restarts.length > 0, timing.power.delayMs * 2, 'the hub restarts');
});

test('S12: a second reboot is told that the first one is under way', async () => {
  await hub.post('/api/reboot', {}, admin);
  for (const [path, body] of [['reboot', {}] as const, ['system/reset', { keep: [] }] as const]) {
    expect(await hub.post(`/api/${path}`, body, admin)).toMatchObject({ result: 43, params: { work: 'restarting' } });
  }
});

test('a reset marks the data folder with what is kept, and answers the code for the first password', async () => {
  const answer = await hub.post('/api/system/reset', { keep: ['logs'] }, admin);
  expect(await flags()).toBe(systemFlags.resetting);
  expect(JSON.parse(readFileSync(join(hub.dir, 'reset.json'), 'utf8'))).toEqual({
    keep: ['logs'],
    setupCode: answer['setup-code'],
  });
  const entry = { user: 'Admin', action: 'system.reset', changes: [{ word: 'kept', value: 'logs' }] };
  expect(await lastEntry()).toMatchObject(entry);
});

test('a reset says what it keeps, and only administrators begin one', async () => {
  expect(await hub.post('/api/system/reset', {}, admin)).toMatchObject({ result: 7, fields: [{ path: 'keep' }] });
  expect(await hub.post('/api/system/reset', { keep: ['users'] }, admin)).toMatchObject({ result: 7 });
  const user = await hub.addUser('ann', 2);
  expect(await hub.post('/api/system/reset', { keep: [] }, user)).toMatchObject({ result: 31 });
  expect(existsSync(join(hub.dir, 'reset.json'))).toBe(false);
});

test('a reset of an appliance also names what its operating system resets, and continues until that is done', async () => {
  const machine = createApplianceDouble();
  const { net, power, wifi } = machine.double;
  const env = { SIGNALBOX_VARIANT: 'hardware' };
  const appliance = await composedHub({ appliance: machine, env });
  try {
    const as = await appliance.signIn('Admin');
    await appliance.post('/api/system/reset', { keep: ['network', 'logs'] }, as);
    expect(JSON.parse(readFileSync(join(appliance.dir, 'reset.json'), 'utf8'))).toMatchObject({ system: ['time'] });
    wifi.place([{ ssid: ssidOf('Studio'), security: 'open', strength: 70, frequency: 2412 }]);
    await wifi.port.join({ ssid: ssidOf('Studio'), security: 'open', key: undefined, isHidden: false });

    // As after the start that follows.
    writeSystemReset(appliance.dir, systemAreas);
    power.refusal = new MissingPart('helper', 'absent', 'nothing answers at its socket');
    net.stop();
    const stop = continueSystemReset({ dataDir: appliance.dir, machine, log: createLog('error'), retryMs: 5 });
    await until(() => wifi.stored().length === 1 && readSystemReset(appliance.dir).length === systemAreas.length);
    net.start();
    await until(() => !readSystemReset(appliance.dir).includes('network'));
    expect(wifi.stored()).toEqual([]);
    expect(net.stored('eth1')).toEqual({ fixed: null, dns: [] });
    expect(readSystemReset(appliance.dir)).toEqual(['hostName', 'time', 'journal']);
    power.refusal = undefined;
    await until(() => readSystemReset(appliance.dir).length === 0);
    expect(power.resets).toEqual(['hostName', 'time', 'journal']);
    expect(existsSync(join(appliance.dir, 'reset-system.json'))).toBe(false);
    stop();
  } finally {
    await appliance.remove();
  }
});

test('while devices are being upgraded, a restart needs force', async () => {
  const { db } = hub;
  const power = createPowerService({
    ...{ db, audit: createAudit(Date.now), config: { dataDir: hub.dir, httpPort: 80, httpsPort: null } },
    ...{ openPorts: () => ({ http: 80, https: null }), makeSetupCode: () => 'ABCDE-FGHJK' },
    ...{ restart: () => {}, runningUpgrades: () => 2, machine: undefined },
  });
  const actor = { name: 'Admin', ip: '' };
  await expect(power.reboot(actor, false)).rejects.toThrow('devices are being upgraded');
  expect(() => power.reset(actor, { keep: [] })).toThrow('devices are being upgraded');
  expect(power.flags()).toBe(0);
  expect(await power.reboot(actor, true)).toMatchObject({ what: 'hub' });
});

test('an appliance restarts its machine, and without the helper answers that it is missing', async () => {
  const machine = createApplianceDouble();
  const { power } = machine.double;
  const appliance = await composedHub({ appliance: machine, env: { SIGNALBOX_VARIANT: 'hardware' } });
  try {
    const as = await appliance.signIn('Admin');
    power.refusal = new MissingPart('helper', 'absent', 'nothing answers at its socket');
    expect(await appliance.post('/api/reboot', {}, as)).toMatchObject({ params: { part: 'helper' } });
    expect(power.reboots).toEqual([]);
    power.refusal = undefined;
    expect(await appliance.post('/api/reboot', {}, as)).toMatchObject({ result: 0, delay: 0, what: 'machine' });
    expect(power.reboots).toMatchObject([{ user: 'Admin' }]);
    expect(appliance.restarts).toEqual([]);
  } finally {
    await appliance.remove();
  }
});
