/** The private IPv6 networks of the hub. They are too large to be tried: devices in them are found by announcements. */
import { BlockList, isIPv6 } from 'node:net';
import { isLocalAddress } from '../../lib/local-network.ts';
import type { Interfaces, SearchNetwork } from './networks.ts';

/** Returns one for each link with a private network, with the link-local address from which the hub asks. */
export function searchNetworks6(interfaces: Interfaces): SearchNetwork[] {
  return Object.entries(interfaces()).flatMap(([name, infos = []]) => {
    const local = infos.filter(
      ({ family, internal, address }) => family === 'IPv6' && !internal && isLocalAddress(address),
    );
    const own = local.find(({ address }) => isLinkLocal(address));
    const cidrs = local.flatMap(({ address, cidr }) => (isLinkLocal(address) || cidr === null ? [] : [cidr]));
    if (own === undefined || cidrs.length === 0) return [];
    const ownAddresses = new Set(local.map(({ address }) => address));
    const networks = new BlockList();
    for (const cidr of cidrs) {
      const [network = '', bits = ''] = cidr.split('/');
      networks.addSubnet(network, Number(bits), 'ipv6');
    }
    return [
      {
        own: `${own.address}%${name}`,
        subnet: `IPv6 (${name})`,
        contains(address: string) {
          const [plain = '', zone] = address.split('%');
          if (!isIPv6(plain) || ownAddresses.has(plain)) return false;
          return isLinkLocal(plain) ? zone === name : networks.check(plain, 'ipv6');
        },
        *hosts() {},
      },
    ];
  });
}

/** Only with the name of an interface does such an address lead anywhere, and no URL can have that. */
export const isLinkLocal = (address: string): boolean => /^fe[89ab]/i.test(address);
