/** Looks for devices that could be added, as a task of the user who asked for it. */

import { readDeviceAddress } from '../../contract/device-fields.ts';
import type { deviceApi } from '../../contract/devices.ts';
import { discoveryMethods, type FoundDevice } from '../../contract/discovery.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { Actor, Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { DeviceContext } from './service.ts';

/** Devices that are added meanwhile are noticed after this time. */
const knownMs = 1000;

export type DeviceDiscovery = ReturnType<typeof createDeviceDiscovery>;

export function createDeviceDiscovery({ ports, tasks, inventory, reports, audit, db, now }: DeviceContext) {
  let isRunning = false;

  /** Addresses, serial numbers and MAC addresses of all devices of the hub. */
  const known = (): ReadonlySet<string> => {
    const words = new Set<string>();
    for (const own of inventory.devices().values()) {
      const { ethernet, wifi } = reports.of(own)?.facts ?? {};
      const host = readDeviceAddress(own.row.address)?.host;
      const ofPorts = [ethernet, wifi].flatMap((port) => [port?.address, port?.mac?.toLowerCase()]);
      for (const word of [own.row.sn, host, ...ofPorts]) if (word) words.add(word);
    }
    return words;
  };

  return {
    /** Returns the id of the task. Throws `inProgress` while another search runs. */
    async begin(actor: Actor, session: Session, body: BodyOf<typeof deviceApi.discover>): Promise<number> {
      const { methods = discoveryMethods, subnet } = body;
      const discovery = await ports.loadDiscovery();
      const networks = discovery.networks(subnet);
      if (networks.length === 0) throw new HubError('unsupported', 'the hub is in no private network');
      if (methods.every((method) => method === 'scan') && networks.every(({ own }) => own.includes(':')))
        throw new HubError('unsupported', 'the hub is only in IPv6 networks, which are too large to scan');
      // Two would slow down each other, and the network.
      if (isRunning) throw new HubError('inProgress', 'a search for devices is already running');
      let noted = known();
      let notedAt = now();
      const isAdded = (...words: readonly (string | undefined)[]) => {
        if (Math.abs(now() - notedAt) >= knownMs) [noted, notedAt] = [known(), now()];
        return words.some((word) => word !== undefined && noted.has(word));
      };
      const subject = networks.map((network) => network.subnet).join(', ');
      const id = tasks.begin(session, { kind: 'device.discover', subject, unit: 'addresses' }, async (run) => {
        isRunning = true;
        try {
          await discovery.run({
            ...{ methods: [...new Set(methods)], networks, signal: run.signal, onProgress: run.progress },
            onFound(host, found) {
              const device: FoundDevice = { ...found, added: isAdded(host, found.sn, found.mac) };
              run.putItem({ key: host, name: found.name ?? found.model ?? host, device });
            },
          });
        } finally {
          isRunning = false;
        }
      });
      audit.note(db, actor, { action: 'device.discover', subject });
      return id;
    },
  };
}
