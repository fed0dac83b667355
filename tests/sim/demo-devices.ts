/**
 * The devices of the demo: simulated encoders and decoders, a USB Fusion and a camera with ONVIF in two groups, a camera
 * that is only a stream, a Director, and an encoder whose agent applies at the hub and waits for approval.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '../../daemon/contract/api.ts';
import type { NewDevice } from '../../daemon/contract/devices.ts';
import { factoryCredentials } from './devices/device.ts';
import { DirectorDevice } from './devices/director.ts';
import { makeFleet } from './devices/fleet.ts';
import { MwapiPathDevice } from './devices/mwapi-path.ts';
import { OnvifDevice } from './devices/onvif.ts';
import { currentPicture } from './devices/pictures.ts';
import { serveDevice, serveFleet } from './devices/serve.ts';
import { serveStream } from './devices/stream-source.ts';
import { testPictureArgs } from './ffmpeg-loop.ts';
import type { HubClient } from './hub-client.ts';

/** Those that are added by their addresses; one more has an agent. */
export const deviceCount = 12;
/** The same in each run: the hub keeps the addresses. */
const port = 8890;
const cameraPort = 8889;
const cameraPicture = { picture: 'testsrc2=size=640x360:rate=25', toneHz: 330, kbps: 800 };
const cameraName = 'Car park';
const director = { name: 'Stage director', port: 8888, oscPort: 8887 };
const otherPorts = { onvif: 8886, fusion: 8885 };
const groupNames = ['Studios', 'Public areas'] as const;

interface DemoDevices {
  close(): Promise<void>;
}

/** Starts the devices and adds those that the hub does not have, so that a second run keeps the user's changes. */
export async function startDevices(hub: HubClient, dataDir: string): Promise<DemoDevices> {
  const all = makeFleet({ count: deviceCount + 1, hasMedia: true });
  const devices = all.slice(0, deviceCount);
  const fleet = serveFleet(devices, port);
  const apart = all.slice(deviceCount).map((device) => ({ device, served: serveDevice(device) }));
  // No picture of its own: the hub makes one of the stream.
  const camera = serveStream({ input: testPictureArgs(cameraPicture, []), port: cameraPort });
  const stage = new DirectorDevice();
  const stageServed = serveDevice(stage, undefined, director.port);
  await stage.listen('127.0.0.1', director.oscPort);
  const onvif = new OnvifDevice({ sn: 'EX-0207', picture: currentPicture });
  const fusion = new MwapiPathDevice({ rebootMs: 5000 });
  const others = [serveDevice(onvif, undefined, otherPorts.onvif), serveDevice(fusion, undefined, otherPorts.fusion)];
  const alone = [...apart.map(({ served }) => served), stageServed, ...others];
  const close = () => Promise.all([fleet.close(), camera.close(), ...alone.map((served) => served.close())]);
  try {
    const known = [...devices, onvif, { sn: fusion.sn, credentials: factoryCredentials }];
    await addMissing(hub, known, [...fleet.addresses, ...others.map(({ address }) => address)]);
    await addDescribed(hub, { driver: 'stream', address: `${camera.origin}/live.ts`, name: cameraName });
    const address = `127.0.0.1:${director.port}`;
    await addDescribed(hub, { driver: 'v1', address, 'osc-port': director.oscPort, name: director.name });
    const agents = await Promise.all(
      apart.map(({ device, served: { address } }) =>
        startAgent(hub, dataDir, `http://${address.host}:${address.port}`, device.credentials),
      ),
    );
    return {
      async close() {
        for (const agent of agents) agent.kill();
        await Promise.all([close(), ...agents.map(({ exited }) => exited)]);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The agent dials the hub like one in another network. */
async function startAgent(
  hub: HubClient,
  dataDir: string,
  device: string,
  { user, password }: { readonly user: string; readonly password: string },
) {
  const { security } = await hub.get(api.settings.get);
  const passwordFile = join(dataDir, 'demo-device-password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const { SIGNALBOX_LINK_PORT: linkPort = '8070' } = process.env;
  const code = security['enable-code'] && security['code-value'] ? ['--code', security['code-value']] : [];
  return Bun.spawn(
    [
      ...['setpriv', '--pdeathsig', 'TERM', process.execPath, join(import.meta.dir, '../../daemon/main.ts'), 'agent'],
      ...['--hub', `127.0.0.1:${linkPort}`, ...code, '--device', device, '--user', user],
      ...['--password-file', passwordFile, '--state', join(dataDir, 'demo-agent')],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

/** A device that cannot be asked what it is. */
async function addDescribed(hub: HubClient, device: NewDevice): Promise<void> {
  const { list } = await hub.get(api.devices.list);
  if (list.some(({ name }) => name === device.name)) return;
  await hub.post(api.devices.add, device);
}

async function addMissing(
  hub: HubClient,
  devices: readonly Pick<OnvifDevice, 'sn' | 'credentials'>[],
  addresses: readonly { readonly host: string; readonly port: number }[],
): Promise<void> {
  const known = new Set((await hub.get(api.devices.list)).list.map(({ sn }) => sn));
  const missing = devices.flatMap(({ sn, credentials }, at) => {
    const address = addresses[at];
    if (address === undefined || known.has(sn)) return [];
    const { user, password } = credentials;
    return [{ sn, device: { address: `http://${address.host}:${address.port}`, user, password } }];
  });
  if (missing.length === 0) return;
  const { list } = await hub.get(api.deviceGroups.list);
  const groups = await Promise.all(
    groupNames.map(async (name) => {
      const group = list.find((one) => one.name === name);
      return group?.id ?? (await hub.post(api.deviceGroups.add, { name })).id;
    }),
  );
  const body = missing.map(({ device }, at) => ({ ...device, 'catalog-id': groups[at % groups.length] ?? 0 }));
  const { list: added } = await hub.post(api.devices.add, { list: body });
  const failed = added.find(({ result }) => result !== 0);
  if (failed) throw new Error(`the hub did not add the device at ${failed.address}: ${failed.message}`);
}
