/** The stored form of an input's or output's address: typed, with its secrets sealed. */
import { randomUUID } from 'node:crypto';
import { type Protocol, protocolBits } from '../contract/streams.ts';
import { secretMembers } from '../sources/kept-secrets.ts';
import type { StreamAddress } from '../sources/stream-address.ts';
import type { PulledSource, StreamOfDevice } from '../sources/stream-device.ts';
import type { Secrets } from './secrets.ts';

export interface StoredAddress {
  readonly protocol: number;
  readonly config: string;
  readonly secret: string | null;
}

/** Seals the secret members, and the query of a pulled URL, which often contains a token. */
export function sealAddress(secrets: Pick<Secrets, 'seal'>, address: StreamAddress): StoredAddress {
  const names: readonly string[] = secretMembers[address.protocol];
  const [, url, query = ''] = 'url' in address ? (/^([^?]*)(\?.*)?$/s.exec(address.url) ?? []) : [];
  const members = Object.entries({ ...address, ...(url !== undefined && { url }) });
  const clear = Object.fromEntries(members.filter(([name]) => !names.includes(name)));
  const hidden = members.filter(([name, value]) => names.includes(name) && value !== '');
  if (query !== '') hidden.push(['query', query]);
  const bit: (typeof protocolBits)[Protocol] = protocolBits[address.protocol];
  return {
    protocol: bit,
    config: JSON.stringify(clear),
    secret: hidden.length === 0 ? null : secrets.seal(JSON.stringify(Object.fromEntries(hidden))),
  };
}

/** Members that older hubs stored under other names. */
const renamed: Readonly<Record<string, string>> = { latency: 'latencyMs', overhead: 'overheadPercent' };

/** Reads the members that are stored in the clear. Older hubs also stored `auth`: whether there is a user name. */
export function readMembers<Address>(config: string): Address {
  const { auth: _, ...members } = JSON.parse(config) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [renamed[name] ?? name, value])) as Address;
}

/** Replaces a stream ID that cannot be opened: without one, a listener would accept any caller. */
const nobodyKnows = randomUUID();

/**
 * Secrets that the current key cannot open (a database restored without its key file) are empty: the destination then
 * refuses the stream and reports it, instead of every list of the hub failing.
 */
export function openAddress(secrets: Secrets, row: StoredAddress): StreamAddress {
  const clear = readMembers<StreamAddress>(row.config);
  const blank = Object.fromEntries(secretMembers[clear.protocol].map((name) => [name, '']));
  const { query = '', ...hidden } = openMembers(secrets, row.secret) ?? lostMembers(clear);
  const address = { ...blank, ...clear, ...hidden } as StreamAddress;
  return 'url' in address && query !== '' ? { ...address, url: address.url + query } : address;
}

function lostMembers({ protocol }: StreamAddress): Record<string, string> {
  return protocol === 'srt' ? { streamId: nobodyKnows } : {};
}

/** Returns undefined if they were sealed with another key. */
export function openMembers<Members = Record<string, string>>(
  secrets: Secrets,
  sealed: string | null,
): Partial<Members> | undefined {
  if (sealed === null) return {};
  try {
    return JSON.parse(secrets.open(sealed)) as Members;
  } catch {
    return undefined;
  }
}

/**
 * Returns the row with all secrets sealed and members under their names of today; undefined if nothing changes or the
 * key is another one.
 */
export function resealed(secrets: Secrets, row: StoredAddress): StoredAddress | undefined {
  if (openMembers(secrets, row.secret) === undefined) return undefined;
  const next = sealAddress(secrets, openAddress(secrets, row));
  return next.config === row.config ? undefined : next;
}

/** The address of a webhook, whose path is often its password; '' for none. */
export function sealUrl(secrets: Secrets, url: string): string {
  return url === '' ? '' : secrets.seal(url);
}

/** Older hubs stored it in clear text; one that was sealed with another key is ''. */
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

/** The stream of a device, all of which is sealed. */
export function sealStream(secrets: Pick<Secrets, 'seal'>, stream: StreamOfDevice): string {
  return secrets.seal(JSON.stringify(stream));
}

/** A stream that a device has stated. */
export function sealPulled(secrets: Pick<Secrets, 'seal'>, source: PulledSource): string {
  return secrets.seal(JSON.stringify(source));
}

/** Undefined without one, and if it was sealed with another key. */
export function openPulled(secrets: Pick<Secrets, 'open'>, sealed: string | null): PulledSource | undefined {
  return openSealed<PulledSource>(secrets, sealed);
}

/** Undefined for a device that is not a stream, and if it was sealed with another key. */
export function openStream(secrets: Pick<Secrets, 'open'>, sealed: string | null): StreamOfDevice | undefined {
  return openSealed<StreamOfDevice>(secrets, sealed);
}

function openSealed<T>(secrets: Pick<Secrets, 'open'>, sealed: string | null): T | undefined {
  if (sealed === null) return undefined;
  try {
    return JSON.parse(secrets.open(sealed)) as T;
  } catch {
    return undefined;
  }
}
