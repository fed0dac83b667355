/** The agent as a process of its own, with a real hub and simulated devices: registration, approval, loss and return. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '../../daemon/contract/devices.ts';
import { timeDivisorName } from '../../daemon/timing.ts';
import type { SimulatedDevice } from '../sim/devices/device.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { mainProgram } from '../support/main-program.ts';
import { addLog, until, untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(90_000);
const timeDivisor = 5;

let hub: HubProcess;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-agent-'));
const passwordFile = join(folder, 'password');
const encoder = new UsapiDevice({ kind: 'encode', sn: 'B313240506011', name: 'Hall' });
const decoder = new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby' });
const served = new Map<SimulatedDevice, ReturnType<typeof serveDevice>>();
const agents = new Set<Agent>();

beforeAll(async () => {
  writeFileSync(passwordFile, 'Admin\n');
  for (const device of [encoder, decoder]) served.set(device, serveDevice(device));
  hub = await startHub({ env: { SIGNALBOX_HTTPS_PORT: '0' }, timeDivisor });
  await hub.login();
  await hub.api('/api/settings/set', { security: { 'enable-code': true, 'code-value': '4711' } });
});
afterEach(() => Promise.all([...agents].map((agent) => agent.kill('SIGKILL'))));
afterAll(async () => {
  await hub?.stop();
  await Promise.all([...served.values()].map(({ close }) => close()));
  rmSync(folder, { recursive: true, force: true });
});

class Agent {
  readonly #child;
  readonly #read: Promise<void>;
  readonly #forget: () => void;
  #output = '';

  constructor(devices: readonly SimulatedDevice[], code: string, state = join(folder, 'state')) {
    const places = devices.flatMap((device) => {
      const { address } = served.get(device)!;
      return ['--device', `http://${address.host}:${address.port}`];
    });
    const how = ['--hub', `127.0.0.1:${hub.ports.link}`, '--code', code, '--password-file', passwordFile];
    this.#child = Bun.spawn(
      [process.execPath, mainProgram, 'agent', ...how, ...places, '--state', state],
      // Fast retries; the heartbeat has its own minimum.
      {
        ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
        env: { PATH: process.env.PATH ?? '', [timeDivisorName]: String(timeDivisor) },
      },
    );
    this.#forget = addLog('agent', () => this.#output);
    const { stdout, stderr } = this.#child;
    this.#read = Promise.all([this.#take(stdout), this.#take(stderr)]).then(() => {});
    agents.add(this);
  }

  get output(): string {
    return this.#output;
  }

  async says(text: string): Promise<void> {
    await until(() => this.#output.includes(text), 20_000, `the agent says “${text}”`);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    agents.delete(this);
    this.#child.kill(signal);
    const code = await this.#child.exited;
    await this.#read;
    this.#forget();
    return code;
  }

  exited(): Promise<number> {
    return this.#child.exited;
  }

  async #take(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of stream) this.#output += decoder.decode(part, { stream: true });
  }
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
  const wrong = new Agent([encoder], '4712', join(folder, 'wrong'));
  await wrong.says(`${encoder.sn}: the invitation code is wrong`);
  expect(await countOf('waiting')).toBe(0);
  expect(await wrong.kill('SIGTERM')).toBe(0);

  const agent = new Agent([encoder, decoder], '4711');
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
  const other = new Agent([encoder], '4711', join(folder, 'other'));
  await other.says(`${encoder.sn}: the hub knows another device`);
  await other.kill('SIGTERM');
  expect(await shown(encoder)).toMatchObject({ connection: 'online' });
});

test('a killed agent makes its device offline within seconds, and returns with the same key without a code', async () => {
  const agent = new Agent([encoder], '4711');
  await agent.says('connected');
  await untilOnline(encoder);
  await agent.kill('SIGKILL');
  await untilShown(encoder, ({ problem }) => problem === 'linkDown', 'the link is down');
  const next = new Agent([encoder], '');
  await untilOnline(encoder);

  // The hub returns with the same key and port, and the agent by itself.
  await hub.kill('SIGTERM');
  await next.says('not connected');
  await hub.restart();
  await untilOnline(encoder);
});

test('a device that is deleted is told so, and the agent ends', async () => {
  const agent = new Agent([encoder], '');
  await agent.says('connected');
  await untilOnline(encoder);
  await hub.api('/api/device/del', { sn: encoder.sn });
  await agent.says(`${encoder.sn}: was deleted`);
  expect(await agent.exited()).toBe(1);
  expect(await countOf('accepted')).toBe(0);
  expect(hub.logs()).not.toContain('4711');
});

test('a wrong password is tried once, and arguments that cannot be used are refused', async () => {
  writeFileSync(passwordFile, 'wrong\n');
  const agent = new Agent([encoder], '4711');
  expect(await agent.exited()).toBe(1);
  await agent.says('give its user and password');
  writeFileSync(passwordFile, 'Admin\n');
  const refused = new Agent([encoder], 'letters');
  expect(await refused.exited()).toBe(2);
  await refused.says('--code: the invitation code has four digits');
});
