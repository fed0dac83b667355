/** The networks of the hub in which devices are looked for; IPv4 here, IPv6 in `networks6.ts`. */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { fieldError } from '../../lib/hub-error.ts';
import { isLocalAddress } from '../../lib/local-network.ts';
import { searchNetworks6 } from './networks6.ts';

export interface SearchNetwork {
  /** Address of the hub in it; of IPv6 the link-local one, with its interface. */
  readonly own: string;
  /**
   * Of at most 1024 addresses, such as `192.168.1.0/24`: the part around the hub's own one, or the one asked for. Of IPv6:
   * the interface, such as `IPv6 (eth0)`.
   */
  readonly subnet: string;
  /** Whether an address is in the whole network of the interface. */
  contains(address: string): boolean;
  /** All addresses of `subnet` that may be a device's; none of IPv6. */
  hosts(): Generator<string>;
}

/** 1024 addresses. */
export const shortestPrefix = 22;
const withoutEnds = 30;

export type Interfaces = () => Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * Returns the private and link-local networks of the hub; with `subnet`, only that part of one of them. Throws
 * `invalidArgument` for a subnet that is not one, is too large, or is not the hub's own.
 */
export function searchNetworks(subnet?: string, interfaces: Interfaces = networkInterfaces): SearchNetwork[] {
  const own = ownNetworks(interfaces);
  if (subnet === undefined) {
    const ipv4 = own.map(({ address, prefix }) => networkOf(address, prefix, address, searched(prefix)));
    return [...ipv4, ...searchNetworks6(interfaces)];
  }
  if (subnet.includes(':'))
    throw fieldError('subnet', 'subnet6', 'an IPv6 network is too large to scan; search without a subnet');
  const [, text = '', bits = ''] = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(subnet.trim()) ?? [];
  const base = numberOf(text);
  const prefix = Number(bits);
  if (base === undefined || bits === '' || prefix < shortestPrefix || prefix > 32) {
    throw fieldError('subnet', 'subnet', `a subnet has the form 192.168.1.0/24, with /${shortestPrefix} to /32`);
  }
  const around = own.find((one) => one.prefix <= prefix && isWithin(base, one.address, one.prefix));
  if (around === undefined) {
    const list = own.map(({ address, prefix: length }) => `${textOf(startOf(address, length))}/${length}`).join(', ');
    throw fieldError('subnet', 'ownSubnet', `not a private network of the hub, which has ${list || 'none'}`);
  }
  return [networkOf(around.address, around.prefix, base, prefix)];
}

const searched = (prefix: number) => Math.max(prefix, shortestPrefix);

interface OwnNetwork {
  readonly address: number;
  readonly prefix: number;
}

/** One for each interface and network. */
function ownNetworks(interfaces: Interfaces): OwnNetwork[] {
  const found = new Map<string, OwnNetwork>();
  for (const infos of Object.values(interfaces())) {
    for (const { family, internal, address: text, cidr } of infos ?? []) {
      const [address, prefix] = [numberOf(text), Number(cidr?.split('/')[1])];
      if (family !== 'IPv4' || internal || address === undefined || !(prefix < 32) || !isLocalAddress(text)) continue;
      found.set(`${startOf(address, prefix)}/${prefix}`, { address, prefix });
    }
  }
  return [...found.values()];
}

function networkOf(own: number, ownPrefix: number, base: number, prefix: number): SearchNetwork {
  const first = startOf(base, prefix);
  const last = first + 2 ** (32 - prefix) - 1;
  const network = startOf(own, ownPrefix);
  const broadcast = network + 2 ** (32 - ownPrefix) - 1;
  const isEnd = (number: number) => ownPrefix <= withoutEnds && (number === network || number === broadcast);
  return {
    own: textOf(own),
    subnet: `${textOf(first)}/${prefix}`,
    contains(address) {
      const number = numberOf(address);
      return number !== undefined && isWithin(number, own, ownPrefix) && !isEnd(number);
    },
    *hosts() {
      for (let number = first; number <= last; number++) if (number !== own && !isEnd(number)) yield textOf(number);
    },
  };
}

const startOf = (address: number, prefix: number): number => {
  const size = 2 ** (32 - prefix);
  return Math.floor(address / size) * size;
};

const isWithin = (address: number, other: number, prefix: number) =>
  startOf(address, prefix) === startOf(other, prefix);

function numberOf(text: string): number | undefined {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || !parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255))
    return undefined;
  return parts.reduce((number, part) => number * 256 + part, 0);
}

const textOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
