/** Which interface is which port, and the settings of a port as the API has them. */

import type { NetDevice, PortConfig } from '../../appliance/net/port.ts';
import { ipv4Number, maskOf, netOf, prefixOf } from '../../contract/ipv4.ts';
import { type EthernetPort, ethernetPorts, type PortSettings } from '../../contract/network-fields.ts';
import type { PortHardware } from './store.ts';

/**
 * Returns the interface of each port that has one: the stored one and, for ports without, the first that is left. A port
 * whose interface was replaced gets the new one in the same way.
 */
export function assign(devices: readonly NetDevice[], stored: PortHardware): Partial<Record<EthernetPort, NetDevice>> {
  const found: Partial<Record<EthernetPort, NetDevice>> = {};
  for (const port of ethernetPorts) {
    const device = devices.find(({ hardware }) => hardware === stored[port]);
    if (device) found[port] = device;
  }
  const left = devices.filter((device) => !Object.values(found).includes(device));
  for (const port of ethernetPorts) {
    const device = found[port] ?? left.shift();
    if (device) found[port] = device;
  }
  return found;
}

export function settingsOf({ fixed, dns: [primary = '', secondary = ''] }: PortConfig): PortSettings {
  return {
    dhcp: fixed === null,
    ip: fixed?.address ?? '',
    mask: fixed === null ? '' : maskOf(fixed.prefix),
    gateway: fixed?.gateway ?? '',
    'primary-dns': primary,
    'secondary-dns': secondary,
  };
}

export function configOf(settings: PortSettings): PortConfig {
  const { dhcp, ip, mask, gateway } = settings;
  const fixed = dhcp ? null : { address: ip, prefix: prefixOf(mask) ?? 0, gateway };
  return { fixed, dns: [settings['primary-dns'], settings['secondary-dns']].filter((one) => one !== '') };
}

/** The IPv4 networks that a port has or will have. */
export function networksOf(config: PortConfig | null, device: NetDevice | undefined) {
  // Of a port that changes to DHCP, the addresses that it has now say nothing.
  const leased = device?.config?.fixed === null ? device.addresses : [];
  const own = config?.fixed ? [`${config.fixed.address}/${config.fixed.prefix}`] : leased;
  return own.flatMap((text) => {
    const [address = '', prefix] = text.split('/');
    const number = ipv4Number(address);
    return number === undefined ? [] : [netOf(number, Number(prefix))];
  });
}
