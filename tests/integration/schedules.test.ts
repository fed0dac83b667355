/** Schedules of a real hub that is killed: a run that was due meanwhile is made up for, and none begins twice. */
import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Device } from '../../daemon/contract/devices.ts';
import type { Schedule } from '../../daemon/contract/schedules.ts';
import { serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

let hub: HubProcess;
const device = new UsapiDevice({ kind: 'encode', sn: 'B313240506021', name: 'Hall' });
const served = serveDevice(device);
beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices', TZ: 'Asia/Kathmandu' }, timeDivisor: 5 });
  await hub.login();
  const address = `${served.address.host}:${served.address.port}`;
  await hub.api('/api/device/add', { address, user: 'Admin', password: 'Admin' });
});
afterAll(async () => {
  await hub.stop();
  await served.close();
});

const untilOnline = () =>
  untilSeen(
    async () => (await hub.api<{ dev: Device }>(`/api/device/query?sn=${device.sn}`)).dev,
    ({ connection }) => connection === 'online',
  );
const list = () => hub.api<{ zone: string; list: Schedule[] }>('/api/schedule/list');
const starts = () => device.calls.filter((call) => call === 'start-rec').length;

/** `HH:MM` in the time zone of the hub, so many minutes before now. */
function minutesAgo(minutes: number): string {
  const time = new Date(Date.now() - minutes * 60_000);
  return time.toLocaleTimeString('en-GB', { timeZone: 'Asia/Kathmandu', hour: '2-digit', minute: '2-digit' });
}

/** The database of a hub that is off, as if the hub had been off since before that time. */
function offSince(minutes: number): void {
  const db = new Sqlite(join(hub.dataDir, 'hub.sqlite'));
  db.run('UPDATE schedules SET handled_until = ?', [Date.now() - minutes * 60_000]);
  db.close();
}

test('a hub that is killed makes up for a run that it missed by minutes, once', async () => {
  await untilOnline();
  const days = [1, 2, 3, 4, 5, 6, 7];
  const config = { name: 'Service', enabled: true, action: 'record', start: minutesAgo(2), days, sn: [device.sn] };
  await hub.api('/api/schedule/add', config);
  expect((await list()).zone).toBe('Asia/Kathmandu');
  expect((await list()).list[0]).toMatchObject({ next: { part: 'start' } });

  await hub.kill('SIGKILL');
  offSince(10);
  await hub.restart();
  const [done] = (
    await untilSeen(list, ({ list: [first] }) => first?.last !== undefined && first.last.state !== 'running')
  ).list;
  expect(done?.last).toMatchObject({ part: 'start', state: 'done', done: 1, total: 1 });
  expect(starts()).toBe(1);

  await hub.kill('SIGKILL');
  await hub.restart();
  await untilOnline();
  expect((await list()).list[0]?.last).toEqual(done?.last);
  expect(starts()).toBe(1);
});
