/** Groups addresses into networks: which ones are local, and which ones belong to one subscriber. */
import { BlockList, isIPv6 } from 'node:net';

const local = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  local.addSubnet(net, bits, 'ipv4');
}
local.addAddress('::1', 'ipv6');
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');

/** In a private network, or of this machine: packets from the Internet cannot have such a source address. */
export function isLocalAddress(ip: string): boolean {
  const [address = ''] = ip.split('%');
  return local.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** An IPv6 subscriber owns a whole /64. On the local network all hosts share one /64, so each address is separate. */
export function networkOf(ip: string): string {
  if (!ip.includes(':') || isLocalAddress(ip)) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const first = head.split(':').filter(Boolean);
  const last = tail.split(':').filter(Boolean);
  const middle = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...middle, ...last].slice(0, 4).join(':');
}

/** A dual-stack socket shows IPv4 addresses mapped into IPv6. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/** Returns the address of a peer that is written with or without its port. */
export function hostOf(peer: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(peer) ?? [];
  return v6 ?? v4 ?? peer;
}
