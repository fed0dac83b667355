/** Large firmware files on their way to devices: directly, over HTTPS and through an agent, with little memory. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '../../daemon/contract/devices.ts';
import type { Task, TaskItem } from '../../daemon/contract/tasks.ts';
import { firmwareImage } from '../sim/devices/firmware.ts';
import { serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { makeDeviceCertificate } from '../support/device-certificates.ts';
import { peakBytes, resetPeak } from '../support/peak-memory.ts';
import { untilSeen } from '../support/until.ts';
import { AgentProcess, killAgents } from './agent-process.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(120_000);

const waitMs = 60_000;
const mebibyte = 1024 * 1024;
const largeBytes = 150 * mebibyte;
const smallBytes = 2 * mebibyte;
const timeDivisor = 10;

let hub: HubProcess;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-firmware-transfer-'));
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  writeFileSync(join(folder, 'password'), 'Admin\n');
  hub = await startHub({ env: { SIGNALBOX_HTTPS_PORT: '0' }, timeDivisor });
  await hub.login();
});
afterAll(async () => {
  await killAgents();
  await hub.stop();
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

type Items = Task & { list: TaskItem[] };
const taskOf = (id: number) => hub.api<Items>(`/api/task/query?id=${id}`);
const ends = (id: number) =>
  untilSeen(
    () => taskOf(id),
    ({ ended }) => ended > 0,
    waitMs,
    'the task has ended',
  );
const isOnline = (sn: string) =>
  untilSeen(
    async () => (await hub.api<{ dev: Device }>(`/api/device/query?sn=${sn}`)).dev,
    ({ connection }) => connection === 'online',
    waitMs,
    `${sn} is online`,
  );

async function addFile(version: string, bytes: number): Promise<number> {
  const image = new Uint8Array(firmwareImage({ productId: 787, hardware: 'B', version, bytes }));
  const name = `firmware-787-0-B-${version}.mwf`;
  const { task } = await hub.api<{ task: number }>('/api/firmware/begin-upload', { name, size: bytes });
  await fetch(`${hub.url}/api/upload/data?task=${task}`, { method: 'PUT', body: image, headers: hub.headers() });
  await ends(task);
  const { list } = await hub.api<{ list: { id: number }[] }>('/api/firmware/list');
  return list[0]?.id ?? 0;
}
function encoder(sn: string, certificate?: ReturnType<typeof makeDeviceCertificate>) {
  const device = new UsapiDevice({ kind: 'encode', sn, name: `Device ${sn}`, rebootMs: 50, writeMs: 50 });
  const { address, close } = serveDevice(device, certificate);
  closing.push(close);
  return { device, url: `${address.protocol}://${address.host}:${address.port}` };
}

test('150 MB reach a device over each way, and cost hub and agent little memory', async () => {
  const certificate = makeDeviceCertificate('encoder');
  const [direct, secure, linked] = [
    encoder('B313240101001'),
    encoder('B313240101002', certificate),
    encoder('B313240101003'),
  ];
  const login = { user: 'Admin', password: 'Admin' };
  const pin = certificate.fingerprint;
  await hub.api('/api/device/add', {
    list: [
      { address: direct.url, ...login },
      { address: secure.url, ...login, pin },
    ],
  });
  const agent = new AgentProcess({
    ...{ hub: `127.0.0.1:${hub.ports.link}`, code: '', devices: [linked.url], timeDivisor },
    ...{ passwordFile: join(folder, 'password'), state: join(folder, 'state') },
  });
  await agent.says('waits until an administrator');
  await hub.api('/api/device/accept', { sn: linked.device.sn });
  const sns = [direct, secure, linked].map(({ device }) => device.sn);
  for (const sn of sns) await isOnline(sn);
  const firmware = await addFile('9.8.7', largeBytes);
  await hub.api('/api/settings/set', { 'upgrade-rate': 0 });
  const before = resetPeak(hub.pid);
  const agentBefore = resetPeak(agent.pid);
  const { task } = await hub.api<{ task: number }>('/api/device/upgrade', { sn: sns, 'firmware-id': firmware });
  const { list } = await ends(task);
  expect(list.map(({ state, fault }) => [state, fault?.message])).toEqual(sns.map(() => ['done', undefined]));
  // The simulator has compared the SHA-256 of the file.
  for (const { device } of [direct, secure, linked]) expect(device.firmware.version).toBe('9.8.7');
  expect(peakBytes(hub.pid) - before).toBeLessThan(60 * mebibyte);
  expect(peakBytes(agent.pid) - agentBefore).toBeLessThan(60 * mebibyte);
});

test('all uploads together take no more than the rate that is set', async () => {
  const devices = [encoder('B313240101011'), encoder('B313240101012')];
  const login = { user: 'Admin', password: 'Admin' };
  await hub.api('/api/device/add', { list: devices.map(({ url }) => ({ address: url, ...login })) });
  const sns = devices.map(({ device }) => device.sn);
  for (const sn of sns) await isOnline(sn);
  const firmware = await addFile('9.9.1', smallBytes);
  const mbps = 16;
  await hub.api('/api/settings/set', { 'upgrade-rate': mbps });
  const { task } = await hub.api<{ task: number }>('/api/device/upgrade', { sn: sns, 'firmware-id': firmware });
  const { list } = await ends(task);
  expect(list.map(({ state }) => state)).toEqual(['done', 'done']);
  const [first, last] = [
    Math.min(...list.map(({ upgrade }) => upgrade?.started ?? 0)),
    Math.max(...list.map(({ upgrade }) => upgrade?.['writing-since'] ?? 0)),
  ];
  // What may be sent at once after a pause does not count.
  expect(last - first).toBeGreaterThan(((2 * smallBytes * 8) / (mbps * 1e6)) * 1000 - 500);
});
