/** What NetworkManager says about its objects, as the values that the hub needs. */
import type { PortState } from '../../contract/network-states.ts';
import type { NetDevice, PortConfig } from './port.ts';

/** The properties of one object, by interface. */
type Properties = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
export type Objects = Readonly<Record<string, Properties | undefined>>;

const prefix = 'org.freedesktop.NetworkManager';
export const interfaces = {
  device: `${prefix}.Device`,
  wired: `${prefix}.Device.Wired`,
  active: `${prefix}.Connection.Active`,
  ip4: `${prefix}.IP4Config`,
  ip6: `${prefix}.IP6Config`,
  checkpoint: `${prefix}.Checkpoint`,
  profile: `${prefix}.Settings.Connection`,
} as const;

/** Numbers of device types and states in NetworkManager's interface. */
const types = { ethernet: 1, veth: 20 };
export const deviceStates = {
  unmanaged: 10,
  unavailable: 20,
  disconnected: 30,
  prepare: 40,
  activated: 100,
  failed: 120,
};

/** An Ethernet interface with the paths of its objects. */
export interface Found extends Omit<NetDevice, 'config'> {
  readonly path: string;
  /** Of the active connection; `/` for none. */
  readonly active: string;
  readonly isManaged: boolean;
}

/** Returns the Ethernet interfaces that are built in, by their place in the machine. */
export function builtIn(objects: Objects): Found[] {
  return Object.entries(objects)
    .flatMap(([path, properties]) => {
      const device = properties?.[interfaces.device];
      return device && isBuiltIn(device) ? [found(path, device, objects)] : [];
    })
    .toSorted((a, b) => inOrder.compare(a.hardware, b.hardware) || inOrder.compare(a.name, b.name));
}

/** Paths of all profiles. */
export function profilePaths(objects: Objects): string[] {
  return Object.keys(objects).filter((path) => objects[path]?.[interfaces.profile] !== undefined);
}

const inOrder = new Intl.Collator('en', { numeric: true });

function isBuiltIn({ DeviceType, Managed, Interface, Udi, Path }: Readonly<Record<string, unknown>>): boolean {
  if (DeviceType !== types.ethernet && !(DeviceType === types.veth && Managed === true)) return false;
  return !/^usb\d/.test(text(Interface)) && !/\/usb\d|-usb-/.test(`${Udi} ${Path}`);
}

function found(path: string, device: Readonly<Record<string, unknown>>, objects: Objects): Found {
  const wired = objects[path]?.[interfaces.wired] ?? {};
  const hasLink = wired.Carrier === true;
  const [v4, v6] = [
    objects[text(device.Ip4Config)]?.[interfaces.ip4] ?? {},
    objects[text(device.Ip6Config)]?.[interfaces.ip6] ?? {},
  ];
  const mac = text(wired.PermHwAddress) || text(wired.HwAddress) || text(device.HwAddress);
  const place = text(device.Path);
  return {
    path,
    active: text(device.ActiveConnection),
    isManaged: device.Managed === true,
    hardware: place === '' ? `mac:${mac.toLowerCase()}` : `path:${place}`,
    name: text(device.Interface),
    mac: mac.toLowerCase(),
    driver: text(device.Driver),
    state: stateOf(device, hasLink),
    hasLink,
    speed: hasLink && typeof wired.Speed === 'number' ? wired.Speed : 0,
    addresses: [...addressesOf(v4), ...addressesOf(v6).filter((address) => !/^fe[89ab]/i.test(address))],
    gateway: text(v4.Gateway),
    dns: list<{ address?: unknown }>(v4.NameserverData).map(({ address }) => text(address)),
  };
}

function stateOf(
  { State, Managed }: Readonly<Record<string, unknown>>,
  hasLink: boolean,
): Exclude<PortState, 'absent' | 'unknown'> {
  const state = Number(State);
  if (Managed !== true || state <= deviceStates.unmanaged) return 'unmanaged';
  // NetworkManager keeps the addresses for some seconds, in case the cable comes back.
  if (!hasLink) return 'noCable';
  if (state === deviceStates.activated) return 'connected';
  if (state === deviceStates.failed) return 'failed';
  return state >= deviceStates.prepare && state < deviceStates.activated ? 'connecting' : 'disconnected';
}

function addressesOf(config: Readonly<Record<string, unknown>>): string[] {
  return list<{ address?: unknown; prefix?: unknown }>(config.AddressData).map(
    (one) => `${text(one.address)}/${Number(one.prefix)}`,
  );
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** Whether two settings of a port do the same. */
export function isSame(a: PortConfig | null, b: PortConfig | null): boolean {
  return Bun.deepEquals(a, b, true);
}
