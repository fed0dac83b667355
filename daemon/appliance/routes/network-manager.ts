/** Static routes in the profiles of NetworkManager, which applies them again after each start. */
import { ethernetPorts } from '../../contract/network-fields.ts';
import type { Bus } from '../dbus/bus.ts';
import type { Target } from '../net/port.ts';
import { profileIds, routeData, withRoutes } from '../net/profile.ts';
import { type Checkpoint, createCheckpoint, endCheckpoint, rollBack } from '../nm-checkpoint.ts';
import {
  addressesOf,
  callProfile,
  deviceTypes,
  type Objects,
  type Profile,
  profileBy,
  propertiesOf,
  readObjects,
  readProfile,
  service,
  updateFlags,
  withInterface,
} from '../nm-objects.ts';
import type { PortDevices, RouteChange, RoutePlace, RoutesPort } from './port.ts';

/** An interface with the profile that it uses; an Ethernet port without a connection, with the hub's own. */
interface Place {
  readonly id: RoutePlace;
  readonly profile: Profile;
  /** Path of the device; undefined if it does not use the profile now. */
  readonly device: string | undefined;
}

/** As NetworkManager has it. */
interface RouteData {
  readonly dest?: unknown;
  readonly prefix?: unknown;
  readonly 'next-hop'?: unknown;
  /** Of routes that belong to the address of a port. */
  readonly table?: unknown;
}

interface Step {
  readonly uuid: string;
  readonly next: readonly Target[];
  readonly previous: readonly Target[];
}

interface Change {
  readonly checkpoint: Checkpoint;
  readonly steps: readonly Step[];
}

export function createRoutes(bus: Bus): RoutesPort {
  async function placesOf(objects: Objects, devices: PortDevices): Promise<Place[]> {
    const all = withInterface(objects, 'Device');
    const [wifi] = all.filter(([, { DeviceType }]) => DeviceType === deviceTypes.wifi);
    const found = await Promise.all([
      ...ethernetPorts.map(async (id) => {
        const device = all.find(([, { Interface }]) => Interface === devices[id])?.[0];
        return (await inUse(objects, id, device)) ?? (await idle(id));
      }),
      inUse(objects, 'wifi', wifi?.[0]),
    ]);
    return found.filter((place) => place !== undefined);
  }
  async function inUse(objects: Objects, id: RoutePlace, device: string | undefined): Promise<Place | undefined> {
    const { ActiveConnection } = propertiesOf(objects, device, 'Device');
    const { Connection } = propertiesOf(objects, ActiveConnection, 'Connection.Active');
    const profile = typeof Connection === 'string' ? await readProfile(bus, Connection) : undefined;
    return profile && { id, profile, device };
  }
  async function idle(id: (typeof ethernetPorts)[number]): Promise<Place | undefined> {
    const profile = await profileBy(bus, profileIds[id]);
    return profile && { id, profile, device: undefined };
  }

  /** Writes those that differ, and lets their devices use them. */
  async function store(wanted: readonly { uuid: string; targets: readonly Target[] }[], flag: number): Promise<void> {
    for (const { uuid, targets } of wanted) {
      const profile = await profileBy(bus, uuid);
      if (profile === undefined) continue;
      const settings = withRoutes(profile.raw, targets.map(routeData));
      const body = [settings, flag | updateFlags.noReapply, {}];
      await callProfile(bus, profile.path, { member: 'Update2', signature: 'a{sa{sv}}ua{sv}', body });
      for (const device of devicesOf(await readObjects(bus), profile.path)) {
        const object = { destination: service, path: device, interface: `${service}.Device` };
        await bus.call({ ...object, member: 'Reapply', signature: 'a{sa{sv}}tu', body: [{}, 0, 0] });
      }
    }
  }

  async function stepsOf({ devices, routes }: RouteChange): Promise<Step[]> {
    const places = await placesOf(await readObjects(bus), devices);
    const steps = places.map(({ id, profile }) => ({
      uuid: String(profile.settings.connection?.uuid),
      next: routes.filter((route) => route.interface === id).map(targetOf),
      previous: targetsOf(profile),
    }));
    return steps.filter(({ next, previous }) => keyOf(next) !== keyOf(previous));
  }
  const next = (steps: readonly Step[]) => steps.map(({ uuid, next: targets }) => ({ uuid, targets }));
  const previous = (steps: readonly Step[]) => steps.map(({ uuid, previous: targets }) => ({ uuid, targets }));

  return {
    async read(devices) {
      const objects = await readObjects(bus);
      const places = await placesOf(objects, devices);
      return {
        interfaces: places.map((place) => ({ id: place.id, addresses: currentAddresses(objects, place) })),
        routes: places.flatMap((place) => {
          const active = new Set(activeTargets(objects, place).map((target) => keyOf([target])));
          return targetsOf(place.profile).map((target) => ({
            ...{ ...target, interface: place.id },
            isActive: active.has(keyOf([target])),
          }));
        }),
      };
    },
    async write(change) {
      await store(next(await stepsOf(change)), updateFlags.toDisk);
    },
    async prepare(change, seconds): Promise<Change> {
      return { steps: await stepsOf(change), checkpoint: await createCheckpoint(bus, [], seconds) };
    },
    apply: (data) => store(next((data as Change).steps), updateFlags.inMemory),
    seal: (data) => endCheckpoint(bus, (data as Change).checkpoint),
    save: (data) => store(next((data as Change).steps), updateFlags.toDisk),
    async revert(data) {
      const { checkpoint, steps } = data as Change;
      await rollBack(bus, checkpoint);
      await store(previous(steps), updateFlags.toDisk);
    },
  };
}

/** Paths of the devices that use a profile. */
function devicesOf(objects: Objects, profile: string): string[] {
  return withInterface(objects, 'Device').flatMap(([path, { ActiveConnection }]) => {
    const active = propertiesOf(objects, ActiveConnection, 'Connection.Active');
    return active.Connection === profile ? [path] : [];
  });
}

const ip4Of = (objects: Objects, { device }: Place) => propertiesOf(objects, device, 'Device').Ip4Config;

function currentAddresses(objects: Objects, place: Place): string[] {
  const current = addressesOf(objects, ip4Of(objects, place));
  if (current.length > 0) return current;
  const list = (place.profile.settings.ipv4?.['address-data'] ?? []) as { address?: unknown; prefix?: unknown }[];
  return list.map(({ address, prefix }) => `${address}/${prefix}`);
}

function activeTargets(objects: Objects, place: Place): Target[] {
  return readTargets(propertiesOf(objects, ip4Of(objects, place), 'IP4Config').RouteData);
}

const targetsOf = ({ settings }: Profile) => readTargets(settings.ipv4?.['route-data']);
const targetOf = ({ destination, gateway }: Target): Target => ({ destination, gateway });

function readTargets(list: unknown): Target[] {
  return ((list ?? []) as RouteData[]).flatMap(({ dest, prefix, table, 'next-hop': gateway }) =>
    gateway === undefined || table !== undefined
      ? []
      : [{ destination: `${dest}/${prefix}`, gateway: String(gateway) }],
  );
}

/** Equal for the same routes in any order. */
function keyOf(targets: readonly Target[]): string {
  return targets
    .map(({ destination, gateway }) => `${destination} ${gateway}`)
    .toSorted()
    .join();
}
