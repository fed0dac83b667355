/** Addresses of this machine. */
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopback } from './outgoing-address.ts';

export interface OwnAddress {
  /** Name of the network interface. */
  readonly link: string;
  readonly address: string;
}

export function ownAddresses(): OwnAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([link, list]) =>
    (list ?? []).map(({ address }) => ({ link, address })),
  );
}

/** Whether it is a link-local IPv6 address: these need a zone, which browsers do not accept. */
export function isLinkLocal(address: string): boolean {
  return address.includes('%') || /^fe[89ab][0-9a-f]:/i.test(address);
}

/** A machine has such an IPv4 address on a network without a DHCP server, for example on a cable to one encoder. */
const isSelfAssigned = (address: string) => address.startsWith('169.254.');

/** Networks that containers and virtual machines have within this machine. */
const inner = /^(br-|cali|cni|docker|flannel|lxcbr|lxdbr|podman|tap|veth|virbr|vnet)/;
/** A machine with containers may have hundreds of addresses. */
const maxShown = 16;

/**
 * The names and addresses by which other machines reach a hub that listens on `bind`: first its public names, then
 * IPv4, then IPv6 addresses. Empty if only this machine reaches it.
 */
export function reachableAddresses(
  bind: string,
  hosts: readonly string[],
  machine: () => readonly OwnAddress[] = ownAddresses,
): string[] {
  const isAny = bind === '0.0.0.0' || bind === '::';
  const own = isAny ? machine().filter(({ link }) => !inner.test(link)) : [{ link: '', address: bind }];
  const outer = own.map(({ address }) => address).filter((address) => !isLoopback(address) && !isLinkLocal(address));
  const v4 = outer.filter((address) => !isIPv6(address) && !isSelfAssigned(address));
  const v6 = bind === '0.0.0.0' ? [] : outer.filter(isIPv6);
  return [...new Set([...hosts, ...v4, ...v6, ...outer.filter(isSelfAssigned)])].slice(0, maxShown);
}
