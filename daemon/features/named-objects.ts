/** What inputs, outputs and servers have in common: a unique name, an address with sealed secrets, and a revision. */
import { isDeepStrictEqual } from 'node:util';
import type { OperationChange } from '../contract/logs.ts';
import type { Actor } from '../http/route.ts';
import { fieldError } from '../lib/hub-error.ts';
import { nameTaken, portTaken, tooMany } from '../lib/refusals.ts';
import { labelOf, listenPortOf, type StreamAddress } from '../sources/stream-address.ts';
import { refuseTaken } from '../store/constraint.ts';
import { type Database, type Queries, transaction } from '../store/database.ts';
import { type Edited, refuseStale, revisionOf } from '../store/revisions.ts';
import type { Rows } from '../store/rows.ts';
import type { inputs, outputs, servers } from '../store/schema.ts';
import type { Secrets } from '../store/secrets.ts';
import { openAddress, type StoredAddress, sealAddress } from '../store/stored-address.ts';
import type { License } from './license/license.ts';
import type { Audit } from './logs/audit.ts';

type NamedTable = typeof inputs | typeof outputs | typeof servers;

interface NamedObjectsOptions<T extends NamedTable, Address> {
  readonly noun: 'input' | 'output' | 'server';
  readonly rows: Rows<T>;
  readonly limit: number;
  readonly db: Database;
  readonly audit: Audit;
  readonly now: () => number;
  readonly open: (row: T['$inferSelect']) => Address;
  readonly seal: (address: Address) => Partial<T['$inferSelect']>;
  /** Returns the address without secrets, for the operation log. */
  readonly label: (address: Address) => string;
}

/** Absent members stay unchanged. */
interface NamedChange<Config> {
  readonly id?: number | undefined;
  readonly name?: string | undefined;
  readonly config?: Config | undefined;
  readonly revision?: number | undefined;
}

export function createNamedObjects<T extends NamedTable, Address>(options: NamedObjectsOptions<T, Address>) {
  const { noun, rows, limit, db, audit, now, open, seal, label } = options;
  type Row = T['$inferSelect'];
  return {
    /** Runs a transaction that sets `name`; throws `objectExists` if another object has it. */
    write: <Value>(
      name: string | undefined,
      work: (tx: Queries) => Value extends PromiseLike<unknown> ? never : Value,
    ) => refuseTaken({ [`${noun}s.name`]: () => nameTaken(name ?? '') }, () => transaction<Value>(db, work)),

    refuseFull(tx: Queries): void {
      if (rows.count(tx) >= limit) throw tooMany(`${noun}s`, limit);
    },

    /** Returns the object that a new one is a copy of: `kept` is its address, with the secrets that the copy may keep. */
    original(id: number | undefined): { readonly kept?: Address; readonly changes: readonly OperationChange[] } {
      if (id === undefined) return { changes: [] };
      const row: Row & { readonly name: string } = rows.existing(db, id);
      return { kept: open(row), changes: [{ word: 'copyOf', value: row.name }] };
    },

    /** `more` is stored with the name and the address. Returns the id. */
    add(
      tx: Queries,
      actor: Actor,
      { name, address, more = {} }: { name: string; address: Address; more?: Partial<Row> },
      furtherChanges: readonly OperationChange[] = [],
    ): number {
      const id = rows.insert(tx, { ...seal(address), name, createdAt: now(), ...more } as T['$inferInsert']);
      const changes: OperationChange[] = [{ word: 'firstAddress', value: label(address) }, ...furtherChanges];
      audit.record(tx, actor, { action: `${noun}.add`, subject: name, changes });
      return id;
    },

    /** `read` checks the new configuration against the present address. Returns the new revision. */
    set<Config>(
      tx: Queries,
      actor: Actor,
      { id: given, name, config, revision }: NamedChange<Config>,
      read: (config: Config, before: Address) => Address,
    ): number {
      const row: Row & { readonly id: number } = rows.existingBy(tx, { id: given, name });
      const { id } = row;
      const edited: Edited = { noun, id };
      refuseStale(tx, edited, row.name, revision);
      const before = open(row);
      const address = config && read(config, before);
      const changes: OperationChange[] = [];
      if (name !== undefined && name !== row.name) changes.push({ word: 'name', value: name });
      if (address && !isDeepStrictEqual(address, before)) changes.push({ word: 'address', value: label(address) });
      if (changes.length === 0) return revisionOf(tx, edited);
      rows.update(tx, id, { ...(address && seal(address)), ...(name !== undefined && { name }) } as Partial<Row>);
      audit.record(tx, actor, { action: `${noun}.set`, subject: row.name, changes, edited: [edited] });
      return revisionOf(tx, edited);
    },

    /** Returns the address with its secrets after recording the access in the operation log. */
    reveal(actor: Actor, id: number): Address {
      const row: Row = rows.existing(db, id);
      transaction<void>(db, (tx) => audit.record(tx, actor, { action: `${noun}.reveal`, subject: row.name }));
      return open(row);
    },

    /** `refuse` throws for an object that must stay; `editedBy` returns what else changes with the deletion of one. */
    del(
      tx: Queries,
      actor: Actor,
      ids: readonly number[],
      { refuse, editedBy }: { refuse?: (row: Row) => void; editedBy?: (row: Row) => Edited[] } = {},
    ): void {
      const found: Row[] = rows.allExisting(tx, ids);
      for (const row of found) refuse?.(row);
      rows.delete(tx, ids);
      for (const row of found) {
        audit.record(tx, actor, { action: `${noun}.del`, subject: row.name, edited: editedBy?.(row) ?? [] });
      }
    },
  };
}

/** What the services of inputs and outputs need. */
export interface SourceDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly license: License;
  /** Passes the new desired state to the media engine. */
  readonly applyDesired: () => void;
  /** Ports that the hub itself listens on. */
  readonly ownPorts: () => readonly number[];
}

/** How the addresses of inputs and outputs are stored and shown. */
export function storedAddresses(secrets: Secrets) {
  return {
    open: (row: StoredAddress) => openAddress(secrets, row),
    seal: (address: StreamAddress) => sealAddress(secrets, address),
    label: labelOf,
  };
}

/** Throws `portOccupied` for a listener on a port that the hub itself uses. */
export function refuseOwnPort(address: StreamAddress, ownPorts: readonly number[]): void {
  const port = listenPortOf(address);
  if (port !== undefined && ownPorts.includes(port)) throw portTaken(port);
}

/** Returns the address of a new object: the given configuration with kept secrets, or an exact copy. */
export function newAddress<Config>(
  config: Config | undefined,
  kept: StreamAddress | undefined,
  read: (config: Config, kept: StreamAddress | undefined) => StreamAddress,
): StreamAddress {
  if (config !== undefined) return read(config, kept);
  // The contract requires at least one of them.
  if (kept === undefined) throw fieldError('config', 'required', 'required without copy-of');
  return kept;
}
