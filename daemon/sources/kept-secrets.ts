/**
 * A stored secret belongs to one server. A change that points to another server and omits the secret is refused:
 * otherwise a user with edit permission could have the hub send the secret to a server of their own.
 */
import { randomUUID } from 'node:crypto';
import { fieldError, type HubError } from '../lib/hub-error.ts';

/** Members that grant access to the remote server. */
export const secretMembers = {
  srt: ['passphrase', 'streamId'],
  rtmp: ['key', 'password'],
  udp: [],
  rtp: [],
  rtsp: ['password'],
  http: ['password'],
  ndi: [],
} as const;

/** Placeholder for a secret that was stored for another server, until `refuseMovedSecrets` finds it. */
const moved = randomUUID();

const defaultPorts: Readonly<Record<string, string>> = {
  'rtmp:': '1935',
  'rtmps:': '443',
  'rtsp:': '554',
  'http:': '80',
  'https:': '443',
};

/** An address of any protocol that may keep secrets. */
interface Address {
  readonly protocol: keyof typeof secretMembers;
  readonly streamId?: string;
}

/** An address, or as much of it as says where it leads. */
type Place =
  | { readonly url: string }
  | { readonly mode: 'caller' | 'listener'; readonly host: string; readonly port: number };

/** Returns scheme, host and port of the server of an address; '' for the hub itself. */
export function serverOf(place: Place): string {
  if ('mode' in place) return place.mode === 'listener' ? '' : `srt://${place.host.toLowerCase()}:${place.port}`;
  const url = URL.parse(place.url);
  if (url === null) return place.url;
  return `${url.protocol}//${url.hostname.toLowerCase()}:${url.port || defaultPorts[url.protocol]}`;
}

/** Returns the stored address in the form that a change to `place` may use. */
export function keptFor<T extends Address & Place>(kept: T | undefined, place: Place): T | undefined {
  if (kept === undefined || serverOf(kept) === serverOf(place)) return kept;
  const hidden = secretMembers[kept.protocol].filter((name) => kept[name as keyof T] !== '');
  return { ...kept, ...Object.fromEntries(hidden.map((name) => [name, moved])) };
}

/** Throws if a secret of an address was stored for another server. `path` returns the request path of a member. */
export function refuseMovedSecrets(address: Address, path: (member: string) => string): void {
  const members: Readonly<Record<string, unknown>> = { ...address };
  const found = secretMembers[address.protocol].find((name) => members[name] === moved);
  if (found !== undefined) throw movedSecret(path(found), found);
}

/** `name`: name of the secret. */
export function movedSecret(path: string, name: string): HubError {
  return fieldError(
    path,
    'secretAgain',
    `the stored ${name} is for another server; send it again with the new address`,
  );
}
