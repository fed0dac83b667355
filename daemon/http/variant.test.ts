import { afterAll, expect, test } from 'bun:test';
import { adminPassword, composedHub } from '../../tests/fixtures/composed-hub.ts';
import { endpointsOf } from '../../tests/fixtures/endpoints.ts';
import { api } from '../contract/api.ts';
import { maskOf } from '../contract/permission.ts';

const standard = await composedHub({ env: { SIGNALBOX_FEATURES: 'none' } });
const hardware = await composedHub({
  env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router,devices' },
});
afterAll(() => {
  standard.remove();
  hardware.remove();
});
const limited = endpointsOf(api).filter(({ needs }) => needs !== undefined);
const admins = { standard: await standard.signIn('Admin'), hardware: await hardware.signIn('Admin') };

test('sign-in, session and status report the variant of the hub', async () => {
  const body = { id: 'Admin', password: adminPassword };
  expect(await hardware.post('/api/login', body)).toMatchObject({ 'is-hardware': true });
  expect(await standard.post('/api/login', body)).toMatchObject({ 'is-hardware': false });
  const session = await hardware.json('/api/session', { as: admins.hardware });
  expect(session).toMatchObject({ 'is-hardware': true, 'feature-support': 5 });
  const { status } = await hardware.json('/api/system/status', { as: admins.hardware });
  expect(status.system.info['feature-support']).toBe(5);
});

for (const { method, path, needs, scope } of limited) {
  test(`${method} ${path} exists only on ${needs} hubs`, async () => {
    const answer = async (hub: typeof standard, as: string) => (await hub.json(path, { method, as })).result;
    const has = needs === 'standard' ? answer(standard, admins.standard) : answer(hardware, admins.hardware);
    const lacks = needs === 'standard' ? answer(hardware, admins.hardware) : answer(standard, admins.standard);
    expect(await has).not.toBe(9);
    expect(await lacks).toBe(9);
    // Without the permission, a caller learns nothing about the hub.
    if (scope !== 'public') expect((await standard.json(path, { method })).result).toBe(37);
  });
}

test('access tokens work on every variant', async () => {
  for (const [hub, as] of [
    [standard, admins.standard],
    [hardware, admins.hardware],
  ] as const) {
    const body = { name: 'Script', password: adminPassword, permission: maskOf('systemView') };
    const { token } = await hub.post('/api/token/add', body, as);
    const headers = { authorization: `Bearer ${token}` };
    expect(await hub.json('/api/session', { headers })).toMatchObject({ result: 0 });
  }
});
