/** What the form of a route checks, too. */
import * as z from 'zod/mini';
import { type Ipv4Net, ipv4Number, netOf, overlap } from './ipv4.ts';
import { inWords, isIpv4 } from './rules.ts';

export interface Destination extends Ipv4Net {
  readonly prefix: number;
  /** Whether the text named an address in the network instead of the network. */
  readonly hasHostBits: boolean;
}

const hostPrefix = 32;

/** Reads `10.20.0.0/16`; an address without a prefix is that of one host. Returns undefined for anything else. */
export function readDestination(text: string): Destination | undefined {
  const [, host = '', bits = String(hostPrefix)] = /^([\d.]+)(?:\/(0|[1-9]\d?))?$/.exec(text) ?? [];
  const [address, prefix] = [ipv4Number(host), Number(bits)];
  if (address === undefined || prefix > hostPrefix) return undefined;
  const net = netOf(address, prefix);
  return { ...net, prefix, hasHostBits: net.first !== address };
}

/** Networks that no route leads to: this host, loopback, addresses without a DHCP server, multicast and reserved ones. */
const reserved = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].map(readDestination);
const destinationRules = ['destination', 'defaultRoute', 'hostBits', 'reservedNet'] as const;

/** The rule that the destination of a route breaks; undefined if it breaks none. */
export function destinationFault(text: string): (typeof destinationRules)[number] | undefined {
  const net = readDestination(text);
  if (net === undefined) return 'destination';
  if (net.prefix === 0) return 'defaultRoute';
  if (net.hasHostBits) return 'hostBits';
  return reserved.some((one) => one !== undefined && overlap(one, net)) ? 'reservedNet' : undefined;
}

export const RouteFields = {
  /** A network such as 10.20.0.0/16, or the address of one host. */
  destination: z
    .string()
    .check(
      z.minLength(1, 'required'),
      ...destinationRules.map((rule) =>
        z.refine<string>((text) => text === '' || destinationFault(text) !== rule, rule),
      ),
      inWords(
        'An IPv4 network in CIDR notation, or an IPv4 address. Not the default route, and nothing in 0.0.0.0/8, 127.0.0.0/8, 169.254.0.0/16 or 224.0.0.0/3.',
      ),
    ),
  /** The router that leads to it, in the network of the interface. */
  gateway: z.string().check(
    z.minLength(1, 'required'),
    z.refine((text) => text === '' || isIpv4(text), 'ipv4'),
    inWords('An IPv4 address.'),
  ),
  /** One of `interfaces` of `route/list`. */
  interface: z.string().check(z.minLength(1, 'required'), z.maxLength(15, 'tooLong')),
};
