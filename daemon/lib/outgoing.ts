/**
 * Where the hub may connect to. A host is resolved here, judged, and then connected to by the address that was judged:
 * a name that is resolved again for the connection could lead elsewhere by then (DNS rebinding).
 */
import { lookup as lookUpAll } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { bareAddress, isLoopback, kindOf } from './outgoing-address.ts';

export interface OutgoingRules {
  /** Whether loopback and private addresses may be connected to. */
  readonly allowsPrivate: boolean;
  /** Name of the setting that decides that, for messages. */
  readonly setting: string;
  /** Ports of the hub itself that nothing may be fetched from or sent to: console, API and metrics. */
  readonly closedPorts: readonly number[];
}

export interface Destination {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Only addresses of this family. */
  readonly family?: 4;
  /** Whether it may be a multicast group. */
  readonly takesGroups?: true;
}

type OutgoingFault = 'unknownName' | 'lookupFailed' | 'notAllowed';

/** Why there is no address to connect to. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly fault: OutgoingFault;

  constructor(fault: OutgoingFault, text: string) {
    super(text);
    this.fault = fault;
  }
}

/** Returns the addresses of a name. Rejects with a `code` of node:dns. */
export type Lookup = (host: string, family: 4 | undefined) => Promise<readonly string[]>;

const lookups = new Map<string, Promise<readonly string[]>>();
/** Each one keeps a thread busy for as long as a name server does not answer. */
const mostLookups = 32;

/** Asks the resolver of the system: once for all who ask for the same name at the same time, and not without a bound. */
export const systemLookup: Lookup = (host, family) => {
  const key = `${host} ${family}`;
  const running = lookups.get(key);
  if (running !== undefined) return running;
  if (lookups.size >= mostLookups)
    return Promise.reject(Object.assign(new Error('too many lookups'), { code: 'EBUSY' }));
  const lookup = lookUpAll(host, { all: true, ...(family && { family }) })
    .then((found) => found.map(({ address }) => address))
    .finally(() => lookups.delete(key));
  lookups.set(key, lookup);
  return lookup;
};

export interface OutgoingOptions {
  /** Asked for each connection. */
  readonly rules: () => OutgoingRules;
  readonly lookup: Lookup;
  /** Time limit for resolving a name. */
  readonly lookupMs: number;
  /** Time limit for finding out whether an address accepts connections. */
  readonly connectMs: number;
}

export interface Outgoing {
  /** The addresses of a host that may be connected to: one to four. Rejects with an OutgoingError. */
  resolve(destination: Destination): Promise<readonly [string, ...string[]]>;
  /** Of those, the first that accepts TCP connections, or else the last one. */
  choose(destination: Destination): Promise<string>;
  /** Whether it accepts TCP connections. Of an address that `resolve` returned. */
  accepts(address: string, port: number): Promise<boolean>;
}

const maxAddresses = 4;
const unknownCodes = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA']);

export function createOutgoing({ rules, lookup, lookupMs, connectMs }: OutgoingOptions): Outgoing {
  async function resolve(destination: Destination): Promise<readonly [string, ...string[]]> {
    const found = await addressesOf(destination, lookup, lookupMs);
    let refusal: string | undefined;
    const allowed = found.filter((address) => {
      const why = refusalOf(address, destination, rules());
      refusal ??= why;
      return why === undefined;
    });
    const [first, ...others] = allowed.slice(0, maxAddresses);
    if (first !== undefined) return [first, ...others];
    throw new OutgoingError('notAllowed', `${destination.host}: ${refusal ?? 'no address'}`);
  }

  async function accepts(address: string, port: number): Promise<boolean> {
    const opening = Bun.connect({ hostname: address, port, socket: { data: () => {}, connectError: () => {} } });
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), connectMs);
    const isAccepted = await Promise.race([opening.then(() => true).catch(() => false), late.promise]);
    clearTimeout(timer);
    opening.then((socket) => socket.terminate()).catch(() => {});
    return isAccepted;
  }

  return {
    resolve,
    accepts,
    async choose(destination) {
      const [first, ...others] = await resolve(destination);
      let last = first;
      for (const next of others) {
        if (await accepts(last, destination.port)) return last;
        last = next;
      }
      return last;
    },
  };
}

/** Why this address is not allowed; undefined when it is. */
export function refusalOf(
  address: string,
  { port, takesGroups }: Omit<Destination, 'host'>,
  { allowsPrivate, setting, closedPorts }: OutgoingRules,
): string | undefined {
  const kind = kindOf(address);
  if (kind === 'forbidden') return `the hub never connects to ${address}`;
  if (kind === 'multicast') return takesGroups ? undefined : `${address} is a multicast group`;
  if (closedPorts.includes(port) && isOwnAddress(address)) return `port ${port} is the hub's own`;
  if (kind === 'private' && !allowsPrivate) return `${address} is a private address, and the setting ${setting} is off`;
  return undefined;
}

function isOwnAddress(address: string): boolean {
  if (isLoopback(address)) return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((one) => bareAddress(one.address) === address));
}

async function addressesOf(
  { host, family }: Destination,
  lookup: Lookup,
  lookupMs: number,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) {
    const address = bareAddress(host);
    if (family !== undefined && isIP(address) !== family) throw new OutgoingError('unknownName', 'not an IPv4 address');
    return [address];
  }
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new OutgoingError('lookupFailed', `no answer about the host name in ${lookupMs / 1000} s`));
  }, lookupMs);
  try {
    const found = await Promise.race([lookup(host, family), late.promise]);
    return [...new Set(found.map(bareAddress))];
  } catch (error) {
    if (error instanceof OutgoingError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (unknownCodes.has(code)) throw new OutgoingError('unknownName', 'host name not found');
    throw new OutgoingError('lookupFailed', `name lookup failed (${code})`);
  } finally {
    clearTimeout(timer);
  }
}
