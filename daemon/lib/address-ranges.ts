/** Sets of IP addresses, given as single addresses and as CIDR ranges. */
import { BlockList, isIP } from 'node:net';

export interface AddressRanges {
  /** False for text that is not an IP address. */
  includes(ip: string): boolean;
}

interface Range {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefixBits: number;
}

/** Whether this is an IP address or a CIDR range such as 10.0.0.0/8. A range of all addresses is refused. */
export function isAddressRange(text: string): boolean {
  return readRange(text) !== undefined;
}

/** Throws an Error if one of the texts is not an address range. */
export function addressRanges(texts: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const text of texts) {
    const range = readRange(text);
    if (range === undefined) throw new Error(`${text} is not an address range`);
    list.addSubnet(range.address, range.prefixBits, range.family);
  }
  return {
    includes(ip) {
      const [address = ''] = ip.split('%');
      const version = isIP(address);
      return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
    },
  };
}

function readRange(text: string): Range | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return undefined;
  const longest = version === 6 ? 128 : 32;
  const prefixBits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  if (prefixBits < 1 || prefixBits > longest) return undefined;
  return { address, family: version === 6 ? 'ipv6' : 'ipv4', prefixBits };
}
