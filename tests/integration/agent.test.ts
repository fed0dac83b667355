/** The agent as a process of its own, with a real hub and simulated devices: registration, approval, loss and return. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '../../daemon/contract/devices.ts';
import type { SimulatedDevice } from '../sim/devices/device.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { makeDeviceCertificate } from '../support/device-certificates.ts';
import { untilSeen } from '../support/until.ts';
import { AgentProcess, killAgents } from './agent-process.ts';
import { adminPassword, type HubProcess, startHub } from './hub-process.ts';
import { rawCall } from './raw-call.ts';

setDefaultTimeout(90_000);
const timeDivisor = 5;

let hub: HubProcess;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-agent-'));
const passwordFile = join(folder, 'password');
const encoder = new UsapiDevice({ kind: 'encode', sn: 'B313240506011', name: 'Hall' });
const decoder = new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby' });
const served = new Map<SimulatedDevice, ReturnType<typeof serveDevice>>();

beforeAll(async () => {
  writeFileSync(passwordFile, 'Admin\n');
  for (const device of [encoder, decoder]) served.set(device, serveDevice(device));
  hub = await startHub({ env: { SIGNALBOX_HTTPS_PORT: '0' }, timeDivisor });
  await hub.login();
  await hub.api('/api/settings/set', { security: { 'enable-code': true, 'code-value': '4711' } });
});
afterEach(killAgents);
afterAll(async () => {
  await hub?.stop();
  await Promise.all([...served.values()].map(({ close }) => close()));
  rmSync(folder, { recursive: true, force: true });
});

function startAgent(devices: readonly SimulatedDevice[], code: string, state = join(folder, 'state')): AgentProcess {
  const urls = devices.map((device) => {
    const { address } = served.get(device)!;
    return `http://${address.host}:${address.port}`;
  });
  const link = `127.0.0.1:${hub.ports.link}`;
  return new AgentProcess({ hub: link, code, devices: urls, passwordFile, state, timeDivisor });
}

type Shown = Device & { readonly facts?: object };
const shown = async ({ sn }: SimulatedDevice) => (await hub.api<{ dev: Shown }>(`/api/device/query?sn=${sn}`)).dev;
const untilShown = (device: SimulatedDevice, is: (shown: Shown) => boolean, what: string) =>
  untilSeen(() => shown(device), is, 20_000, what);
const untilOnline = (device: SimulatedDevice) =>
  untilShown(device, ({ connection }) => connection === 'online', `${device.sn} is online`);
const countOf = async (state: string) =>
  (await hub.api<{ total: number }>(`/api/device/list?reg-state=${state}`)).total;

test('devices wait for approval, then are online through the agent; one that is rejected is not', async () => {
  const wrong = startAgent([encoder], '4712', join(folder, 'wrong'));
  await wrong.says(`${encoder.sn}: the invitation code is wrong`);
  expect(await countOf('waiting')).toBe(0);
  expect(await wrong.kill('SIGTERM')).toBe(0);

  const agent = startAgent([encoder, decoder], '4711');
  for (const { sn } of [encoder, decoder]) await agent.says(`${sn}: waits until an administrator`);
  expect(await countOf('waiting')).toBe(2);
  await hub.api('/api/device/accept', { sn: encoder.sn });
  await hub.api('/api/device/reject', { sn: decoder.sn });
  await agent.says(`${encoder.sn}: connected`);
  await agent.says(`${decoder.sn}: was rejected`);
  expect(await untilOnline(encoder)).toMatchObject({ name: 'Hall', link: 'agent', 'module-name': 'Ultra Encode AIO' });
  for (const name of readdirSync(join(folder, 'state'))) {
    expect([name, statSync(join(folder, 'state', name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  // Nothing but a link that is accepted carries requests.
  expect(await shown(decoder)).toMatchObject({ 'reg-state': 102, connection: 'offline' });

  // The same serial number with another key is not attached.
  const other = startAgent([encoder], '4711', join(folder, 'other'));
  await other.says(`${encoder.sn}: the hub knows another device`);
  await other.kill('SIGTERM');
  expect(await shown(encoder)).toMatchObject({ connection: 'online' });
});

test('a killed agent makes its device offline within seconds, and returns with the same key without a code', async () => {
  const agent = startAgent([encoder], '4711');
  await agent.says('connected');
  await untilOnline(encoder);
  await agent.kill('SIGKILL');
  await untilShown(encoder, ({ problem }) => problem === 'linkDown', 'the link is down');
  const next = startAgent([encoder], '');
  await untilOnline(encoder);

  // The hub returns with the same key and port, and the agent by itself.
  await hub.kill('SIGTERM');
  await next.says('not connected');
  await hub.restart();
  await untilOnline(encoder);
});

test('existing programs reach the device through the agent, and no password of theirs is logged', async () => {
  const agent = startAgent([encoder], '');
  await agent.says('connected');
  await untilOnline(encoder);
  const { token } = await hub.api<{ token: string }>('/api/token/add', { name: 'script', password: adminPassword });
  const headers = { authorization: `Bearer ${token}` };
  const call = async (path: string, body?: object) => {
    const method = body === undefined ? 'GET' : 'POST';
    return (await rawCall(hub, { path: `/socket/${path}&sc-client-id=${encoder.sn}`, headers, method, body })).json;
  };
  expect(await call('usapi?method=get-status')).toMatchObject({ result: 0, 'box-name': 'Hall' });
  expect(await call('usapi?method=start-rec')).toEqual({ result: 0 });
  expect(await call('mwapi/record/stop?', {})).toEqual({ status: 0 } as never);
  expect(encoder.calls).toEqual(expect.arrayContaining(['start-rec', 'stop-rec']));
  expect(await call('usapi?method=login&id=Admin&pass=of-the-query')).toMatchObject({ result: 9 });
  expect(hub.logs()).not.toContain('of-the-query');
  await agent.kill('SIGTERM');
});

test('a device that is deleted is told so, and the agent ends', async () => {
  const agent = startAgent([encoder], '');
  await agent.says('connected');
  await untilOnline(encoder);
  await hub.api('/api/device/del', { sn: encoder.sn });
  await agent.says(`${encoder.sn}: was deleted`);
  expect(await agent.exited()).toBe(1);
  expect(await countOf('accepted')).toBe(0);
  expect(hub.logs()).not.toContain('4711');
});

test('a device with HTTPS only joins once its certificate is accepted; another one is told, and gets nothing', async () => {
  const [own, other] = [makeDeviceCertificate('stage'), makeDeviceCertificate('stage')];
  const stage = new UsapiDevice({ kind: 'encode', sn: 'B313240506015', name: 'Stage' });
  const web = serveDevice(stage, own);
  served.set(stage, web);
  const begin = (more: readonly string[]) =>
    new AgentProcess({
      ...{ hub: `127.0.0.1:${hub.ports.link}`, code: '4711', passwordFile, state: join(folder, 'tls'), timeDivisor },
      ...{ devices: [`https://127.0.0.1:${web.address.port}`], more },
    });
  const refused = begin([]);
  await refused.says(`start the agent with --certificate ${own.fingerprint}`);
  expect(await refused.exited()).toBe(1);
  expect(stage.calls).toEqual([]);

  const agent = begin(['--certificate', own.fingerprint]);
  await agent.says(`${stage.sn}: waits until`);
  await hub.api('/api/device/accept', { sn: stage.sn });
  expect(await untilOnline(stage)).toMatchObject({ name: 'Stage', link: 'agent' });

  await web.showCertificate(other);
  await untilShown(stage, ({ problem }) => problem === 'certificateChanged', 'the certificate has changed');
  await agent.says(`shows another certificate; to accept it, start the agent with --certificate ${other.fingerprint}`);
  const count = stage.calls.length;
  await web.showCertificate(own);
  await untilOnline(stage);
  expect(stage.calls.length).toBeGreaterThan(count);
});

test('a wrong password is tried once, and arguments that cannot be used are refused', async () => {
  writeFileSync(passwordFile, 'wrong\n');
  const agent = startAgent([encoder], '4711');
  expect(await agent.exited()).toBe(1);
  await agent.says('give its user and password');
  writeFileSync(passwordFile, 'Admin\n');
  const refused = startAgent([encoder], 'letters');
  expect(await refused.exited()).toBe(2);
  await refused.says('--code: the invitation code has four digits');
});
