/** How the address of an input or output lies in its row: typed, with what is secret sealed. */
import { randomUUID } from 'node:crypto';
import { type Protocol, protocolBits } from '../contract/streams.ts';
import { secretMembers } from '../lib/kept-secrets.ts';
import type { StreamAddress } from '../lib/stream-address.ts';
import type { Secrets } from './secrets.ts';

export interface StoredAddress {
  readonly protocol: number;
  readonly config: string;
  readonly secret: string | null;
}

/** Members that only exist sealed, and the query of a URL that is pulled, which often holds a token. */
export function sealAddress(secrets: Secrets, address: StreamAddress): StoredAddress {
  const names: readonly string[] = secretMembers[address.protocol];
  const members = Object.entries(withoutQuery(address));
  const clear = Object.fromEntries(members.filter(([name]) => !names.includes(name)));
  const hidden = members.filter(([name, value]) => names.includes(name) && value !== '');
  const query = queryOf(address);
  if (query !== '') hidden.push(['query', query]);
  const bit: (typeof protocolBits)[Protocol] = protocolBits[address.protocol];
  return {
    protocol: bit,
    config: JSON.stringify(clear),
    secret: hidden.length === 0 ? null : secrets.seal(JSON.stringify(Object.fromEntries(hidden))),
  };
}

function queryOf(address: StreamAddress): string {
  return 'url' in address ? (/\?.*$/s.exec(address.url)?.[0] ?? '') : '';
}

function withoutQuery(address: StreamAddress): StreamAddress {
  return 'url' in address ? { ...address, url: address.url.replace(/\?.*$/s, '') } : address;
}

/** In place of a stream id that can't be opened: without one, a listener would let in anybody. */
const nobodyKnows = randomUUID();

/**
 * Secrets that the present key can't open (a database put back without its key file) are blank: the destination then
 * refuses the stream and says so, instead of every list of the hub failing.
 */
export function openAddress(secrets: Secrets, row: StoredAddress): StreamAddress {
  const clear = JSON.parse(row.config) as StreamAddress;
  const blank = Object.fromEntries(secretMembers[clear.protocol].map((name) => [name, '']));
  const { query = '', ...hidden } = openMembers(secrets, row.secret) ?? lostMembers(clear);
  const address = { ...blank, ...clear, ...hidden } as StreamAddress;
  return 'url' in address && query !== '' ? { ...address, url: address.url + query } : address;
}

function lostMembers({ protocol }: StreamAddress): Record<string, string> {
  return protocol === 'srt' ? { streamId: nobodyKnows } : {};
}

/** Undefined when they were sealed with another key. */
function openMembers(secrets: Secrets, sealed: string | null): Record<string, string> | undefined {
  if (sealed === null) return {};
  try {
    return JSON.parse(secrets.open(sealed)) as Record<string, string>;
  } catch {
    return undefined;
  }
}

/** The row with everything sealed that is, or undefined when nothing is to be done or the key is another one. */
export function resealed(secrets: Secrets, row: StoredAddress): StoredAddress | undefined {
  if (openMembers(secrets, row.secret) === undefined) return undefined;
  const next = sealAddress(secrets, openAddress(secrets, row));
  return next.config === row.config ? undefined : next;
}

/** The address of a webhook, whose path often is its password; '' for none. */
export function sealUrl(secrets: Secrets, url: string): string {
  return url === '' ? '' : secrets.seal(url);
}

/** Those that older hubs stored are in the clear; one that was sealed with another key is ''. */
export function openUrl(secrets: Secrets, stored: string): string {
  if (stored === '' || isClearUrl(stored)) return stored;
  try {
    return secrets.open(stored);
  } catch {
    return '';
  }
}

export function isClearUrl(stored: string): boolean {
  return /^https?:/i.test(stored);
}
