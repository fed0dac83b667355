/** Ethernet ports by NetworkManager, over D-Bus. */
import { readFile } from 'node:fs/promises';
import { type EthernetPort, ethernetPorts } from '../../contract/network-fields.ts';
import { ChangeFailed } from '../confirmed-change/kind.ts';
import type { Bus, MethodCall } from '../dbus/bus.ts';
import { DBusError, isRefusal } from '../dbus/dbus-error.ts';
import { type DBusValue, plain, valueAs } from '../dbus/wire.ts';
import { MissingPart } from '../missing-part.ts';
import { forNetworkManager, missingPart } from '../nm-bus.ts';
import { activate } from './activation.ts';
import { guardLeases } from './leases.ts';
import { builtIn, type Found, interfaces, isSame, type Objects, profilePaths, text } from './objects.ts';
import type { NetDevice, NetPort, PortChange, Traffic } from './port.ts';
import {
  configOf,
  haveSameRoutes,
  isFor,
  type Profile,
  profileIds,
  profileOf,
  routeData,
  staticRoutes,
  withRoutes,
} from './profile.ts';
import { parseTraffic } from './traffic.ts';

const service = 'org.freedesktop.NetworkManager';
const root = '/org/freedesktop/NetworkManager';
const settingsRoot = `${root}/Settings`;
const settingsInterface = `${service}.Settings`;
const profileInterface = `${service}.Settings.Connection`;

/** Flags of NetworkManager's interface. */
const checkpointFlags = { deleteNewConnections: 2 };
const storeFlags = { toDisk: 1, inMemory: 2, blockAutoconnect: 32, noReapply: 64 };

/** A change of one port, as the journal has it. */
interface PortStep {
  readonly port: EthernetPort;
  readonly hardware: string;
  readonly next: Profile;
  /** The hub's profile of the port before; null if there was none. */
  readonly previous: Profile | null;
  /** The profile that was active before, of the hub or of others; empty for none. */
  readonly previousActive: string;
}

interface NetChange {
  readonly checkpoint: {
    readonly path: string;
    /** Milliseconds of the clock since boot: a path alone may be one of a later NetworkManager. */
    readonly created: number;
  };
  readonly steps: readonly PortStep[];
}

export function createNetworkManager(bus: Bus): NetPort {
  const call = async (path: string, of: string, member: string, signature = '', body: readonly DBusValue[] = []) => {
    try {
      return await bus.call({
        destination: service,
        path,
        interface: of,
        member,
        signature,
        body,
      } satisfies MethodCall);
    } catch (error) {
      throw missingPart(error);
    }
  };
  const manager = (member: string, ...input: [signature?: string, body?: readonly DBusValue[]]) =>
    call(root, service, member, ...input);

  const objects = async (): Promise<Objects> => {
    const [all] = await call('/org/freedesktop', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects');
    return plain(all) as Objects;
  };
  /** Path of the profile; undefined if there is none. */
  const pathOf = async (uuid: string): Promise<string | undefined> => {
    if (uuid === '') return undefined;
    try {
      const [path] = await call(settingsRoot, settingsInterface, 'GetConnectionByUuid', 's', [uuid]);
      return String(path);
    } catch (error) {
      if (isRefusal(error, 'InvalidConnection')) return undefined;
      throw error;
    }
  };
  const profileAt = async (path: string): Promise<Profile> => {
    const [profile] = await call(path, profileInterface, 'GetSettings');
    return valueAs('a{sa{sv}}', profile);
  };
  const profileBy = async (uuid: string): Promise<Profile | null> => {
    const path = await pathOf(uuid);
    return path === undefined ? null : profileAt(path);
  };
  const store = async (uuid: string, profile: Profile, flags: number): Promise<string> => {
    const path = await pathOf(uuid);
    if (path === undefined) {
      // Not all flags of an update exist for a new profile.
      const body = [profile, (flags & ~storeFlags.noReapply) | storeFlags.blockAutoconnect, {}];
      const [added] = await call(settingsRoot, settingsInterface, 'AddConnection2', 'a{sa{sv}}ua{sv}', body);
      return String(added);
    }
    await call(path, profileInterface, 'Update2', 'a{sa{sv}}ua{sv}', [profile, flags, {}]);
    return path;
  };
  const deviceOf = async (hardware: string): Promise<Found | undefined> =>
    builtIn(await objects()).find((device) => device.hardware === hardware);

  /** Makes the interface use what the profile says, unless it does already or has no cable. */
  const ensureActive = async (hardware: string, uuid: string): Promise<void> => {
    const [device, path] = [await deviceOf(hardware), await pathOf(uuid)];
    if (device === undefined || path === undefined || !device.hasLink) return;
    if (await isApplied(device, uuid, path)) return;
    const isFixed = (configOf(await profileAt(path))?.fixed ?? null) !== null;
    await activate(bus, { profile: path, device: device.path, isFixed });
  };
  const isApplied = async ({ path, state }: Found, uuid: string, profile: string): Promise<boolean> => {
    if (state !== 'connected') return false;
    const [applied] = await call(path, interfaces.device, 'GetAppliedConnection', 'u', [0]);
    const active = valueAs('a{sa{sv}}', applied);
    const isSameProfile = plain(active.connection?.uuid) === uuid;
    const stored = await profileAt(profile);
    return isSameProfile && isSame(configOf(active), configOf(stored)) && haveSameRoutes(active, stored);
  };

  const isOurs = async ({ checkpoint }: NetChange): Promise<boolean> => {
    try {
      const object = { destination: service, path: checkpoint.path };
      return (await bus.property(object, interfaces.checkpoint, 'Created')) === checkpoint.created;
    } catch (error) {
      if (error instanceof DBusError && error.fault === 'refused') return false;
      throw missingPart(error);
    }
  };
  const restore = async ({ port, hardware, previous, previousActive }: PortStep): Promise<void> => {
    const uuid = profileIds[port];
    const path = await pathOf(uuid);
    if (previous === null) {
      if (path !== undefined) await call(path, profileInterface, 'Delete');
    } else if (path === undefined || (await isAltered(path, previous))) {
      await store(uuid, previous, storeFlags.toDisk | storeFlags.noReapply);
    }
    await tryActive(hardware, previousActive);
  };
  /** What is stored may not work now, for example without its DHCP server. NetworkManager tries again by itself. */
  const tryActive = async (hardware: string, uuid: string): Promise<void> => {
    try {
      await ensureActive(hardware, uuid);
    } catch (error) {
      if (!(error instanceof ChangeFailed)) throw error;
    }
  };
  const isAltered = async (path: string, previous: Profile): Promise<boolean> => {
    const isUnsaved = await bus.property({ destination: service, path }, profileInterface, 'Unsaved');
    return isUnsaved === true || !isSame(configOf(await profileAt(path)), configOf(previous));
  };

  return {
    read: () =>
      usable(async () => {
        const all = await objects();
        const devices = await Promise.all(
          builtIn(all).map(async ({ path: _path, active, isManaged: _isManaged, ...device }): Promise<NetDevice> => {
            const profile = text(all[active]?.[interfaces.active]?.Connection);
            const config = profile === '' ? null : configOf(await profileAt(profile).catch(() => ({})));
            return { ...device, config };
          }),
        );
        const own = await Promise.all(
          ethernetPorts.map(async (port) => {
            const profile = await profileBy(profileIds[port]);
            const config = profile === null ? null : configOf(profile);
            return config === null ? [] : [[port, config]];
          }),
        );
        return { devices, configs: Object.fromEntries(own.flat()) };
      }),
    watch: (listener) => bus.watch({ service, path: root }, () => listener()),
    guard: (log) => guardLeases(forNetworkManager(bus), log),
    reset: () =>
      usable(async () => {
        // A checkpoint that ends later would restore the deleted profiles.
        await manager('CheckpointDestroy', 'o', ['/']);
        for (const port of ethernetPorts) {
          const path = await pathOf(profileIds[port]);
          if (path !== undefined) await call(path, profileInterface, 'Delete');
        }
        const all = await objects();
        const left = await Promise.all(profilePaths(all).map((path) => profileAt(path).catch(() => ({}))));
        for (const [at, { name, hardware, mac }] of builtIn(all).entries()) {
          const port = ethernetPorts[at];
          if (port === undefined || left.some((profile) => isFor(profile, { name, mac }))) continue;
          await store(profileIds[port], profileOf(port, hardware, { fixed: null, dns: [] }), storeFlags.toDisk);
          await tryActive(hardware, profileIds[port]);
        }
      }),
    async traffic(): Promise<ReadonlyMap<string, Traffic>> {
      return parseTraffic(await readFile('/proc/net/dev', 'utf8'));
    },

    prepare: (changes: readonly PortChange[], seconds) =>
      usable(async (): Promise<NetChange> => {
        const all = await objects();
        const devices = builtIn(all);
        const steps: PortStep[] = [];
        const paths: string[] = [];
        for (const { port, hardware, config, routes } of changes) {
          const device = devices.find((one) => one.hardware === hardware);
          if (device !== undefined) paths.push(device.path);
          const active = device && all[device.active]?.[interfaces.active]?.Uuid;
          const previous = await profileBy(profileIds[port]);
          steps.push({
            ...{
              port,
              hardware,
              next: withRoutes(profileOf(port, hardware, config), routes?.map(routeData) ?? staticRoutes(previous)),
              previous,
            },
            previousActive: text(active),
          });
        }
        const [created] = await manager('CheckpointCreate', 'aouu', [
          paths,
          seconds,
          checkpointFlags.deleteNewConnections,
        ]);
        const path = String(created);
        const at = await bus.property({ destination: service, path }, interfaces.checkpoint, 'Created');
        return { checkpoint: { path, created: Number(at) }, steps };
      }),
    async apply(data) {
      const { steps } = data as NetChange;
      // All profiles first: one port may take the address that the other one has.
      const profiles: string[] = [];
      for (const { port, next } of steps) profiles.push(await store(profileIds[port], next, storeFlags.inMemory));
      for (const [at, { hardware, next }] of steps.entries()) {
        const device = await deviceOf(hardware);
        const isFixed = configOf(next)?.fixed !== null;
        if (device?.hasLink) await activate(bus, { profile: profiles[at] as string, device: device.path, isFixed });
      }
    },
    async seal(data) {
      const change = data as NetChange;
      if (!(await isOurs(change))) return false;
      try {
        await manager('CheckpointDestroy', 'o', [change.checkpoint.path]);
        return true;
      } catch (error) {
        // It has undone the change in this moment.
        if (error instanceof DBusError && error.fault === 'refused') return false;
        throw error;
      }
    },
    async save(data) {
      for (const { port, hardware, next } of (data as NetChange).steps) {
        await store(profileIds[port], next, storeFlags.toDisk | storeFlags.noReapply);
        await tryActive(hardware, profileIds[port]);
      }
    },
    async revert(data) {
      const change = data as NetChange;
      if (await isOurs(change)) await manager('CheckpointRollback', 'o', [change.checkpoint.path]);
      for (const step of change.steps) await restore(step);
    },
  };
}

/** What NetworkManager refuses for a reason of its own counts as a part that cannot be used, not as a fault of the hub. */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DBusError) throw new MissingPart('networkManager', 'refused', error.message);
    throw error;
  }
}
