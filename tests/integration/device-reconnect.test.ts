/** 1,000 devices whose links end at the same moment, because the hub is killed: all return, and nothing else notices. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Device } from '../../daemon/contract/devices.ts';
import { dialLink } from '../../daemon/link/dial.ts';
import { createIdentity } from '../../daemon/link/identity.ts';
import { makeFleet } from '../sim/devices/fleet.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { peakBytes } from '../support/peak-memory.ts';
import { until, untilSeen } from '../support/until.ts';
import { fileIn, inspect, publish, type Running, record, untilRecorded } from './live-media.ts';
import { openRigHub } from './rig-hub.ts';
import { expectWhole } from './whole-recording.ts';

setDefaultTimeout(90_000);

const rigHub = openRigHub({
  name: 'device-reconnect',
  timeDivisor: 1,
  environment: async () => ({ SIGNALBOX_FEATURES: 'devices' }),
});
const count = 1000;
const password = { user: 'Admin', password: 'Admin' };
const devices = makeFleet({ count, hasMedia: false });
// Requests through links carry no address by which one server could tell them apart.
const fleet = devices.map((device) => serveDevice(device));
const ending = new AbortController();
const ended: Promise<void>[] = [];
const states = new Map<string, string>();
const connected = () => [...states.values()].filter((state) => state === 'accepted').length;
/** Reached at its address: it has nothing to do with the links. */
const direct = new UsapiDevice({ kind: 'encode', sn: 'B313240506999', name: 'Direct' });
let served: ServedDevice;
const file = 'through-reconnects.ts';
let recording: Running;

const waiting = async () =>
  (await rigHub.hub.api<{ total: number }>('/api/device/list?reg-state=waiting&count=1')).total;
const countsNow = async () => {
  const { status } = await rigHub.hub.api<{ status: { system: { device: Record<string, number> } } }>(
    '/api/system/status',
  );
  return status.system.device;
};

beforeAll(async () => {
  served = serveDevice(direct);
  const { host, port } = served.address;
  await rigHub.hub.api('/api/device/add', { address: `${host}:${port}`, ...password });
  const channel = await rigHub.rig.addChannel();
  publish(channel.push.rtmp);
  await channel.untilLive();
  recording = record(channel.play.srt, fileIn(rigHub.folder, file));
  await untilRecorded(fileIn(rigHub.folder, file), 100_000, 20_000);
}, 60_000);
afterAll(async () => {
  ending.abort();
  await Promise.all([...ended, served.close(), ...fleet.map(({ close }) => close())]);
});

test('1,000 devices apply, are accepted with one call, and come online', async () => {
  const began = performance.now();
  devices.forEach((device, index) => {
    const { host: hostname, port } = fleet[index]!.address;
    ended.push(
      dialLink({
        url: `ws://127.0.0.1:${rigHub.hub.ports.link}/link`,
        identity: createIdentity(),
        claim: () => ({
          ...{ role: 'device', serial: device.sn },
          details: { name: device.name, api: apiOf(device.sn), ...password },
        }),
        hubKey: undefined,
        allowsPort: () => true,
        placeOf: () => ({ hostname, port }),
        onState: ({ name }) => states.set(device.sn, name),
        signal: ending.signal,
      }),
    );
  });
  await untilSeen(waiting, (total) => total === count, 60_000);
  console.error(`all wait after ${Math.round(performance.now() - began)} ms`);
  await rigHub.hub.api('/api/device/accept', { sn: devices.map(({ sn }) => sn) });
  await until(() => connected() === count, 30_000);
  await untilSeen(countsNow, (counts) => counts['num-online'] === count + 1, 60_000);
  console.error(`all are online after ${Math.round(performance.now() - began)} ms`);
});

test('after the hub was killed, all return, a device without a link is not held up, and the stream lost nothing', async () => {
  await rigHub.hub.kill('SIGKILL');
  const began = performance.now();
  await rigHub.hub.restart();
  const isDirectOnline = async () => {
    const { list } = await rigHub.hub.api<{ list: Device[] }>('/api/device/list', { sn: [direct.sn] });
    return list[0]?.connection === 'online';
  };
  await until(isDirectOnline, 10_000);
  const directMs = performance.now() - began;
  let slowest = 0;
  await until(async () => {
    const asked = performance.now();
    const counts = await countsNow();
    slowest = Math.max(slowest, performance.now() - asked);
    return counts['num-online'] === count + 1;
  }, 60_000);
  console.error(
    `the direct one is online after ${Math.round(directMs)} ms, all after ${Math.round(performance.now() - began)} ms;`,
    `the slowest call took ${Math.round(slowest)} ms, and the hub ${Math.round(peakBytes(rigHub.hub.pid) / 1e6)} MB`,
  );
  expect(slowest).toBeLessThan(2000);
  expect(peakBytes(rigHub.hub.pid)).toBeLessThan(250e6);
  await recording.stop();
  expectWhole(await inspect(fileIn(rigHub.folder, file)), 10);
});

const apis = { B313: 'usapi', A302: 'usapi', B401: 'mwapi', A421: 'mwapi', A442: 'apiPath', A424: 'apiPath' } as const;
const apiOf = (sn: string) => apis[sn.slice(0, 4) as keyof typeof apis];
