/** The scene of the device screenshots: a fleet in the middle of a show, with one device of each state. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Device } from '../../daemon/contract/devices.ts';
import { type HubProcess, startHub } from '../integration/hub-process.ts';
import { ApiPathDevice } from '../sim/devices/api-path.ts';
import { DirectorDevice } from '../sim/devices/director.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { startPlayer, startPublisher } from '../sim/devices/publisher.ts';
import { type ServedDevice, type Simulator, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { until } from '../support/until.ts';
import { addViewer } from './accounts.ts';
import { addFirmware, beginFirmware, sendFirmware } from './firmware-scene.ts';

export interface DeviceScene {
  readonly hub: HubProcess;
  /** An encoder on air, with outputs and a decoder that plays its channel. */
  readonly encoder: string;
  readonly decoder: string;
  /** One in no channel, one without a signal, one that is switched off, one with a long name, one that applies. */
  readonly idle: string;
  readonly silent: string;
  readonly off: string;
  readonly long: string;
  /** One that states over OSC what it does. */
  readonly director: string;
  readonly pending: string;
  close(): Promise<void>;
}

const settleMs = 30_000;

export async function setDeviceScene(): Promise<DeviceScene> {
  const hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' } });
  const served: ServedDevice[] = [];
  const serve = (device: Simulator): string => {
    const one = serveDevice(device);
    served.push(one);
    return `127.0.0.1:${one.address.port}`;
  };
  const sns = {
    ...{ encoder: 'B313240920101', decoder: 'A421240212101', idle: 'A302240115003', silent: 'B401240506004' },
    ...{ off: 'B313240920105', long: 'B313240920106', pending: 'B313240920108' },
  };
  const stateFolder = mkdtempSync(join(tmpdir(), 'signalbox-device-scene-'));
  const agents: Bun.Subprocess[] = [];
  const close = async () => {
    for (const agent of agents) agent.kill();
    await Promise.all(agents.map(({ exited }) => exited));
    await Promise.all(served.map((one) => one.close()));
    await hub.stop();
    rmSync(stateFolder, { recursive: true, force: true });
  };
  try {
    await hub.login();
    await addViewer(hub);
    await hub.api('/api/usr/add', { name: 'mei', nick: 'Mei Chen', password: 'Night-shift-1' });
    const studios = await addGroup(hub, 'Studios');
    const floor = await addGroup(hub, 'Second floor', studios);
    await hub.api('/api/catalog/set', {
      id: studios,
      security: { 'is-inherit': false, 'group-mask': 4, 'usr-mask': 0 },
    });
    const silent = new MwapiDevice({ kind: 'encoder', sn: sns.silent, name: 'Main hall camera' });
    silent.hasSignal = false;
    const add = (simulator: Simulator, group = 0) =>
      hub.api('/api/device/add', {
        ...{ address: serve(simulator), user: 'Admin', password: 'Admin', 'catalog-id': group },
      });
    const media = { publish: startPublisher };
    await add(new UsapiDevice({ kind: 'encode', sn: sns.encoder, name: 'Nave left', ...media }), floor);
    const player = { switchMs: 500, play: startPlayer };
    await add(new MwapiDevice({ kind: 'decoder', sn: sns.decoder, name: 'Lobby screen', ...player }), studios);
    await add(new UsapiDevice({ kind: 'stream', sn: sns.idle, name: 'Foyer' }).asRecorded({ recording: true }));
    await add(silent, studios);
    await add(new ApiPathDevice({ kind: 'audio', sn: 'A424240101007', name: 'Public address' }));
    await add(new UsapiDevice({ kind: 'encode', sn: sns.off, name: 'Truck' }), floor);
    await served.at(-1)?.close();
    const name = `🎥 Außenübertragung 户外转播 ${'Harbor festival north quay '.repeat(7)}`.slice(0, 200);
    await add(new UsapiDevice({ kind: 'encode', sn: sns.long, name }));
    const director = new DirectorDevice();
    const stage = { address: serve(director), 'osc-port': await director.listen(), name: 'Stage director' };
    const { list } = await hub.api<{ list: { sn: string }[] }>('/api/device/add', { driver: 'v1', ...stage });
    // Another device with the serial number of the encoder: it is refused, and waits for a decision.
    const twin = serve(new UsapiDevice({ kind: 'encode', sn: sns.encoder, name: 'Nave left (spare)' }));
    await hub.answer('/api/device/add', { address: twin, user: 'Admin', password: 'Admin' });
    await hub.api('/api/device/favorite', { sn: [sns.encoder, sns.decoder], enable: true });
    agents.push(
      await startAgent(hub, stateFolder, serve(new UsapiDevice({ kind: 'encode', sn: sns.pending, name: 'Van 2' }))),
    );
    await connect(hub, sns);
    await addForwards(hub, sns);
    await addSchedules(hub, sns);
    const stateOf = async (sn: string) => (await hub.api<{ dev: Device }>(`/api/device/query?sn=${sn}`)).dev;
    await until(async () => (await stateOf(sns.off)).connection === 'offline', settleMs, 'the truck is offline');
    await until(async () => (await stateOf(sns.silent))['dev-warns'] > 0, settleMs, 'the camera has no signal');
    const waiting = () => hub.api<{ list: Device[] }>('/api/device/list?reg-state=waiting');
    await until(async () => (await waiting()).list.length === 1, settleMs, 'the van applies');
    await stockLibrary(hub);
    return { hub, ...sns, director: list[0]?.sn ?? '', close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function stockLibrary(hub: HubProcess): Promise<void> {
  const sized = (kilobytes: number, first: string) => first.repeat(kilobytes * 1024);
  await addFirmware(hub, 'firmware-787-0-B-2.4.288.mwf', sized(900, 'a'));
  await addFirmware(hub, 'firmware-787-1-B-2.5.1.mwf', sized(920, 'b'), { 'accept-pre-release': true });
  await addFirmware(hub, 'ultra_stream_sdi_rev_a_1_5_79.mwf', sized(300, 'c'), { 'product-id': 770 });
  await addFirmware(hub, 'pro_convert_with_a_long_name_for_the_audio_converter_rev_a_1_1_296.mwf', sized(44, 'd'), {
    'product-id': 1060,
  });
  await addFirmware(hub, 'firmware-1042-0-A-1.3.24.mwf', sized(44, 'e'));
  const size = 44_000_000;
  const task = await beginFirmware(hub, 'firmware-770-0-A-1.6.2.mwf', size);
  await sendFirmware(hub, task, sized(20_000, 'f'), size);
}

async function addGroup(hub: HubProcess, name: string, parent = 0): Promise<number> {
  return (await hub.api<{ id: number }>('/api/catalog/add', { name, 'parent-id': parent })).id;
}

/** The encoder feeds a channel that a decoder plays, with an output that works and one that does not. */
async function connect(hub: HubProcess, { encoder, decoder }: Readonly<Record<'encoder' | 'decoder', string>>) {
  const addChannel = async (name: string) =>
    (await hub.api<{ id: number }>('/api/channel/add', { name, config: { enable: true } })).id;
  const service = await addChannel('Sunday service');
  const web = await addChannel('Web feed');
  const { config } = await hub.api<{ config: Record<string, string> }>(`/api/channel/query?id=${web}`);
  const outputs = [
    { name: 'Web feed', config: { type: 1, url: `rtmp://127.0.0.1:${hub.ports.rtmp}/live`, key: config['push-key'] } },
    { name: 'Partner station', config: { type: 1, url: 'rtmp://127.0.0.1:9/live', key: 'live-1' } },
  ];
  for (const output of outputs) {
    const { id } = await hub.api<{ id: number }>('/api/output/add', { ...output, channel: service });
    await hub.api('/api/channel/output/enable', { id: service, output: id, enable: true });
  }
  await hub.api('/api/device/connect', { sn: encoder, channel: service });
  const look = () => hub.api<{ state: string }>(`/api/channel/query?id=${service}`);
  await until(async () => (await look()).state === 'live', settleMs, 'the channel is live');
  await hub.api('/api/device/connect', { sn: decoder, channel: service });
}

/** One of each state: connected, waiting, stopped, failed. */
async function addForwards(hub: HubProcess, sns: Readonly<Record<'encoder' | 'off' | 'idle' | 'silent', string>>) {
  const add = (sn: string, body: object) =>
    hub.api<{ port: number }>('/api/device/forward/add', { sn, 'remote-port': 22, start: true, ...body });
  const { port } = await add(sns.encoder, { name: 'Web page', 'remote-port': 80, 'auto-start': true });
  await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
  await add(sns.off, {});
  await add(sns.idle, { name: 'Shell', start: false });
  await hub.api('/api/device/forward/ports/set', { sn: sns.silent, ports: [8554] });
  await add(sns.silent, { name: 'RTSP of the main hall for the control room', 'remote-port': 8554 });
  await hub.api('/api/device/forward/ports/set', { sn: sns.silent, ports: [] });
}

/** One that has run, on devices of which one is off, one that is disabled, and one that is finished. */
async function addSchedules(hub: HubProcess, sns: Readonly<Record<'encoder' | 'off' | 'idle' | 'long', string>>) {
  const add = (body: object) => hub.api<{ id: number }>('/api/schedule/add', { enabled: true, ...body });
  const soon = new Date(Date.now() + 60_000).toISOString().slice(11, 16);
  const all = [sns.encoder, sns.off, sns.idle, sns.long];
  const { id } = await add({
    ...{ name: 'Rehearsal', action: 'record', start: soon, sn: all, days: [1, 2, 3, 4, 5, 6, 7] },
  });
  const sunday = { start: '09:45', stop: '11:30', days: [7] };
  await add({ ...sunday, name: 'Sunday service of the cathedral with the choir', action: 'live', sn: all });
  const night = { action: 'record', start: '22:00', stop: '02:00', sn: [sns.idle] };
  const disabled = await add({ ...night, name: 'Night watch', days: [5, 6] });
  await hub.api('/api/schedule/set', { id: disabled.id, enabled: false });
  await add({ ...night, name: 'New Year’s Eve', date: '2030-12-31' });
  const last = async () => (await hub.api<{ last?: { state: string } }>(`/api/schedule/query?id=${id}`)).last;
  // Its minute has to come.
  await until(async () => (await last())?.state === 'done', 90_000, 'the schedule has run');
}

async function startAgent(hub: HubProcess, folder: string, address: string): Promise<Bun.Subprocess> {
  const { security } = await hub.api<{ security: { 'code-value': string } }>('/api/settings/get');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'Admin\n', { mode: 0o600 });
  return Bun.spawn(
    [
      ...['setpriv', '--pdeathsig', 'TERM', process.execPath, join(import.meta.dir, '../../daemon/main.ts'), 'agent'],
      ...['--hub', `127.0.0.1:${hub.ports.link}`, '--insecure', '--code', security['code-value']],
      ...['--device', `http://${address}`, '--user', 'Admin'],
      ...['--password-file', passwordFile, '--state', join(folder, 'agent')],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
}
