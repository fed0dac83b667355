/** The devices of the demo: simulated encoders and decoders of all families, in two groups. */
import { api } from '../../daemon/contract/api.ts';
import { makeFleet } from './devices/fleet.ts';
import { type ServedFleet, serveFleet } from './devices/serve.ts';
import type { HubClient } from './hub-client.ts';

const count = 12;
/** The same in each run: the hub keeps the addresses. */
const port = 8890;
const groupNames = ['Studios', 'Public areas'] as const;

/** Starts the devices and adds those that the hub does not have, so that a second run keeps the user's changes. */
export async function startDevices(hub: HubClient): Promise<ServedFleet> {
  const devices = makeFleet({ count, hasMedia: true });
  const served = serveFleet(devices, port);
  try {
    await addMissing(hub, devices, served);
  } catch (error) {
    await served.close();
    throw error;
  }
  return served;
}

async function addMissing(hub: HubClient, devices: ReturnType<typeof makeFleet>, served: ServedFleet): Promise<void> {
  const known = new Set((await hub.get(api.devices.list)).list.map(({ sn }) => sn));
  const missing = devices.flatMap(({ sn, credentials }, at) => {
    const address = served.addresses[at];
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
