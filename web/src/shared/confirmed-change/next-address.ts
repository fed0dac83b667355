/** How a change of the ports of an appliance affects the address of the console. */
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import type { PortSettings } from '../../../../daemon/contract/network-fields.ts';

/** Returns whether the browser uses this port: whether the console was opened at one of the addresses of the port. */
export function isEntry({ addresses }: NetworkPort, hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return addresses.some((address) => address.split('/')[0] === host);
}

/**
 * Where the console is after a change of a port: `same` unless the browser uses an address that changes; otherwise
 * the new address, or `unknown` if a DHCP server chooses it.
 */
export function nextHost(port: NetworkPort, next: PortSettings, hostname: string): string {
  if (!isEntry(port, hostname)) return 'same';
  if (next.dhcp) return port.settings?.dhcp === true ? 'same' : 'unknown';
  return next.ip === hostname ? 'same' : next.ip;
}
