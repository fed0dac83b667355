/**
 * Restricts where the hub may connect to. A host is resolved and checked here, and then connected to by the checked
 * address: a name that is resolved again for the connection could lead elsewhere by then (DNS rebinding).
 */
import { lookup as lookUpAll } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { bareAddress, isLoopback, kindOf } from './outgoing-address.ts';

export interface OutgoingRules {
  /** Whether loopback and private addresses may be connected to. */
  readonly allowsPrivate: boolean;
  /** Name of the setting that controls this, for messages. */
  readonly setting: string;
  /** Ports of the hub itself that must not be connected to: console, API and metrics. */
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

/** Why no address may be connected to. */
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
/** Each lookup occupies a thread until the name server answers. */
const maxLookups = 32;

/** Uses the resolver of the system: concurrent lookups of the same name are shared, and their number is limited. */
export const systemLookup: Lookup = (host, family) => {
  const key = `${host} ${family}`;
  const running = lookups.get(key);
  if (running !== undefined) return running;
  if (lookups.size >= maxLookups)
    return Promise.reject(Object.assign(new Error('too many lookups'), { code: 'EBUSY' }));
  const lookup = lookUpAll(host, { all: true, ...(family && { family }) })
    .then((found) => found.map(({ address }) => address))
    .finally(() => lookups.delete(key));
  lookups.set(key, lookup);
  return lookup;
};

export interface OutgoingOptions {
  /** Evaluated for each connection. */
  readonly rules: () => OutgoingRules;
  readonly lookup: Lookup;
  /** Time limit for resolving a name. */
  readonly lookupMs: number;
  /** Time limit for checking whether an address accepts connections. */
  readonly connectMs: number;
}

export interface Outgoing {
  /** Returns the allowed addresses of a host: one to four. Rejects with an OutgoingError. */
  resolve(destination: Destination): Promise<readonly [string, ...string[]]>;
  /** Returns the first of them that accepts TCP connections, or else the last one. */
  choose(destination: Destination): Promise<string>;
  /** Whether an address that `resolve` returned accepts TCP connections. */
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

/** Returns why this address is not allowed; undefined if it is allowed. */
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

/** Whether it is an address of this machine. */
export function isOwnAddress(address: string): boolean {
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
