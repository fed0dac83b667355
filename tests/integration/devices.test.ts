/** The real hub with simulated devices: it finds them, asks them, and connects them with channels. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { DeviceFacts } from '../../daemon/contract/device-facts.ts';
import type { Device } from '../../daemon/contract/devices.ts';
import type { SimulatedDevice } from '../sim/devices/device.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { startPlayer, startPublisher } from '../sim/devices/publisher.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { makeDeviceCertificate } from '../support/device-certificates.ts';
import { untilSeen } from '../support/until.ts';
import { openRigHub } from './rig-hub.ts';

setDefaultTimeout(90_000);

const rigHub = openRigHub({
  name: 'devices',
  timeDivisor: 1,
  environment: async () => ({ SIGNALBOX_FEATURES: 'devices' }),
});
const login = { user: 'Admin', password: 'Admin' };
const certificate = makeDeviceCertificate('decoder');
const encoder = new UsapiDevice({ kind: 'encode', sn: 'B313240506011', name: 'Hall', publish: startPublisher });
const decoder = new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby', play: startPlayer });
const [encoderServer, decoderServer] = [serveDevice(encoder), serveDevice(decoder, certificate)];
afterAll(() => Promise.all([encoderServer.close(), decoderServer.close()]));

const at = ({ address }: ServedDevice) => `${address.host}:${address.port}`;
type Shown = Device & { readonly facts?: DeviceFacts; readonly address: string };
const shown = async ({ sn }: SimulatedDevice) =>
  (await rigHub.hub.api<{ dev: Shown }>(`/api/device/query?sn=${sn}`)).dev;
const untilOnline = (device: SimulatedDevice) =>
  untilSeen(
    () => shown(device),
    ({ connection }) => connection === 'online',
  );

test('devices are found at their addresses, with a password and a certificate that is accepted', async () => {
  const add = (body: object) => rigHub.hub.answer('/api/device/add', body);
  expect(await add({ address: at(encoderServer), user: 'Admin', password: 'wrong' })).toMatchObject({
    params: { problem: 'wrongPassword' },
  });
  expect(await add({ address: at(encoderServer), ...login })).toMatchObject({ result: 0, list: [{ sn: encoder.sn }] });
  const unknown = await add({ address: at(decoderServer), ...login });
  expect(unknown).toMatchObject({
    params: { problem: 'certificateUnknown', pin: certificate.fingerprint },
  });
  const accepted = await add({ address: at(decoderServer), ...login, pin: certificate.fingerprint });
  expect(accepted).toMatchObject({ result: 0, list: [{ sn: decoder.sn }] });
  expect(await untilOnline(encoder)).toMatchObject({ name: 'Hall', 'module-name': 'Ultra Encode AIO', type: 257 });
  expect(await untilOnline(decoder)).toMatchObject({
    name: 'Lobby',
    address: `https://${at(decoderServer)}`,
    type: 513,
  });
});

test('an encoder becomes the input of a channel and a decoder plays it, with one call each', async () => {
  const { hub, rig } = rigHub;
  const channel = await rig.addChannel();
  await hub.api('/api/device/connect', { sn: encoder.sn, channel: channel.id });
  await channel.untilLive();
  await hub.api('/api/device/connect', { sn: decoder.sn, channel: channel.id });
  await untilSeen(
    () => rig.view(channel.id),
    ({ clients }) => clients.total === 1,
  );
  await hub.api('/api/device/connect', { sn: encoder.sn, channel: 0 });
  await untilSeen(
    () => rig.view(channel.id),
    ({ state }) => state !== 'live',
  );
});

test('devices follow when keys and protocols change, and end when the channel is deleted', async () => {
  const { hub, rig } = rigHub;
  const channel = await rig.addChannel();
  for (const { sn } of [encoder, decoder]) await hub.api('/api/device/connect', { sn, channel: channel.id });
  await channel.untilLive();
  await hub.api('/api/channel/set', { id: channel.id, config: { 'play-key': 'another-play-key' } });
  await hub.api('/api/device/renew-key', { sn: encoder.sn });
  await hub.api('/api/device/global/set', { config: { input: { protocol: 2, latency: 200 } } });
  await untilSeen(
    () => rig.view(channel.id),
    ({ clients, input, state }) => state === 'live' && input.protocol === 2 && clients.total === 1,
  );
  const preset = () => decoder.channels.find(({ name }) => name === 'Signalbox');
  expect(preset()?.url).toContain('another-play-key');
  await hub.api('/api/channel/del', { id: channel.id });
  await untilSeen(
    () => shown(encoder),
    ({ facts }) => facts?.living === false,
  );
  await untilSeen(
    async () => preset(),
    (found) => found === undefined,
  );
  await hub.api('/api/device/global/set', { config: {} });
});

test('a lost signal reaches the API within seconds', async () => {
  encoder.hasSignal = false;
  await untilSeen(
    () => shown(encoder),
    (device) => device['dev-warns'] !== 0,
  );
});
