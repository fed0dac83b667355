/** MAC addresses of the machines that the hub has just talked to, and what they say about the maker. */
import { readFileSync } from 'node:fs';

const table = '/proc/net/arp';
const maxBytes = 1 << 20;

/** Blocks of MAC addresses, as the digits that they begin with. */
const makers: Readonly<Record<string, string>> = {
  d0c8578: 'Magewell',
  '70b3d575d': 'Magewell',
};

/** Returns the MAC address of a neighbor; undefined if the system does not know or show it. */
export function macOf(address: string): string | undefined {
  let lines: string;
  try {
    lines = readFileSync(table, 'utf8').slice(0, maxBytes);
  } catch {
    return undefined;
  }
  for (const line of lines.split('\n')) {
    if (!line.startsWith(`${address} `)) continue;
    const mac = line.trim().split(/\s+/)[3]?.toLowerCase() ?? '';
    return /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) && !/^[0:]+$/.test(mac) ? mac : undefined;
  }
  return undefined;
}

export function makerOf(mac: string | undefined): string | undefined {
  const digits = mac?.replaceAll(':', '').toLowerCase() ?? '';
  const block = Object.keys(makers).find((start) => digits.startsWith(start));
  return block === undefined ? undefined : makers[block];
}
