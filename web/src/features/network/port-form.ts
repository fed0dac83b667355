/** The form of an Ethernet port: its values, its checks, and what a change does to the address of the console. */
import { maskOf, prefixOf } from '../../../../daemon/contract/ipv4.ts';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import { PortSettings, shareNetwork } from '../../../../daemon/contract/network-fields.ts';
import { isIpv4 } from '../../../../daemon/contract/rules.ts';
import { type FieldFaults, faultsOf } from '../../ui/form/schema-form.ts';

export type PortValues = PortSettings;

const empty: PortValues = { dhcp: true, ip: '', mask: '', gateway: '', 'primary-dns': '', 'secondary-dns': '' };

export function portValues(port: NetworkPort | undefined): PortValues {
  return { ...empty, ...port?.settings };
}

/** What is sent: without what DHCP decides. */
export function toSettings(values: PortValues): PortSettings {
  const trimmed = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  ) as PortValues;
  return trimmed.dhcp ? { ...trimmed, ip: '', mask: '', gateway: '' } : trimmed;
}

/** `others`: the settings of the other ports. */
export function checkPort(values: PortValues, others: readonly PortSettings[]): FieldFaults {
  const settings = toSettings(values);
  const faults = faultsOf(PortSettings, settings);
  if (Object.keys(faults).length === 0 && others.some((other) => shareNetwork(settings, other)))
    faults.ip = 'sameNetwork';
  return faults;
}

/** The values of a fixed address, as they are now, for a port that gets them by DHCP. */
export function fixedNow({ addresses, gateway, dns }: NetworkPort): Partial<PortValues> {
  const [ip = '', prefix] = addresses.find((address) => isIpv4(address.split('/')[0] ?? ''))?.split('/') ?? [];
  if (ip === '') return {};
  const [primary = '', secondary = ''] = dns.filter(isIpv4);
  return { dhcp: false, ip, mask: maskOf(Number(prefix)), gateway, 'primary-dns': primary, 'secondary-dns': secondary };
}

/** `192.0.2.10/24`. */
export function addressText({ ip, mask }: PortSettings): string {
  return `${ip}/${prefixOf(mask) ?? mask}`;
}
