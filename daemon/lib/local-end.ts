/** The local address of a TCP connection, from the kernel's table: Bun reports only the address of the peer. */
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { plainAddress } from './local-network.ts';

export interface ConnectionEnds {
  /** IP address of the peer. */
  readonly peer: string;
  readonly peerPort: number;
  readonly localPort: number;
}

type ReadTable = (name: 'tcp' | 'tcp6') => Promise<string>;

const readTable: ReadTable = (name) => readFile(`/proc/self/net/${name}`, 'latin1');

/**
 * Resolves to the IP address of this machine at which the connection arrived; undefined if the table has no such open
 * connection, or several: a peer may connect to two addresses from the same port.
 */
export async function localEnd(ends: ConnectionEnds, read: ReadTable = readTable): Promise<string | undefined> {
  const port = (value: number) => value.toString(16).toUpperCase().padStart(4, '0');
  const established = '01';
  const row = `^ *\\d+: (\\w+):${port(ends.localPort)} (\\w+):${port(ends.peerPort)} ${established} `;
  // A kernel without IPv6 lacks the second table.
  const tables = await Promise.all([read('tcp'), read('tcp6').catch(() => '')]);
  const peer = plainHost(ends.peer);
  const found = tables
    .flatMap((table) => [...table.matchAll(new RegExp(row, 'gm'))])
    .filter(([, , remote = '']) => addressOf(remote) === peer)
    .map(([, local = '']) => addressOf(local));
  return found.length === 1 ? found[0] : undefined;
}

/** The kernel prints an address as words of 32 bits in the byte order of the machine. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = Buffer.concat(
    words.map((word) => (endianness() === 'LE' ? Buffer.from(word, 'hex').reverse() : Buffer.from(word, 'hex'))),
  );
  const isMapped = bytes.toString('hex', 0, 12) === '00000000000000000000ffff';
  if (isMapped || bytes.length === 4) return bytes.subarray(-4).join('.');
  return plainHost(bytes.toString('hex').match(/.{4}/g)?.join(':') ?? '');
}

/** Returns an IP address, given with or without brackets, in the shortest notation and without brackets. */
export function plainHost(address: string): string {
  const plain = withoutBrackets(plainAddress(address));
  return withoutBrackets(URL.parse(`http://${plain.includes(':') ? `[${plain}]` : plain}`)?.hostname ?? plain);
}

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');
