/** Wi-Fi by NetworkManager, which gets keys over D-Bus only: they appear in no argument of a program. */
import { randomUUID } from 'node:crypto';
import { timing } from '../../timing.ts';
import type { Bus } from '../dbus/bus.ts';
import { isRefusal } from '../dbus/dbus-error.ts';
import { type ValueOf, variant } from '../dbus/wire.ts';
import { interfaceTo } from '../net/kernel-routes.ts';
import {
  addressesOf,
  callManager,
  deleteProfile,
  deviceStates,
  deviceTypes,
  keepProfile,
  noPath,
  type Objects,
  type Profile,
  type Properties,
  propertiesOf,
  readObjects,
  readProfiles,
  rootPath,
  service,
  withInterface,
} from '../nm-objects.ts';
import { networksOf, securityOfProfile, ssidBytes } from './access-points.ts';
import { watchAttempt } from './attempt.ts';
import { wifiChanges } from './change.ts';
import { type JoinRequest, type SsidBytes, WifiFault, type WifiPort, type WifiReading } from './port.ts';
import { wifiStorage } from './stored.ts';

const wifiType = '802-11-wireless';
/** Above that of Ethernet ports, which are preferred, and below that of USB. */
const routeMetric = 600;
const scanPollMs = 200;

interface Adapter {
  readonly path: string;
  readonly device: Properties;
  readonly wireless: Properties;
}

export function createWifi(bus: Bus): WifiPort {
  const { scanMs, joinMs } = timing.wifi;

  /** Throws unless there is an adapter that can be used. */
  async function usable(): Promise<{ objects: Objects; adapter: Adapter }> {
    const objects = await readObjects(bus);
    const adapter = adapterOf(objects);
    if (adapter === undefined || Number(adapter.device.State) < deviceStates.disconnected) {
      throw new WifiFault('noAdapter');
    }
    return { objects, adapter };
  }

  async function scan(): Promise<void> {
    const { adapter } = await usable();
    const object = { destination: service, path: adapter.path };
    const lastScan = () => bus.property(object, `${service}.Device.Wireless`, 'LastScan').then(Number);
    const before = Number(adapter.wireless.LastScan ?? 0);
    try {
      await bus.call({
        ...{ ...object, interface: `${service}.Device.Wireless`, member: 'RequestScan' },
        ...{ signature: 'a{sv}', body: [{}] },
      });
    } catch (error) {
      // One is running, or has just ended.
      if (!isRefusal(error, 'Device.NotAllowed')) throw error;
    }
    const endsAt = performance.now() + scanMs;
    while ((await lastScan()) === before) {
      if (performance.now() > endsAt) throw new WifiFault('timeout', 'the scan does not end');
      await Bun.sleep(scanPollMs);
    }
  }

  /** A name that is not announced cannot be looked up; for others this is faster than an attempt. */
  async function look({ ssid, isHidden }: JoinRequest): Promise<void> {
    if (isHidden) return;
    const isInRange = async () => {
      const { objects, adapter } = await usable();
      return found(objects, adapter).some((network) => network.ssid === ssid);
    };
    if (await isInRange()) return;
    await scan();
    if (!(await isInRange())) throw new WifiFault('notFound');
  }

  /** Activates a profile by a call that returns the path of the active connection, and waits for its end. */
  async function attempt(adapter: Adapter, begin: () => Promise<string>): Promise<void> {
    const watching = watchAttempt(bus, adapter.path, joinMs);
    try {
      await watching.follow(await begin());
    } finally {
      watching.stop();
    }
  }

  const profilesFor = async (ssid: SsidBytes, objects: Objects): Promise<Profile[]> =>
    (await readProfiles(bus, objects, wifiType)).filter((profile) => ssidOf(profile) === ssid);

  return {
    async read() {
      const objects = await readObjects(bus);
      const profiles = await readProfiles(bus, objects, wifiType);
      return reading(objects, profiles);
    },
    scan,
    async join(request) {
      await look(request);
      const { objects, adapter } = await usable();
      const before = await profilesFor(request.ssid, objects);
      let made: string | undefined;
      try {
        await attempt(adapter, async () => {
          const [profile, active] = await callManager(bus, {
            member: 'AddAndActivateConnection2',
            signature: 'a{sa{sv}}ooa{sv}',
            // Until it has worked, the profile ends with the connection, also if the hub ends meanwhile.
            body: [profileOf(request), adapter.path, noPath, { persist: variant('s', 'volatile') }],
          });
          made = String(profile);
          return String(active);
        });
        if (made !== undefined) await keepProfile(bus, made);
      } catch (error) {
        if (made !== undefined) await deleteProfile(bus, made).catch(() => {});
        throw error;
      }
      for (const { path } of before) await deleteProfile(bus, path);
    },
    async rejoin(ssid) {
      const { objects, adapter } = await usable();
      const [profile] = await profilesFor(ssid, objects);
      if (profile === undefined) throw new WifiFault('notFound');
      await attempt(adapter, async () => {
        const body = [profile.path, adapter.path, noPath];
        return String((await callManager(bus, { member: 'ActivateConnection', signature: 'ooo', body }))[0]);
      });
    },
    async forget(ssid) {
      const profiles = await profilesFor(ssid, await readObjects(bus));
      for (const { path } of profiles) await deleteProfile(bus, path);
      return profiles.length > 0;
    },
    async forgetAll() {
      const profiles = await readProfiles(bus, await readObjects(bus), wifiType);
      for (const { path } of profiles.filter(isStation)) await deleteProfile(bus, path);
    },
    async leadsTo(address) {
      const name = adapterOf(await readObjects(bus))?.device.Interface;
      return name !== undefined && (await interfaceTo(address)) === name;
    },
    ...wifiStorage(bus, {
      known: async () => knownOf(await readProfiles(bus, await readObjects(bus), wifiType)),
      profilesFor: async (ssid) => (await profilesFor(ssid, await readObjects(bus))).filter(isStation),
      newProfile: profileOf,
    }),
    ...wifiChanges(bus, { usable, look, attempt, profilesFor, newProfile: profileOf }),
  };
}

function adapterOf(objects: Objects): Adapter | undefined {
  const [found] = withInterface(objects, 'Device')
    .filter(([, { DeviceType }]) => DeviceType === deviceTypes.wifi)
    .toSorted(([, a], [, b]) => (String(a.Interface) < String(b.Interface) ? -1 : 1));
  if (found === undefined) return undefined;
  const [path, device] = found;
  return { path, device, wireless: propertiesOf(objects, path, 'Device.Wireless') };
}

function found(objects: Objects, { wireless }: Adapter) {
  return networksOf(objects, Array.isArray(wireless.AccessPoints) ? wireless.AccessPoints : []);
}

const ssidOf = ({ settings }: Profile): SsidBytes => ssidBytes(settings[wifiType]?.ssid);

function reading(objects: Objects, profiles: readonly Profile[]): WifiReading {
  const adapter = adapterOf(objects);
  const known = knownOf(profiles);
  if (adapter === undefined) return { state: 'none', interface: '', current: null, networks: [], known };
  const { device, wireless } = adapter;
  const active = propertiesOf(objects, device.ActiveConnection, 'Connection.Active');
  const profile = profiles.find(({ path }) => path === active.Connection);
  const point = propertiesOf(objects, wireless.ActiveAccessPoint, 'AccessPoint');
  const ssid = profile === undefined ? ssidBytes(point.Ssid) : ssidOf(profile);
  const state = stateOf(device, propertiesOf(objects, rootPath, ''));
  const isOn = state === 'connecting' || state === 'connected';
  return {
    ...{ state, interface: String(device.Interface), known, networks: found(objects, adapter) },
    current:
      isOn && ssid !== ''
        ? { ssid, strength: Number(point.Strength ?? 0), addresses: addressesOf(objects, device.Ip4Config) }
        : null,
  };
}

/** Whether the profile is for joining a network, not for an access point of this machine. */
const isStation = ({ settings }: Profile) => (settings[wifiType]?.mode ?? 'infrastructure') === 'infrastructure';

/** One per name: a user may have made several with another program. */
function knownOf(profiles: readonly Profile[]): WifiReading['known'] {
  const bySsid = new Map(
    profiles.filter(isStation).map((profile) => [
      ssidOf(profile),
      {
        ssid: ssidOf(profile),
        security: securityOfProfile(profile.settings[`${wifiType}-security`]),
        isHidden: profile.settings[wifiType]?.hidden === true,
      },
    ]),
  );
  return [...bySsid.values()].filter(({ ssid }) => ssid !== '');
}

function stateOf({ State }: Properties, manager: Properties): WifiReading['state'] {
  const state = Number(State ?? 0);
  const isOff = manager.WirelessEnabled === false || manager.WirelessHardwareEnabled === false;
  if (state <= deviceStates.unavailable) return isOff ? 'off' : 'unavailable';
  if (state === deviceStates.activated) return 'connected';
  return state >= deviceStates.prepare && state < deviceStates.activated ? 'connecting' : 'disconnected';
}

const keyManagement = { wpa: 'wpa-psk', wpa3: 'sae', owe: 'owe' } as const;

/** The profile of a network. Its name has only characters of ours, as it becomes the name of a file. */
function profileOf({ ssid, security, key, isHidden }: JoinRequest): ValueOf<'a{sa{sv}}'> {
  return {
    connection: {
      id: variant('s', `Wi-Fi ${ssid}`),
      uuid: variant('s', randomUUID()),
      type: variant('s', wifiType),
      // It is joined again whenever it is in range, however often that failed.
      'autoconnect-retries': variant('i', 0),
      // A key that is not accepted is reported at once.
      'auth-retries': variant('i', 1),
    },
    [wifiType]: { ssid: variant('ay', [...Buffer.from(ssid, 'hex')]), hidden: variant('b', isHidden) },
    ...(security !== 'open' && {
      [`${wifiType}-security`]: {
        'key-mgmt': variant('s', keyManagement[security]),
        ...(key !== undefined && { psk: variant('s', key) }),
      },
    }),
    ipv4: {
      ...{ method: variant('s', 'auto'), 'may-fail': variant('b', false) },
      'dhcp-timeout': variant('i', Math.floor(timing.wifi.dhcpMs / 1000)),
      'route-metric': variant('x', routeMetric),
    },
    ipv6: { method: variant('s', 'auto') },
  };
}
