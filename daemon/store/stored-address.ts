/** How the address of an input or output lies in its row: typed, with what is secret sealed. */
import { type Protocol, protocolBits } from '../contract/streams.ts';
import { secretMembers } from '../lib/kept-secrets.ts';
import type { StreamAddress } from '../lib/stream-address.ts';
import type { Secrets } from './secrets.ts';

export interface StoredAddress {
  readonly protocol: number;
  readonly config: string;
  readonly secret: string | null;
}

/** Members that only exist sealed. */
const sealedMembers = { ...secretMembers, srt: ['passphrase'] } as const;

export function sealAddress(secrets: Secrets, address: StreamAddress): StoredAddress {
  const names: readonly string[] = sealedMembers[address.protocol];
  const members = Object.entries(address);
  const clear = Object.fromEntries(members.filter(([name]) => !names.includes(name)));
  const hidden = members.filter(([name, value]) => names.includes(name) && value !== '');
  const bit: (typeof protocolBits)[Protocol] = protocolBits[address.protocol];
  return {
    protocol: bit,
    config: JSON.stringify(clear),
    secret: hidden.length === 0 ? null : secrets.seal(JSON.stringify(Object.fromEntries(hidden))),
  };
}

/**
 * Secrets that the present key can't open (a database put back without its key file) are blank: the destination then
 * refuses the stream and says so, instead of every list of the hub failing.
 */
export function openAddress(secrets: Secrets, row: StoredAddress): StreamAddress {
  const clear = JSON.parse(row.config) as StreamAddress;
  const blank = Object.fromEntries(sealedMembers[clear.protocol].map((name) => [name, '']));
  return { ...clear, ...blank, ...openMembers(secrets, row.secret) } as StreamAddress;
}

function openMembers(secrets: Secrets, sealed: string | null): Record<string, string> {
  if (sealed === null) return {};
  try {
    return JSON.parse(secrets.open(sealed)) as Record<string, string>;
  } catch {
    return {};
  }
}
