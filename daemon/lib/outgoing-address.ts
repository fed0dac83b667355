/** Classifies the IP addresses that the hub connects to. Pure. */
import { BlockList, isIP } from 'node:net';

/**
 * `private`: loopback and private networks. `forbidden`: not used by stream or webhook servers, but by the metadata
 * services of clouds, which hand out credentials.
 */
export type AddressKind = 'public' | 'private' | 'multicast' | 'forbidden';

const networks: readonly (readonly [kind: AddressKind, network: string, bits: number])[] = [
  // Metadata services of clouds outside the link-local network: Alibaba, Azure, Amazon, Google.
  ['forbidden', '100.100.100.200', 32],
  ['forbidden', '168.63.129.16', 32],
  ['forbidden', 'fd00:ec2::254', 128],
  ['forbidden', 'fd20:ce::254', 128],
  // Unspecified: the system connects to loopback.
  ['forbidden', '0.0.0.0', 8],
  ['forbidden', '::', 128],
  // Link-local.
  ['forbidden', '169.254.0.0', 16],
  ['forbidden', 'fe80::', 10],
  // Reserved, and broadcast.
  ['forbidden', '240.0.0.0', 4],
  ['multicast', '224.0.0.0', 4],
  ['multicast', 'ff00::', 8],
  ['private', '10.0.0.0', 8],
  ['private', '100.64.0.0', 10],
  ['private', '127.0.0.0', 8],
  ['private', '172.16.0.0', 12],
  ['private', '192.168.0.0', 16],
  ['private', '::1', 128],
  ['private', 'fc00::', 7],
  ['private', 'fec0::', 10],
  // Local NAT64 and 6to4: contain an IPv4 address of any kind.
  ['private', '64:ff9b:1::', 48],
  ['private', '2002::', 16],
];

/** In the order in which they are checked. */
const kinds = (['forbidden', 'multicast', 'private'] as const).map((kind) => [kind, blockListOf(kind)] as const);
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Classifies an IPv4 or IPv6 address; anything else is forbidden. */
export function kindOf(address: string): AddressKind {
  const bare = bareAddress(address);
  if (isIP(bare) === 0) return 'forbidden';
  return kinds.find(([, list]) => list.check(bare, familyOf(bare)))?.[0] ?? 'public';
}

export function isLoopback(address: string): boolean {
  const bare = bareAddress(address);
  return isIP(bare) !== 0 && loopback.check(bare, familyOf(bare));
}

/**
 * Removes the zone. For an IPv6 address that represents an IPv4 address (mapped, compatible, translated, NAT64),
 * returns the IPv4 address, which is where the packets arrive.
 */
export function bareAddress(address: string): string {
  const [bare = ''] = address.split('%');
  if (isIP(bare) !== 6) return bare;
  const normal = new URL(`http://[${bare}]`).hostname;
  const [, high, low] = /^\[(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(normal) ?? [];
  if (high === undefined || low === undefined) return normal.slice(1, -1);
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((word) => [word >> 8, word & 0xff]).join('.');
}

function blockListOf(wanted: AddressKind): BlockList {
  const list = new BlockList();
  for (const [kind, network, bits] of networks) if (kind === wanted) list.addSubnet(network, bits, familyOf(network));
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
