/** Finds the interface through which the kernel sends packets to an address. */
import { readFile } from 'node:fs/promises';
import { ipv4Number } from '../../contract/ipv4.ts';

/** Flag of a route that is in effect. */
const up = 1;

/** Returns the name of the interface for an IPv4 address; undefined for IPv6, and if there is no route. */
export async function interfaceTo(address: string): Promise<string | undefined> {
  return routedBy(address, await readFile('/proc/net/route', 'utf8'));
}

/** `table`: the file of the kernel, with numbers in the byte order of this machine, which is little-endian. */
export function routedBy(address: string, table: string): string | undefined {
  const to = ipv4Number(address);
  if (to === undefined || to >>> 24 === 127) return undefined;
  let best: { readonly name: string; readonly mask: number; readonly metric: number } | undefined;
  for (const line of table.trim().split('\n').slice(1)) {
    const [name = '', destination = '', , flags = '', , , metricText = '', maskText = ''] = line.split(/\s+/);
    const [net, mask, metric] = [numberOf(destination), numberOf(maskText), Number(metricText)];
    if ((Number.parseInt(flags, 16) & up) === 0 || (to & mask) >>> 0 !== net) continue;
    const isBetter = best === undefined || mask > best.mask || (mask === best.mask && metric < best.metric);
    if (isBetter) best = { name, mask, metric };
  }
  return best?.name;
}

function numberOf(hex: string): number {
  return Buffer.from(hex, 'hex').reverse().readUInt32BE();
}
