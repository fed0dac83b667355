/**
 * Keeps the console reachable at addresses that DHCP servers assigned: packets from such an address leave by the port
 * of the address, even if the DHCP server of the other port claims the same network. A profile cannot contain a rule
 * for an address that is not known yet, so the active connection is changed after each lease. For fixed addresses, the
 * profile contains the rule.
 */
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import type { Bus } from '../dbus/bus.ts';
import { plain, valueAs } from '../dbus/wire.ts';
import {
  deviceStates,
  deviceTypes,
  propertiesOf,
  readObjects,
  rootPath,
  service,
  withInterface,
} from '../nm-objects.ts';
import { isUsb } from '../usb/network-manager.ts';
import { type Entries, entriesOf, type Profile, tableOf } from './profile.ts';

/** Routing tables for these addresses: one per interface, in the order of the interface names. */
const firstTable = 1011;
const mostTables = 16;

interface Lease {
  readonly address: string;
  readonly prefix: number;
  readonly gateway: string;
}

/** Guards the addresses until the returned function is called. */
export function guardLeases(bus: Bus, log: Log): () => void {
  let isOver = false;
  let timer: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  let complaint = '';

  const look = async (): Promise<void> => {
    try {
      await guard(bus);
      complaint = '';
    } catch (error) {
      // NetworkManager may be starting, or the connection has just changed: then another signal follows.
      const reason = String(error);
      if (reason !== complaint) log.info('addresses of DHCP servers are not guarded yet', { reason });
      complaint = reason;
    }
  };
  const soon = (): void => {
    clearTimeout(timer);
    if (isOver) return;
    timer = setTimeout(() => {
      work = work.then(look);
    }, timing.network.leaseMs);
    timer.unref();
  };
  const stop = bus.watch({ service, path: rootPath }, (signal) => {
    if (signal === undefined || /\/(?:Devices|IP4Config|ActiveConnection)\//.test(signal.path ?? '')) soon();
  });
  soon();
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop();
  };
}

async function guard(bus: Bus): Promise<void> {
  const objects = await readObjects(bus);
  const ports = withInterface(objects, 'Device')
    .filter(([, device]) => [deviceTypes.ethernet, deviceTypes.veth].some((type) => type === device.DeviceType))
    .filter(([, device]) => device.Managed === true && !isUsb(device))
    .toSorted(([, a], [, b]) => (String(a.Interface) < String(b.Interface) ? -1 : 1));
  for (const [at, [path, device]] of ports.slice(0, mostTables).entries()) {
    if (device.State !== deviceStates.activated) continue;
    const { AddressData, Gateway } = propertiesOf(objects, device.Ip4Config, 'IP4Config');
    const [first] = (AddressData ?? []) as { readonly address?: unknown; readonly prefix?: unknown }[];
    if (first === undefined) continue;
    const lease = { address: String(first.address), prefix: Number(first.prefix), gateway: String(Gateway ?? '') };
    await guardPort(bus, { path, table: firstTable + at, lease });
  }
}

async function guardPort(bus: Bus, port: { path: string; table: number; lease: Lease }): Promise<void> {
  const { path, table, lease } = port;
  const object = { destination: service, path, interface: `${service}.Device` };
  const applied = await bus.call({ ...object, member: 'GetAppliedConnection', signature: 'u', body: [0] });
  const [profile, version] = [valueAs('a{sa{sv}}', applied[0]), valueAs('t', applied[1])];
  if (plain(profile.ipv4?.method) !== 'auto') return;
  const next = withTable(profile, table, lease);
  if (keyOf(next) === keyOf(profile)) return;
  const body = [next, version, 0];
  await bus.call({ ...object, member: 'Reapply', signature: 'a{sa{sv}}tu', body });
}

/** Returns the profile with the table of this address, and without the tables of earlier addresses of the port. */
function withTable(profile: Profile, table: number, lease: Lease): Profile {
  const { addresses: _, routes: __, ...ipv4 } = profile.ipv4 ?? {};
  const own = tableOf(table, lease);
  const joined = (name: 'routing-rules' | 'route-data') => ({
    ...own[name],
    value: [...entriesOf(profile, name).filter(isOthers), ...valueAs('aa{sv}', own[name].value)],
  });
  return {
    ...profile,
    ipv4: { ...ipv4, 'routing-rules': joined('routing-rules'), 'route-data': joined('route-data') },
  };
}

function isOthers({ table }: Entries[number]): boolean {
  const number = Number(plain(table) ?? 0);
  return number < firstTable || number >= firstTable + mostTables;
}

/** Equal for the same tables. */
function keyOf(profile: Profile): string {
  const shown = (name: 'routing-rules' | 'route-data', ...members: readonly string[]) =>
    entriesOf(profile, name)
      .filter((entry) => !isOthers(entry))
      .map((entry) => members.map((member) => plain(entry[member]) ?? '').join(' '))
      .toSorted();
  const rules = shown('routing-rules', 'from', 'table');
  return JSON.stringify([rules, shown('route-data', 'dest', 'prefix', 'next-hop', 'table')]);
}
