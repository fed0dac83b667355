/**
 * Faults of devices on a running hub, several at a time: what the API says and when, how it ends, and that neither the
 * other devices nor the streams notice. `docs/devices.md` has the table.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceProblemWord } from '../../daemon/contract/device-problems.ts';
import type { Device } from '../../daemon/contract/devices.ts';
import type { SimulatedDevice } from '../sim/devices/device.ts';
import type { Faults } from '../sim/devices/faults.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { type ServedDevice, type Simulator, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { makeDeviceCertificate } from '../support/device-certificates.ts';
import { peakBytes } from '../support/peak-memory.ts';
import { until, untilSeen } from '../support/until.ts';
import { AgentProcess, killAgents } from './agent-process.ts';
import { closeGates, openGate } from './gate.ts';
import { fileIn, inspect, publish, type Running, record, untilRecorded } from './live-media.ts';
import { openRigHub } from './rig-hub.ts';
import { scaledTiming, timeDivisor } from './scaled-timing.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

const rigHub = openRigHub({
  name: 'device-faults',
  timeDivisor,
  environment: async () => ({ SIGNALBOX_FEATURES: 'devices' }),
});
const { fleet } = scaledTiming;
const login = { user: 'Admin', password: 'Admin' };
const [certificate, nextCertificate] = [makeDeviceCertificate('van'), makeDeviceCertificate('van')];

let count = 0;
const started: ServedDevice[] = [];
afterAll(async () => {
  await killAgents();
  closeGates();
  await Promise.all(started.map(({ close }) => close()));
});

function serve(device: Simulator, tls?: Parameters<typeof serveDevice>[1], port = 0): ServedDevice {
  const served = serveDevice(device, tls, port);
  started.push(served);
  return served;
}
const at = ({ address: { host, port } }: ServedDevice) => `${host}:${port}`;

const kinds = {
  encoder: (number: string) => new UsapiDevice({ kind: 'encode', sn: `B313240506${number}`, name: `Hall ${number}` }),
  decoder: (number: string) => new MwapiDevice({ kind: 'decoder', sn: `A421240212${number}`, name: `Lobby ${number}` }),
};

/** Without a kind, encoders and decoders alternate. */
function make(kind: keyof typeof kinds = count % 2 === 0 ? 'encoder' : 'decoder') {
  count += 1;
  return kinds[kind](`${count}`.padStart(3, '0'));
}

const post = (path: string, body: object) => rigHub.hub.answer<Record<string, unknown>>(`/api/device/${path}`, body);
/** As a list shows it: `device/query` would have it asked every second. */
async function shown({ sn }: Pick<SimulatedDevice, 'sn'>): Promise<Device> {
  const { list } = await rigHub.hub.api<{ list: [Device] }>('/api/device/list', { sn: [sn] });
  return list[0];
}
const slackMs = 10_000;
const longestMs = fleet.longestPauseMs * 1.2 + slackMs;

/** Resolves with the milliseconds until it is offline with this problem. */
async function untilProblem(device: SimulatedDevice, problem: DeviceProblemWord, withinMs = slackMs): Promise<number> {
  const began = performance.now();
  await untilSeen(
    () => shown(device),
    (seen) => seen.connection === 'offline' && seen.problem === problem,
    fleet.unwatchedMs * 1.2 + fleet.againMs + withinMs,
    `${device.name} is offline (${problem})`,
  );
  return Math.round(performance.now() - began);
}
async function untilOnline(device: Pick<SimulatedDevice, 'sn'>, withinMs = longestMs): Promise<number> {
  const began = performance.now();
  await untilSeen(
    () => shown(device),
    ({ connection, problem }) => connection === 'online' && problem === undefined,
    withinMs,
    `${device.sn} is online`,
  );
  return Math.round(performance.now() - began);
}
const times: Record<string, string> = {};
const note = (fault: string, shownMs: number, recoveredMs: number) => {
  times[fault] = `shown after ${shownMs} ms, recovered after ${recoveredMs} ms`;
};

async function online(device = make()) {
  const served = serve(device);
  expect(await post('add', { address: at(served), ...login })).toMatchObject({ result: 0 });
  await untilOnline(device);
  return { device, served };
}

/** A device without a fault: when it was asked. */
const calm = new UsapiDevice({ kind: 'encode', sn: 'B313240506999', name: 'Calm' });
const asked: number[] = [];
const file = 'through-faults.ts';
let recording: Running;
const polled: Simulator = {
  handle(request) {
    if (request.url.includes('get-status')) asked.push(performance.now());
    return calm.handle(request);
  },
  close: () => calm.close(),
};

beforeAll(async () => {
  expect(await post('add', { address: at(serve(polled)), ...login })).toMatchObject({ result: 0 });
  const channel = await rigHub.rig.addChannel();
  publish(channel.push.rtmp);
  await channel.untilLive();
  recording = record(channel.play.srt, fileIn(rigHub.folder, file));
  await untilRecorded(fileIn(rigHub.folder, file), 100_000, 20_000);
  await until(() => asked.length > 2);
  asked.length = 0;
});

/** What the hub says about each, and that the device is online again once it answers as usual. */
const wrongAnswers: Readonly<Record<string, readonly [Faults, DeviceProblemWord]>> = {
  'no answer': [{ isSilent: true }, 'timeout'],
  'an answer of 10 GB': [{ answer: 'huge' }, 'invalidAnswer'],
  'a byte at a time': [{ answer: 'endless' }, 'timeout'],
  'broken JSON': [{ answer: 'broken' }, 'invalidAnswer'],
  'a redirect': [{ status: 302 }, 'invalidAnswer'],
  'HTTP status 500': [{ status: 500 }, 'invalidAnswer'],
  'HTTP status 403': [{ status: 403 }, 'noPermission'],
  'an unknown result code': [{ codes: { 'get-status': 1234, 'get-summary-info': 1234 } }, 'refused'],
  'no session is kept': [{ forgetsSessions: true }, 'refused'],
};

describe.concurrent('on a running hub', () => {
  test.each(Object.keys(wrongAnswers))('a device with %s is offline until it answers as usual', async (fault) => {
    const [faults, problem] = wrongAnswers[fault]!;
    const { device } = await online();
    device.faults = faults;
    if (faults.forgetsSessions) device.expireSessions();
    const answerMs = problem === 'timeout' ? 2 * scaledTiming.deviceCall.answerMs : 0;
    const shownMs = await untilProblem(device, problem, answerMs + slackMs);
    device.faults = {};
    note(fault, shownMs, await untilOnline(device));
  });

  test('a device whose answer lacks objects is online with what is left', async () => {
    const { device } = await online();
    expect((await shown(device)).figures).toHaveProperty('rx-kbps');
    device.faults = { missing: ['live-status', 'input-signal', 'disk-info', 'sysstat', 'codec', 'ethernet', 'ndi'] };
    await untilSeen(
      () => shown(device),
      ({ connection, figures }) => connection === 'online' && figures['rx-kbps'] === undefined,
    );
  });

  test('a device that is off is offline, and online again by itself', async () => {
    const { device, served } = await online();
    await served.switchOff();
    const shownMs = await untilProblem(device, 'unreachable');
    served.switchOn();
    note('off', shownMs, await untilOnline(device));
  });

  test('a device with a new address is found there once the address was changed', async () => {
    const { device, served } = await online();
    await served.switchOff();
    const shownMs = await untilProblem(device, 'unreachable');
    const next = serve(device);
    expect(await post('set', { sn: device.sn, address: at(next) })).toMatchObject({ fields: [{ path: 'password' }] });
    expect(await post('set', { sn: device.sn, address: at(next), password: 'Admin' })).toMatchObject({ result: 0 });
    note('another address', shownMs, await untilOnline(device, slackMs));
  });

  test.each([
    ['encoder', 'otherDevice'],
    ['decoder', 'notADevice'],
  ] as const)('another %s at the address of an encoder is not taken for it', async (kind, problem) => {
    const { device, served } = await online(make('encoder'));
    await served.switchOff();
    const other = serve(make(kind), undefined, served.address.port);
    const shownMs = await untilProblem(device, problem, longestMs);
    await other.switchOff();
    served.switchOn();
    note(`another ${kind}`, shownMs, await untilOnline(device));
  });

  test('a changed password is tried once, until it is entered', async () => {
    const { device } = await online();
    const logins = () => device.calls.filter((method) => method === 'login').length;
    device.credentials = { user: 'Admin', password: 'changed' };
    device.expireSessions();
    const before = logins();
    const shownMs = await untilProblem(device, 'wrongPassword');
    expect(await post('set', { sn: device.sn, password: 'also wrong' })).toMatchObject({ result: 0 });
    await until(() => logins() === before + 2);
    device.credentials = { user: 'Admin', password: 'also wrong' };
    // Longer than the longest pause: nothing but the user makes the hub sign in.
    const polls = asked.length + Math.ceil((fleet.longestPauseMs * 1.2) / fleet.unwatchedMs);
    await until(() => asked.length > polls, longestMs);
    expect([logins(), (await shown(device)).problem]).toEqual([before + 2, 'wrongPassword']);
    expect(await post('set', { sn: device.sn, password: 'also wrong' })).toMatchObject({ result: 0 });
    note('another password', shownMs, await untilOnline(device, slackMs));
  });

  test('another certificate gets no password, until it is accepted', async () => {
    const device = make();
    const served = serve(device, certificate);
    const address = { address: at(served), pin: certificate.fingerprint };
    expect(await post('add', { ...address, ...login })).toMatchObject({ result: 0 });
    await untilOnline(device);
    await served.showCertificate(nextCertificate);
    device.calls.length = 0;
    const shownMs = await untilProblem(device, 'certificateChanged');
    expect(device.calls).toEqual([]);
    expect(await post('set', { sn: device.sn, pin: nextCertificate.fingerprint })).toMatchObject({ result: 0 });
    note('another certificate', shownMs, await untilOnline(device, slackMs));
  });

  test('a second device with the same serial number is refused, at its address and with its agent', async () => {
    const { device } = await online();
    const twin = new UsapiDevice({ kind: 'encode', sn: device.sn, name: 'Twin' });
    const served = serve(twin);
    expect(await post('add', { address: at(served), ...login })).toMatchObject({ result: 1003 });
    const agent = startAgent('twin', served);
    await agent.says('the hub knows another device');
    expect(rigHub.hub.logs()).toContain('states the serial number of a known device');
    await agent.kill('SIGTERM');
    expect(await shown(device)).toMatchObject({ name: device.name, connection: 'online', link: 'direct' });
  });

  test('a device whose agent the network cuts off is offline within seconds, and online with the network', async () => {
    const device = make();
    const gate = await openGate({ to: rigHub.hub.ports.link ?? 0 });
    await gate.open();
    const agent = startAgent('cut-off', serve(device), gate.port);
    await agent.says('waits until an administrator');
    expect(await post('accept', { sn: device.sn })).toMatchObject({ result: 0 });
    await untilOnline(device);
    gate.freeze();
    const shownMs = await untilProblem(device, 'linkDown', scaledTiming.link.deadMs * 2);
    gate.thaw();
    gate.cut('reset');
    note('link cut off', shownMs, await untilOnline(device));
  });

  test('a device whose agent is killed is offline at once, and online as soon as it runs again', async () => {
    const device = make();
    const served = serve(device);
    const agent = startAgent('killed', served);
    await agent.says('waits until an administrator');
    expect(await post('accept', { sn: device.sn })).toMatchObject({ result: 0 });
    await untilOnline(device);
    await agent.kill('SIGKILL');
    const shownMs = await untilProblem(device, 'linkDown');
    startAgent('killed', served);
    note('agent killed', shownMs, await untilOnline(device));
    // The agent answers for a device that is off.
    await served.switchOff();
    await untilSeen(
      () => shown(device),
      ({ connection }) => connection === 'offline',
    );
    served.switchOn();
    await untilOnline(device);
  });
});

function startAgent(name: string, device: ServedDevice, port = rigHub.hub.ports.link): AgentProcess {
  const passwordFile = join(rigHub.folder, 'password');
  writeFileSync(passwordFile, `${login.password}\n`);
  const hub = `127.0.0.1:${port}`;
  const state = join(rigHub.folder, `agent-${name}`);
  const devices = [`http://${at(device)}`];
  return new AgentProcess({ hub, code: '', devices, passwordFile, state, timeDivisor, more: ['--insecure'] });
}

test('meanwhile another device was asked as usual, and the memory of the hub stayed small', async () => {
  console.error(`with a ${timeDivisor}th of the waiting times: ${JSON.stringify(times, null, 2)}`);
  const gaps = asked.slice(1).map((time, index) => time - (asked[index] ?? 0));
  expect(asked.length).toBeGreaterThan(10);
  expect(Math.max(...gaps)).toBeLessThan(fleet.unwatchedMs * 1.2 + 1000);
  expect(await shown(calm)).toMatchObject({ connection: 'online' });
  expect(peakBytes(rigHub.hub.pid)).toBeLessThan(250e6);
});

test('a killed hub loses no device, and the stream lost nothing during all of this', async () => {
  const list = async () => (await rigHub.hub.api<{ list: Device[] }>('/api/device/list')).list;
  const before = await list();
  await rigHub.hub.kill('SIGKILL');
  const began = performance.now();
  await rigHub.hub.restart();
  const after = await untilSeen(list, (all) => all.every(({ connection }) => connection === 'online'), 20_000);
  console.error(`all ${after.length} devices are online ${Math.round(performance.now() - began)} ms after the kill`);
  expect(after.map(({ sn, 'push-key': key }) => [sn, key])).toEqual(before.map(({ sn, 'push-key': key }) => [sn, key]));
  await recording.stop();
  expectWhole(await inspect(fileIn(rigHub.folder, file)), 10);
});
