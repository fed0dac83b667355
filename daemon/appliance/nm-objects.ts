/** Objects of NetworkManager over D-Bus, as its API defines them. */
import type { Bus, MethodCall } from './dbus/bus.ts';
import { isRefusal } from './dbus/dbus-error.ts';
import { plain, type ValueOf, valueAs } from './dbus/wire.ts';

export const service = 'org.freedesktop.NetworkManager';
export const rootPath = '/org/freedesktop/NetworkManager';
export const settingsPath = `${rootPath}/Settings`;
/** The path of no object. */
export const noPath = '/';

/** Properties of an object by interface, without the prefix of the service: `Device`, `Connection.Active`. */
export type Properties = Readonly<Record<string, unknown>>;
export type Objects = ReadonlyMap<string, ReadonlyMap<string, Properties>>;

/** Reads all objects with one call. */
export async function readObjects(bus: Bus): Promise<Objects> {
  const [answer] = await bus.call({
    ...{ destination: service, path: '/org/freedesktop', member: 'GetManagedObjects' },
    interface: 'org.freedesktop.DBus.ObjectManager',
  });
  const objects = Object.entries(plain(answer) as Record<string, Record<string, Properties>>);
  const shortName = (name: string) => (name === service ? '' : name.slice(service.length + 1));
  return new Map(
    objects.map(([path, interfaces]) => [
      path,
      new Map(Object.entries(interfaces).map(([name, properties]) => [shortName(name), properties])),
    ]),
  );
}

/** The properties of one interface of an object; empty if it does not exist. */
export function propertiesOf(objects: Objects, path: unknown, name: string): Properties {
  return objects.get(String(path))?.get(name) ?? {};
}

/** The objects that have an interface, with its properties. */
export function withInterface(objects: Objects, name: string): [path: string, properties: Properties][] {
  return [...objects].flatMap(([path, interfaces]) => {
    const properties = interfaces.get(name);
    return properties === undefined ? [] : [[path, properties] as [string, Properties]];
  });
}

/** Addresses with their prefix of an `IP4Config`. */
export function addressesOf(objects: Objects, path: unknown): string[] {
  const list = propertiesOf(objects, path, 'IP4Config').AddressData;
  if (!Array.isArray(list)) return [];
  return list.map(({ address, prefix }: { address?: unknown; prefix?: unknown }) => `${address}/${prefix}`);
}

/** `NMDeviceState`. */
export const deviceStates = {
  unmanaged: 10,
  unavailable: 20,
  disconnected: 30,
  prepare: 40,
  ipCheck: 80,
  secondaries: 90,
  activated: 100,
  deactivating: 110,
  failed: 120,
} as const;
/** `NMDeviceType`. */
export const deviceTypes = { ethernet: 1, wifi: 2, veth: 20 } as const;
/** Bits of `NMSettingsConnectionFlags`. */
export const connectionFlags = { unsaved: 1, generated: 2, volatile: 4 } as const;
/** Bits of `NMSettingsUpdate2Flags`. */
export const updateFlags = { toDisk: 1, inMemory: 2, blockAutoconnect: 32, noReapply: 64 } as const;

/** A profile with its settings as NetworkManager sends them, which is without secrets. */
export interface Profile {
  readonly path: string;
  readonly settings: Readonly<Record<string, Properties>>;
  /** The same with the signatures, to be sent back. */
  readonly raw: ValueOf<'a{sa{sv}}'>;
}

const profilesAtOnce = 8;

/** Reads the profiles of a type that are stored, not those that NetworkManager or an attempt made for the moment. */
export async function readProfiles(bus: Bus, objects: Objects, type: string): Promise<Profile[]> {
  const passing = connectionFlags.generated | connectionFlags.volatile;
  const stored = withInterface(objects, 'Settings.Connection').filter(
    ([, { Flags }]) => (Number(Flags ?? 0) & passing) === 0,
  );
  const profiles: Profile[] = [];
  for (let at = 0; at < stored.length; at += profilesAtOnce) {
    const some = stored.slice(at, at + profilesAtOnce).map(([path]) => readProfile(bus, path));
    for (const profile of await Promise.all(some)) {
      if (profile?.settings.connection?.type === type) profiles.push(profile);
    }
  }
  return profiles;
}

/** Returns undefined if there is no such profile. */
export async function profileBy(bus: Bus, uuid: string): Promise<Profile | undefined> {
  try {
    const [path] = await bus.call({
      ...{ destination: service, path: settingsPath, interface: `${service}.Settings` },
      ...{ member: 'GetConnectionByUuid', signature: 's', body: [uuid] },
    });
    return await readProfile(bus, String(path));
  } catch (error) {
    if (isRefusal(error, 'Settings.InvalidConnection')) return undefined;
    throw error;
  }
}

/** Returns undefined if the profile was deleted meanwhile. */
export async function readProfile(bus: Bus, path: string): Promise<Profile | undefined> {
  try {
    const raw = valueAs('a{sa{sv}}', (await callProfile(bus, path, { member: 'GetSettings' }))[0]);
    return { path, raw, settings: plain(raw) as Profile['settings'] };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

export const callManager = (bus: Bus, call: Pick<MethodCall, 'member' | 'signature' | 'body'>) =>
  bus.call({ destination: service, path: rootPath, interface: service, ...call });

/** Stores a profile that was only in memory on the disk, with its secrets. */
export async function keepProfile(bus: Bus, path: string): Promise<void> {
  const body = [{}, updateFlags.toDisk, {}];
  await callProfile(bus, path, { member: 'Update2', signature: 'a{sa{sv}}ua{sv}', body });
}

export function callProfile(bus: Bus, path: string, call: Pick<MethodCall, 'member' | 'signature' | 'body'>) {
  return bus.call({ destination: service, path, interface: `${service}.Settings.Connection`, ...call });
}

/** Deletes a profile with its secrets; does nothing if it no longer exists. */
export async function deleteProfile(bus: Bus, path: string): Promise<void> {
  try {
    await callProfile(bus, path, { member: 'Delete' });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Whether the object that was called no longer exists. */
export const isGone = (error: unknown) =>
  isRefusal(error, 'DBus.Error.UnknownObject') || isRefusal(error, 'DBus.Error.UnknownMethod');
