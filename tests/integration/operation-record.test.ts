/** The operation log of a real hub: each change with user, address, action and outcome, which cannot be removed. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { api } from '../../daemon/contract/api.ts';
import { cookieNames } from '../../daemon/contract/auth.ts';
import type { Endpoint } from '../../daemon/contract/endpoint.ts';
import type { Operation } from '../../daemon/contract/logs.ts';
import { secrets, type Written, writeEverything } from './every-write.ts';
import { stopFarEnds, webServer } from './fake-peers.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { rawCall } from './raw-call.ts';

setDefaultTimeout(120_000);

let hub: HubProcess;
let written: Written;
beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router,devices' } });
  const { port } = webServer(() => new Response('taken'));
  written = await writeEverything(hub, port);
});
afterAll(async () => {
  await hub.stop();
  stopFarEnds();
});

/** Log actions of the writes. */
const actions: Readonly<Record<string, string>> = {
  '/api/alarm/acknowledge': 'alarm.acknowledge',
  '/api/alarm/clear-history': 'alarm.clear',
  '/api/alarm/device-rules/set': 'settings.set',
  '/api/alarm/mute': 'alarm.mute',
  '/api/alarm/rules/set': 'alarm.rules',
  '/api/alarm/unmute': 'alarm.unmute',
  '/api/alarm/webhook/reveal': 'settings.reveal',
  '/api/alarm/webhook/set': 'settings.set',
  '/api/catalog/add': 'deviceGroup.add',
  '/api/catalog/del': 'deviceGroup.del',
  '/api/catalog/rename': 'deviceGroup.set',
  '/api/catalog/set': 'deviceGroup.set',
  '/api/channel/add': 'channel.add',
  '/api/channel/client/disconnect': 'channel.disconnectClient',
  '/api/channel/del': 'channel.del',
  '/api/channel/enable': 'channel.enable',
  '/api/channel/input/set': 'channel.setInput',
  '/api/channel/input/switch': 'channel.switchInput',
  '/api/channel/output/add': 'channel.addOutput',
  '/api/channel/output/del': 'channel.delOutput',
  '/api/channel/output/enable': 'channel.enableOutput',
  '/api/channel/reveal-key': 'channel.reveal',
  '/api/channel/set': 'channel.set',
  '/api/channel/slate/del': 'channel.delSlate',
  '/api/channel/slate/set': 'channel.setSlate',
  '/api/cert/request': 'settings.request',
  '/api/cert/upload': 'settings.upload',
  '/api/cert/upload-key': 'settings.upload',
  '/api/device/accept': 'device.accept',
  '/api/device/action': 'device.bulk',
  '/api/device/add': 'device.add',
  '/api/device/clash/decide': 'device.keepOther',
  '/api/device/config': 'device.config',
  '/api/device/connect': 'channel.setInput',
  '/api/device/del': 'device.del',
  '/api/device/discover': 'device.discover',
  '/api/device/favorite': 'device.favorite',
  '/api/device/forward/add': 'forward.add',
  '/api/device/forward/del': 'forward.del',
  '/api/device/forward/ports/set': 'forward.setPorts',
  '/api/device/forward/set': 'forward.set',
  '/api/device/forward/start': 'forward.start',
  '/api/device/forward/stop': 'forward.stop',
  '/api/device/global/set': 'device.global',
  '/api/device/move': 'device.move',
  '/api/device/reject': 'device.reject',
  '/api/device/renew-key': 'device.renewKey',
  '/api/device/reveal-key': 'device.reveal',
  '/api/device/security/set': 'device.security',
  '/api/device/set': 'device.set',
  '/api/device/upgrade': 'devices.upgrade',
  '/api/firmware/add': 'firmware.add',
  '/api/firmware/begin-upload': 'firmware.add',
  '/api/firmware/del': 'firmware.del',
  '/api/input/source/add': 'input.add',
  '/api/input/source/del': 'input.del',
  '/api/input/source/reveal': 'input.reveal',
  '/api/input/source/set': 'input.set',
  '/api/login': 'session.start',
  '/api/logout': 'session.end',
  '/api/ndi/preset/del': 'ndiPreset.del',
  '/api/ndi/preset/save': 'ndiPreset.add',
  '/api/ndi/router/input/set': 'ndiInput.set',
  '/api/ndi/router/lock': 'ndiOutput.lock',
  '/api/ndi/router/output/add': 'ndiOutput.add',
  '/api/ndi/router/output/del': 'ndiOutput.del',
  '/api/ndi/router/output/set': 'ndiOutput.set',
  '/api/ndi/router/route': 'ndiRouter.route',
  '/api/ndi/router/set': 'ndiRouter.set',
  '/api/ndi/router/undo': 'ndiRouter.route',
  '/api/ndi/runtime/retry': 'ndiRuntime.retry',
  '/api/ndi/salvo/add': 'ndiSalvo.add',
  '/api/ndi/salvo/capture': 'ndiSalvo.add',
  '/api/ndi/salvo/del': 'ndiSalvo.del',
  '/api/ndi/salvo/recall': 'ndiRouter.route',
  '/api/ndi/salvo/set': 'ndiSalvo.set',
  '/api/output/add': 'output.add',
  '/api/output/del': 'output.del',
  '/api/output/reveal': 'output.reveal',
  '/api/output/set': 'output.set',
  '/api/preset/del': 'preset.del',
  '/api/preset/save': 'preset.add',
  '/api/preset/use': 'output.add',
  '/api/reboot': 'system.reboot',
  '/api/schedule/add': 'schedule.add',
  '/api/schedule/del': 'schedule.del',
  '/api/schedule/set': 'schedule.set',
  '/api/server/add': 'server.add',
  '/api/server/del': 'server.del',
  '/api/server/output/add': 'output.add',
  '/api/server/set': 'server.set',
  '/api/session/end': 'session.endOther',
  '/api/session/stay': 'session.noStay',
  '/api/settings/confirm': 'settings.confirm',
  '/api/settings/export': 'settings.export',
  '/api/settings/reveal-code': 'settings.reveal',
  '/api/settings/set': 'settings.set',
  '/api/setup': 'setup.finish',
  '/api/system/reset': 'system.reset',
  '/api/system/restart-part': 'system.restartPart',
  '/api/task/cancel': 'task.cancel',
  '/api/token/add': 'token.add',
  '/api/token/del': 'token.del',
  '/api/usr-group/add': 'group.add',
  '/api/usr-group/del': 'group.del',
  '/api/usr-group/set': 'group.set',
  '/api/usr/add': 'user.add',
  '/api/usr/del': 'user.del',
  '/api/usr/set': 'user.set',
  '/api/usr/update': 'user.password',
};
/** These change nothing. */
const unrecorded = [
  '/api/alarm/mail/test',
  '/api/alarm/webhook/test',
  '/api/device/list',
  // Until `firmware/add` takes the file.
  '/api/firmware/upload',
  '/api/input/source/test',
  '/api/login/challenge',
  // Until the file has arrived and was loaded; tests/integration/ndi-runtime.test.ts covers its entry.
  '/api/ndi/runtime/upload',
  '/api/preview/setup',
  // A preview.
  '/api/settings/import',
];
/** These only succeed with a running stream; the tests of the streams cover their entries. */
const withStream = ['/api/channel/client/disconnect', '/api/channel/input/switch'];
/** Only with a running task; the tests of tasks cover its entry. */
/** Only with an active alarm; the tests of alarms cover its entry. */
const withAlarm = ['/api/alarm/acknowledge'];
const withTask = ['/api/task/cancel'];
/** These end the hub; the tests of reset and reboot cover their entries. */
const withRestart = ['/api/reboot', '/api/system/reset'];
/** Only with a private network; the test of the search covers its entry. */
const withNetwork = ['/api/device/discover'];

async function allOperations(): Promise<Operation[]> {
  const all: Operation[] = [];
  for (let before = ''; ; ) {
    const page = await hub.api<{ list: Operation[]; next: number }>(`/api/log/list?count=1000${before}`);
    all.push(...page.list);
    if (page.next === 0) return all;
    before = `&before=${page.next}`;
  }
}
/** They need parts of an appliance; the tests of their features cover their entries. */
const ofAppliance: ReadonlySet<string> = new Set(
  Object.values(api).flatMap((noun) =>
    Object.values<Endpoint>(noun).flatMap(({ needs, path }) => (needs === 'hardware' ? path : [])),
  ),
);
/** They are forms. */
const certificates = ['/api/cert/upload', '/api/cert/upload-key', '/api/firmware/upload'];
const postsOf = async () => {
  const { paths } = await hub.api<{ paths: Record<string, object> }>('/api/openapi.json');
  return Object.keys(paths).filter((path) => 'post' in paths[path]! && !ofAppliance.has(path));
};

test('every write of the API has an entry: who, from where, what, which object, with which result', async () => {
  const named = [...Object.keys(actions), ...unrecorded];
  expect(named.toSorted()).toEqual((await postsOf()).toSorted());
  const done = new Set(written.writes.map(({ path }) => path));
  const notDone = named.filter((path) => !done.has(path));
  const elsewhere = [
    '/api/setup',
    '/api/channel/slate/set',
    ...certificates,
    ...withStream,
    ...withAlarm,
    ...withTask,
    ...withNetwork,
    ...withRestart,
    '/api/preview/setup',
  ];
  expect(notDone.toSorted()).toEqual(elsewhere.toSorted());

  const all = await allOperations();
  const calls = [...written.writes.map(({ path }) => path), '/api/setup', '/api/channel/slate/set', ...certificates];
  const desired = calls.flatMap((path) => actions[path] ?? []);
  for (const action of new Set(desired)) {
    const entries = all.filter((entry) => entry.action === action);
    const times = desired.filter((one) => one === action).length;
    expect([action, entries.length >= times, entries.length]).toEqual([action, true, entries.length]);
    for (const { user, ip, result, time, subject } of entries) {
      const isFirst = action === 'setup.finish';
      expect([action, isFirst || ['Admin', 'ann'].includes(user)]).toEqual([action, true]);
      expect([action, result, ip]).toEqual([action, 0, isFirst ? '' : '127.0.0.1']);
      expect([action, subject === '' && !/^(session|setup)/.test(action)]).toEqual([action, false]);
      expect(Math.abs(Date.now() - time)).toBeLessThan(10 * 60_000);
    }
  }
});

test('a failed sign-in and actions of a token are logged with their user', async () => {
  await rawCall(hub, { path: '/api/login', body: { id: 'ann', password: secrets.guess }, from: '127.0.0.77' });
  await rawCall(hub, { path: '/api/login', body: { id: secrets.guess, password: 'x' }, from: '127.0.0.77' });
  const headers = { authorization: `Bearer ${written.made.token}` };
  const body = { id: written.channel, enable: false };
  expect((await rawCall(hub, { path: '/api/channel/enable', body, headers })).json.result).toBe(0);
  const [byToken, unknown, wrong] = await allOperations();
  expect(byToken).toMatchObject({ user: 'Admin', via: 'made', action: 'channel.enable', subject: 'Arena', result: 0 });
  // A user may have typed a password into the name field.
  expect(unknown).toMatchObject({ user: '', ip: '127.0.0.77', action: 'session.start', result: 16 });
  expect(wrong).toMatchObject({ user: 'ann', ip: '127.0.0.77', action: 'session.start', result: 39 });
});

test('entries cannot be changed or deleted, and only administrators read them', async () => {
  const writes = (await postsOf()).filter((path) => /^\/api\/(sys)?log\//.test(path));
  expect(writes).toEqual([]);
  const before = await allOperations();
  const cookies = hub.headers();
  for (const path of ['/api/log/list', '/api/log/export', '/api/syslog/list', '/api/syslog/export', '/api/log/del'])
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect((await rawCall(hub, { path, method, body: { id: 1 }, headers: cookies })).status).toBe(
        path === '/api/log/del' ? 404 : 405,
      );
  expect(await allOperations()).toEqual(before);
  const { json } = await rawCall(hub, { path: '/api/login', body: { id: 'ann', password: secrets.nextAnnPassword } });
  const asUser = { cookie: `${cookieNames.sid}=${json.token}` };
  for (const path of ['/api/log/list', '/api/syslog/list'])
    expect((await rawCall(hub, { path, headers: asUser })).json.result).toBe(31);
  for (const path of ['/api/log/export', '/api/syslog/export'])
    expect((await rawCall(hub, { path, headers: asUser })).status).toBe(403);
  // Log entries outlive their user and object.
  await hub.api('/api/usr/del', { name: 'ann' });
  expect((await allOperations()).filter(({ user }) => user === 'ann').length).toBeGreaterThan(0);
});
