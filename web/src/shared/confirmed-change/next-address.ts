/** What a change of the ports of an appliance does to the address of the console. */
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import type { PortSettings } from '../../../../daemon/contract/network-fields.ts';

/** Whether the browser came in by this port: the console was opened at one of its addresses. */
export function isEntry({ addresses }: NetworkPort, hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return addresses.some((address) => address.split('/')[0] === host);
}

/**
 * Where the console is after a change of a port: `same` unless the browser came in by an address that changes; otherwise
 * the new address, or `unknown` if a DHCP server chooses it.
 */
export function nextHost(port: NetworkPort, next: PortSettings, hostname: string): string {
  if (!isEntry(port, hostname)) return 'same';
  if (next.dhcp) return port.settings?.dhcp === true ? 'same' : 'unknown';
  return next.ip === hostname ? 'same' : next.ip;
}
