/** Which interface is which port, and the settings of a port as the API has them. */
import { MissingPart } from '../../appliance/missing-part.ts';
import type { NetDevice, NetState, PortChange, PortConfig } from '../../appliance/net/port.ts';
import { ipv4Number, maskOf, netOf, overlap, prefixOf } from '../../contract/ipv4.ts';
import { type EthernetPort, ethernetPorts, type PortSettings } from '../../contract/network-fields.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { PortHardware } from './store.ts';

export type AskedPorts = Readonly<Partial<Record<EthernetPort, PortSettings | undefined>>>;

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

/** The settings of each port; null if the settings of the hub cannot express the profile. */
export function configsOf(state: NetState, hardware: PortHardware): Record<EthernetPort, PortConfig | null> {
  const found = assign(state.devices, hardware);
  const configOfPort = (port: EthernetPort) => state.configs[port] ?? found[port]?.config ?? null;
  return { eth1: configOfPort('eth1'), eth2: configOfPort('eth2') };
}

/** Returns the requested change. Throws if it would not work. */
export function portChanges(state: NetState, hardware: PortHardware, asked: AskedPorts): PortChange[] {
  const found = assign(state.devices, hardware);
  const changes = ethernetPorts.flatMap((port): PortChange[] => {
    const settings = asked[port];
    if (settings === undefined) return [];
    const device = found[port];
    if (device === undefined) throw absentPort(port);
    if (device.state === 'unmanaged') {
      throw new MissingPart('networkManager', 'refused', `another program manages ${device.name}`);
    }
    return [{ port, hardware: device.hardware, config: configOf(settings) }];
  });
  const before = configsOf(state, hardware);
  const configAfter = (port: EthernetPort) => changes.find((one) => one.port === port)?.config ?? before[port];
  const [one, other] = ethernetPorts.map((port) => networksOf(configAfter(port), found[port]));
  if (one?.some((net) => other?.some((second) => overlap(net, second)))) {
    const port = asked.eth1?.dhcp === false ? 'eth1' : 'eth2';
    throw fieldError(`${port}.ip`, 'sameNetwork', 'ETH1 and ETH2 must be in different networks');
  }
  return changes;
}

export function absentPort(port: EthernetPort): HubError {
  const message = `this machine has no ${port.toUpperCase()}`;
  return new HubError('notExist', message, {
    params: { what: port },
    fields: [{ path: port, rule: 'noPort', message }],
  });
}
