/** Port forwards of a real hub to a device that it reaches directly, and to one behind an agent. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '../../daemon/contract/devices.ts';
import { forwardStates } from '../../daemon/contract/forward-states.ts';
import type { Forward } from '../../daemon/contract/forwards.ts';
import { rssBytes } from '../bench/proc.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { connectTo, fetchBytes, sendBytes, serveCopies } from '../support/copy-port.ts';
import { leasePort } from '../support/ports.ts';
import { until, untilSeen } from '../support/until.ts';
import { AgentProcess, killAgents } from './agent-process.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(90_000);
const copyBytes = 64 << 20;
const collectedMs = 3000;
const [direct, linked] = ['B313240506011', 'B313240506012'];

let hub: HubProcess;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-forwards-'));
const passwordFile = join(folder, 'password');
const served: ServedDevice[] = [];
/** The web address of each device, which also gives and takes bytes. */
const fronts: Awaited<ReturnType<typeof serveCopies>>[] = [];
/** A port of the device behind the agent beside its web address. */
let extra: Awaited<ReturnType<typeof serveCopies>>;
let agent: AgentProcess;

async function serve(sn: string): Promise<string> {
  const device = serveDevice(new UsapiDevice({ kind: 'encode', sn, name: `Encoder ${sn.slice(-1)}` }));
  served.push(device);
  const front = await serveCopies(device.address.port);
  fronts.push(front);
  return `127.0.0.1:${front.port}`;
}

const query = async (sn: string) => (await hub.api<{ dev: Device }>(`/api/device/query?sn=${sn}`)).dev;
const untilOnline = (sn: string) =>
  untilSeen(
    () => query(sn),
    ({ connection }) => connection === 'online',
    20_000,
    `${sn} is online`,
  );
const add = (body: object) =>
  hub.api<{ id: number; port: number }>('/api/device/forward/add', { 'remote-port': 80, start: true, ...body });
const list = async () => (await hub.api<{ list: Forward[] }>('/api/device/forward/list')).list;
const shown = async (id: number) => (await list()).find((one) => one.id === id)!;

/** The runtime of the hub collects garbage from time to time if calls keep it busy. */
async function residentBytes(): Promise<number> {
  await list();
  return rssBytes([hub.pid]);
}

/** Resident memory once it has not fallen for a while, by more than 1 MiB. */
async function collectedBytes(): Promise<number> {
  let [least, leastAt] = [Number.POSITIVE_INFINITY, 0];
  await until(async () => {
    const bytes = await residentBytes();
    if (bytes < least - (1 << 20)) [least, leastAt] = [bytes, performance.now()];
    return performance.now() - leastAt > collectedMs;
  }, 60_000);
  return least;
}

function startAgent(address: string): AgentProcess {
  return new AgentProcess({
    ...{ hub: `127.0.0.1:${hub.ports.link}`, code: '', devices: [`http://${address}`], passwordFile, timeDivisor },
    ...{ state: join(folder, 'state'), more: ['--insecure', '--port', String(extra.port)] },
  });
}

let linkedAddress: string;
beforeAll(async () => {
  writeFileSync(passwordFile, 'Admin\n');
  extra = await serveCopies();
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' }, timeDivisor, isUnprivileged: true });
  await hub.login();
  await hub.api('/api/device/add', { address: await serve(direct), user: 'Admin', password: 'Admin' });
  linkedAddress = await serve(linked);
  agent = startAgent(linkedAddress);
  await agent.says(`${linked}: waits until`);
  await hub.api('/api/device/accept', { sn: linked });
  await hub.api('/api/device/forward/ports/set', { sn: linked, ports: [extra.port, 9] });
  await Promise.all([untilOnline(direct), untilOnline(linked)]);
});
afterAll(async () => {
  await killAgents();
  await hub?.stop();
  for (const { close } of [...fronts, extra]) close();
  await Promise.all(served.map(({ close }) => close()));
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['a device that the hub reaches directly', direct],
  ['a device behind an agent', linked],
])('to %s', (_, sn) => {
  test('curl gets its answers', async () => {
    const { port } = await add({ sn });
    const curl = Bun.spawn(['curl', '-sS', '--max-time', '20', `http://127.0.0.1:${port}/usapi?method=ping`]);
    expect(JSON.parse(await new Response(curl.stdout).text())).toEqual({ result: 0 });
    expect(await curl.exited).toBe(0);
  });

  test('64 MB arrive as they were sent, both ways at the same time', async () => {
    const { id, port } = await add({ sn });
    const [down, up] = await Promise.all([fetchBytes(port, copyBytes), sendBytes(port, copyBytes)]);
    expect(down).toEqual({ bytes: copyBytes, hash: down.wanted, wanted: down.wanted });
    expect(up).toEqual({ bytes: copyBytes, hash: up.wanted, wanted: up.wanted });
    await until(async () => (await shown(id)).connections === 0);
    const { 'rx-bytes': rx, 'tx-bytes': tx } = await shown(id);
    expect([rx - copyBytes, tx - copyBytes].every((more) => more > 0 && more < 200)).toBeTrue();
  });

  test('clients that do not read cost the hub less than 0.5 MB each', async () => {
    const { id, port } = await add({ sn });
    const count = 60;
    // What a first connection loads is not counted.
    await fetchBytes(port, 1 << 20);
    const before = await collectedBytes();
    const clients = await Promise.all(Array.from({ length: count }, () => connectTo(port)));
    for (const client of clients) {
      client.pause();
      client.write(`GIVE ${1 << 30}\n`);
    }
    // All of them are stuck.
    let last = -1;
    await until(async () => {
      const { 'rx-bytes': rx, connections } = await shown(id);
      const isSteady = connections === count && rx > 0 && rx === last;
      last = rx;
      return isSteady;
    });
    const each = async () => ((await residentBytes()) - before) / count;
    await untilSeen(each, (bytes) => bytes < 500_000, 60_000, 'bytes per client, without garbage');
    for (const client of clients) client.destroy();
    await until(async () => (await shown(id)).connections === 0);
    // Others are still served.
    expect(await fetchBytes(port, 1 << 20)).toMatchObject({ bytes: 1 << 20 });
  });
});

test('the agent has the last word about ports', async () => {
  const allowed = await add({ sn: linked, 'remote-port': extra.port });
  const copy = await fetchBytes(allowed.port, 1 << 20);
  expect(copy.hash).toBe(copy.wanted);
  const refused = await add({ sn: linked, 'remote-port': 9 });
  const client = await connectTo(refused.port);
  await until(() => client.closed || client.readableEnded || client.destroyed || client.errored !== null);
  expect(await shown(refused.id)).toMatchObject({ state: forwardStates.connected, reason: 'portNotAllowed' });
});

test('of a device on the machine of the hub, only its own port is reached', async () => {
  const { id, port } = await add({ sn: direct, 'remote-port': 22 });
  const client = await connectTo(port);
  client.on('error', () => {});
  client.resume();
  await until(() => client.closed || client.readableEnded);
  expect(await shown(id)).toMatchObject({ reason: 'portNotAllowed' });
  await hub.api('/api/device/forward/stop', { id });
});

test('ports of the hub and low ports are refused', async () => {
  const answer = (port: number) =>
    hub.answer<{ fields?: { rule: string }[] }>('/api/device/forward/add', {
      ...{ sn: direct, 'remote-port': 80, 'local-port': port, start: true },
    });
  for (const port of [hub.ports.http, hub.ports.rtmp, hub.ports.srt, hub.ports.hls, hub.ports.link ?? 0]) {
    expect(await answer(port)).toMatchObject({ result: 1007, params: { port } });
  }
  const firstFree = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  if (firstFree > 1)
    expect(await answer(firstFree - 1)).toMatchObject({ result: 7, fields: [{ rule: 'privilegedPort' }] });
});

test('a permanent forward outlives a hub that is killed, also if its port is taken at first; others stop', async () => {
  const port = leasePort();
  const permanent = await add({ sn: direct, 'local-port': port, 'auto-start': true });
  const chosen = await add({ sn: linked, 'auto-start': true });
  const other = await add({ sn: direct });
  await hub.kill('SIGKILL');
  const occupant = Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
  await hub.restart();
  expect(await shown(permanent.id)).toMatchObject({ state: forwardStates.failed, reason: 'portOccupied', port: 0 });
  expect(await shown(other.id)).toMatchObject({ started: false, state: forwardStates.idle, reason: 'restarted' });
  occupant.stop(true);
  const untilConnected = (id: number) =>
    untilSeen(
      () => shown(id),
      ({ state }) => state === forwardStates.connected,
      20_000,
      `forward ${id} is connected`,
    );
  expect(await untilConnected(permanent.id)).toMatchObject({ port });
  // The port that the hub chose is the same as before.
  expect(await untilConnected(chosen.id)).toMatchObject({ port: chosen.port });
  for (const one of [permanent, chosen]) {
    const copy = await fetchBytes(one.port, 1 << 20);
    expect(copy.hash).toBe(copy.wanted);
  }
});

test('without its agent a forward waits for it, and its connections end', async () => {
  const { id, port } = await add({ sn: linked });
  const client = await connectTo(port);
  client.on('error', () => {});
  client.write(`GIVE ${1 << 20}\n`);
  client.resume();
  await until(async () => (await shown(id)).connections === 1 || client.readableEnded);
  await agent.kill('SIGKILL');
  await until(() => client.closed || client.readableEnded);
  const untilState = (state: number) =>
    untilSeen(
      () => shown(id),
      (one) => one.state === state,
      20_000,
      `the state is ${state}`,
    );
  expect(await untilState(forwardStates.idle)).toMatchObject({ reason: 'deviceOffline', port });
  agent = startAgent(linkedAddress);
  await untilState(forwardStates.connected);
  const copy = await fetchBytes(port, 1 << 20);
  expect(copy.hash).toBe(copy.wanted);
});
