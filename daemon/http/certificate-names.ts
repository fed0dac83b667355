/** The names and addresses in the self-signed certificate. */
import { isIP, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { isLinkLocal, ownAddresses } from '../lib/own-addresses.ts';

export interface CertificateNames {
  /** Host name of this machine, or a replacement if it is not valid in a certificate. */
  readonly commonName: string;
  /** A certificate that lacks one of these is replaced. */
  readonly required: readonly string[];
  /** Added to a new certificate; an old one without them is not replaced. */
  readonly further: readonly string[];
}

export interface Machine {
  readonly hostname: string;
  readonly addresses: readonly string[];
}

/** `hosts`: the names of SIGNALBOX_HOSTS. */
export function certificateNames(hosts: readonly string[], machine: Machine = thisMachine()): CertificateNames {
  const commonName = plainName(machine.hostname);
  const local = `${commonName.split('.')[0]}.local`;
  const addresses = machine.addresses.filter((address) => !isLinkLocal(address));
  // Systems change their temporary IPv6 addresses daily. Each new certificate would cause a new browser warning.
  const [v6, v4] = [addresses.filter(isIPv6), addresses.filter((address) => !isIPv6(address))];
  const required = new Set([commonName, local, 'localhost', ...hosts, '127.0.0.1', '::1', ...v4.slice(0, maxOfAKind)]);
  const further = new Set(v6.slice(0, maxOfAKind)).difference(required);
  return { commonName, required: [...required], further: [...further] };
}

export function alternativeNames({ required, further }: CertificateNames): string {
  return [...required, ...further].map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`).join(',');
}

/** A machine with containers may have hundreds of addresses. */
const maxOfAKind = 32;

function thisMachine(): Machine {
  return { hostname: hostname(), addresses: ownAddresses().map(({ address }) => address) };
}

/** A common name has at most 64 characters. */
function plainName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '').slice(0, 64) || 'signalbox';
}
