/** Settings of a port as a connection profile of NetworkManager, and back. */
import { ipv4Number, ipv4Text, netOf } from '../../contract/ipv4.ts';
import type { EthernetPort } from '../../contract/network-fields.ts';
import { timing } from '../../timing.ts';
import { plain, type ValueOf, valueAs, variant } from '../dbus/wire.ts';
import type { PortConfig, Target } from './port.ts';

/** A profile: sections of properties. */
export type Profile = ValueOf<'a{sa{sv}}'>;

/** The profiles of the hub are addressed by these alone: a name may be read as an option, or belong to several. */
export const profileIds: Readonly<Record<EthernetPort, string>> = {
  eth1: '5161b0c5-6e65-5477-8b72-6b0000000001',
  eth2: '5161b0c5-6e65-5477-8b72-6b0000000002',
};

/** Of the default routes, the one of ETH1 is preferred. */
const routeMetrics: Readonly<Record<EthernetPort, number>> = { eth1: 100, eth2: 200 };
/** Of the routes for what is sent from a fixed address, and priority of the rule that leads there: before the main ones. */
const ownTables: Readonly<Record<EthernetPort, number>> = { eth1: 1001, eth2: 1002 };
const familyIpv4 = 2;
/** The hub's profiles are preferred to others for the same interface. */
const priority = 100;

/** `hardware`: as in NetDevice. The profile follows the interface when the kernel names it differently. */
export function profileOf(port: EthernetPort, hardware: string, { fixed, dns }: PortConfig): Profile {
  const [, kind, value = ''] = /^(path|mac):(.*)$/.exec(hardware) ?? [];
  const metric = variant('x', routeMetrics[port]);
  return {
    connection: {
      id: variant('s', port.toUpperCase()),
      uuid: variant('s', profileIds[port]),
      type: variant('s', '802-3-ethernet'),
      autoconnect: variant('b', true),
      'autoconnect-priority': variant('i', priority),
    },
    ...(kind === 'path' && { match: { path: variant('as', [value]) } }),
    '802-3-ethernet': kind === 'mac' ? { 'mac-address': variant('ay', macBytes(value)) } : {},
    ipv4: {
      method: variant('s', fixed === null ? 'auto' : 'manual'),
      ...(fixed !== null && {
        'address-data': variant('aa{sv}', [
          { address: variant('s', fixed.address), prefix: variant('u', fixed.prefix) },
        ]),
        ...(fixed.gateway !== '' && { gateway: variant('s', fixed.gateway) }),
        ...tableOf(ownTables[port], fixed),
      }),
      dns: variant('au', dns.map(dnsNumber)),
      'ignore-auto-dns': variant('b', dns.length > 0),
      'route-metric': metric,
      // A port without an IPv4 address counts as failed, also if it has one of IPv6.
      'may-fail': variant('b', false),
      'dhcp-timeout': variant('i', Math.ceil(timing.network.dhcpMs / 1000)),
      'dad-timeout': variant('i', timing.network.duplicateMs),
    },
    ipv6: { method: variant('s', 'auto'), 'may-fail': variant('b', true), 'route-metric': metric },
  };
}

/**
 * What is sent from an address leaves by its port, whatever routes the DHCP server of another network sends: the console
 * stays reachable there. `number`: of the routing table.
 */
export function tableOf(number: number, { address, prefix, gateway }: NonNullable<PortConfig['fixed']>) {
  const table = variant('u', number);
  const net = ipv4Text(netOf(ipv4Number(address) ?? 0, prefix).first);
  const rule = {
    ...{ family: variant('i', familyIpv4), priority: variant('u', number), table },
    ...{ from: variant('s', address), 'from-len': variant('y', 32) },
  };
  const routes: Entries = [
    { dest: variant('s', net), prefix: variant('u', prefix), table },
    ...(gateway === ''
      ? []
      : [{ dest: variant('s', '0.0.0.0'), prefix: variant('u', 0), 'next-hop': variant('s', gateway), table }]),
  ];
  return {
    'routing-rules': variant('aa{sv}', [rule]),
    'route-data': variant('aa{sv}', routes),
  };
}

export function routeData({ destination, gateway }: Target): Entries[number] {
  const [dest = '', prefix] = destination.split('/');
  return { dest: variant('s', dest), prefix: variant('u', Number(prefix)), 'next-hop': variant('s', gateway) };
}

/** Entries of a profile, such as routes and rules. */
export type Entries = ValueOf<'aa{sv}'>;

/** The static routes of a profile; those of a table of its own belong to its address. */
export function staticRoutes(profile: Profile | null): Entries {
  return entriesOf(profile, 'route-data').filter((route) => route.table === undefined);
}

/** Whether both have the same static routes, in any order. */
export function haveSameRoutes(a: Profile, b: Profile): boolean {
  const textOf = ({ dest, prefix, 'next-hop': gateway }: Entries[number]) =>
    [dest, prefix, gateway].map((one) => one?.value).join(' ');
  const [one, other] = [a, b].map((profile) => staticRoutes(profile).map(textOf).toSorted().join());
  return one === other;
}

/** The profile with these static routes. */
export function withRoutes(profile: Profile, routes: Entries): Profile {
  const own = entriesOf(profile, 'route-data').filter((route) => route.table !== undefined);
  const { addresses: _, routes: __, ...ipv4 } = profile.ipv4 ?? {};
  const list = variant('aa{sv}', [...own, ...routes]);
  return { ...profile, ipv4: { ...ipv4, 'route-data': list } };
}

/** Returns the entries in a property of IPv4. Throws DBusError if the property has another type. */
export function entriesOf(profile: Profile | null, name: 'route-data' | 'routing-rules'): Entries {
  const property = profile?.ipv4?.[name];
  return property === undefined ? [] : valueAs('aa{sv}', property.value);
}

/** Returns null for a profile that these settings cannot express, such as one with several addresses. */
export function configOf(profile: Profile): PortConfig | null {
  const {
    method,
    'address-data': addresses,
    gateway,
    dns,
  } = (plain(profile.ipv4) ?? {}) as {
    readonly method?: unknown;
    readonly 'address-data'?: readonly { readonly address: string; readonly prefix: number }[];
    readonly gateway?: string;
    readonly dns?: readonly number[];
  };
  const servers = (dns ?? []).map(dnsText);
  if (method === 'auto') return { fixed: null, dns: servers };
  const [first, ...others] = addresses ?? [];
  if (method !== 'manual' || first === undefined || others.length > 0) return null;
  return { fixed: { address: first.address, prefix: first.prefix, gateway: gateway ?? '' }, dns: servers };
}

/** The bytes of an address in network order, read as a number of this machine's order, which is little-endian. */
function dnsNumber(address: string): number {
  return address.split('.').reduceRight((sum, part) => sum * 256 + Number(part), 0);
}

function dnsText(number: number): string {
  return [0, 8, 16, 24].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

function macBytes(mac: string): number[] {
  return mac.split(':').map((part) => Number.parseInt(part, 16));
}

/** Whether an Ethernet interface may use a profile. */
export function isFor(profile: Profile, { name, mac }: { readonly name: string; readonly mac: string }): boolean {
  const { connection, match, '802-3-ethernet': wired } = profile;
  // The profile for interfaces on USB matches patterns of names.
  if (plain(connection?.type) !== '802-3-ethernet' || match?.['interface-name'] !== undefined) return false;
  const [onlyName, onlyMac] = [plain(connection?.['interface-name']), plain(wired?.['mac-address'])];
  const bound = Array.isArray(onlyMac) ? Buffer.from(onlyMac).toString('hex') : mac.replaceAll(':', '');
  return (onlyName ?? name) === name && bound === mac.replaceAll(':', '');
}
