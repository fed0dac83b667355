/** Arithmetic on IPv4 addresses. Free of zod: forms of the console use it as well. */

/** Returns the address as a number; undefined if it is not one. */
export function ipv4Number(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

export function ipv4Text(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

/** Returns the length of the prefix; undefined if one bits do not precede all zero bits. */
export function prefixOf(mask: string): number | undefined {
  const bits = ipv4Number(mask);
  if (bits === undefined || bits === 0) return undefined;
  const zeros = Math.log2(2 ** 32 - bits);
  return Number.isInteger(zeros) ? 32 - zeros : undefined;
}

export function maskOf(prefix: number): string {
  return ipv4Text(2 ** 32 - 2 ** (32 - prefix));
}

export interface Ipv4Net {
  readonly first: number;
  readonly last: number;
}

export function netOf(address: number, prefix: number): Ipv4Net {
  const size = 2 ** (32 - prefix);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

export function overlap(a: Ipv4Net, b: Ipv4Net): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/** Whether a host may have the address at all: not of 0.0.0.0/8 or loopback, not multicast, not reserved (class E). */
export function isHostAddress(address: number): boolean {
  const first = Math.floor(address / 2 ** 24);
  return first !== 0 && first !== 127 && first < 224;
}

/** Whether the address is one of the hosts of its net. A net of two addresses (/31) has no others. */
export function isHostIn(address: number, prefix: number): boolean {
  const { first, last } = netOf(address, prefix);
  return prefix >= 31 || (address !== first && address !== last);
}
