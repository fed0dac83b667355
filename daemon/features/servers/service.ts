import { isDeepStrictEqual } from 'node:util';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { ServerConfig } from '../../contract/server-fields.ts';
import type { Server } from '../../contract/servers.ts';
import type { ServerStream } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { type ListQuery, type Page, pageOf } from '../../lib/list-page.ts';
import { nameTaken, notExist, tooMany } from '../../lib/refusals.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Secrets } from '../../store/secrets.ts';
import { refuseTaken } from '../../store/taken.ts';
import type { Audit } from '../logs/audit.ts';
import type { OutputAdder } from '../outputs/service.ts';
import {
  countServers,
  deleteServers,
  findServers,
  insertServer,
  listServers,
  type ServerRow,
  updateServer,
} from './store.ts';
import { addressFor, placesOf, readServer, type ServerTarget, serverLabel, showServer, typeOf } from './target.ts';

export interface ServerDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly addOutput: OutputAdder;
}

export interface NewServer {
  readonly name: string;
  readonly config: ServerConfig;
}
export interface ServerChange {
  readonly id: number;
  readonly name?: string | undefined;
  readonly config?: ServerConfig | undefined;
  readonly revision?: number | undefined;
}
export interface OutputOfServer {
  readonly id: number;
  readonly stream: ServerStream;
  readonly name: string;
  readonly channel?: number | undefined;
}

export interface ServerService {
  list(query: ListQuery): Page<Server>;
  add(actor: Actor, server: NewServer): number;
  /** Returns the new revision. */
  set(actor: Actor, change: ServerChange): number;
  del(actor: Actor, ids: readonly number[]): void;
  addOutput(actor: Actor, of: OutputOfServer): number;
}

export function createServerService(deps: ServerDeps): ServerService {
  const { db, secrets, audit } = deps;
  return {
    list(query) {
      const page = pageOf(listServers(db), query);
      return { ...page, list: page.list.map((row) => showServer(row, openTarget(secrets, row))) };
    },
    add: (actor, server) => refusingName(server.name, () => transaction(db, (tx) => add(tx, deps, actor, server))),
    set: (actor, change) => refusingName(change.name, () => transaction(db, (tx) => set(tx, deps, actor, change))),
    del(actor, ids) {
      transaction(db, (tx) => {
        const rows = existing(tx, ids);
        deleteServers(tx, ids);
        for (const { name } of rows)
          audit.record(tx, actor, { action: 'server.del', subject: name, changes: [], result: 'success' });
      });
    },
    addOutput(actor, { id, stream, name, channel }) {
      const [row] = existing(db, [id]);
      const address = row && addressFor(openTarget(secrets, row), stream);
      if (!address) throw fieldError('stream', 'choice', `the server takes no ${stream} stream`);
      return deps.addOutput(actor, { name, address, channel });
    },
  };
}

function add(tx: Queries, { secrets, audit, now }: ServerDeps, actor: Actor, { name, config }: NewServer): number {
  const target = readServer(config, undefined);
  if (countServers(tx) >= limits.servers) throw tooMany('servers', limits.servers);
  refuseSame(tx, secrets, target, undefined);
  const id = insertServer(tx, { ...sealTarget(secrets, target), name, createdAt: now() });
  const changes: OperationChange[] = [{ word: 'firstAddress', value: serverLabel(target) }];
  audit.record(tx, actor, { action: 'server.add', subject: name, changes, result: 'success' });
  return id;
}

function set(tx: Queries, { secrets, audit }: ServerDeps, actor: Actor, change: ServerChange): number {
  const { id, name, config } = change;
  const edited = { noun: 'server', id } as const;
  const [row] = existing(tx, [id]);
  refuseStale(tx, edited, row?.name ?? '', change.revision);
  const before = row && openTarget(secrets, row);
  const target = config && readServer(config, before);
  if (target) refuseSame(tx, secrets, target, id);
  const changes: OperationChange[] = [];
  if (name !== undefined && name !== row?.name) changes.push({ word: 'name', value: name });
  if (target && !isDeepStrictEqual(target, before)) changes.push({ word: 'address', value: serverLabel(target) });
  if (changes.length === 0) return revisionOf(tx, edited);
  updateServer(tx, id, { ...(target && sealTarget(secrets, target)), ...(name !== undefined && { name }) });
  const subject = row?.name ?? '';
  audit.record(tx, actor, { action: 'server.set', subject, changes, result: 'success', edited: [edited] });
  return revisionOf(tx, edited);
}

/** There are at most 16, so opening all of them is cheap. */
function refuseSame(tx: Queries, secrets: Secrets, target: ServerTarget, self: number | undefined): void {
  const own = placesOf(target);
  for (const row of listServers(tx)) {
    if (row.id === self) continue;
    const other = openTarget(secrets, row);
    if (typeOf(other) !== typeOf(target)) continue;
    const places = new Set(placesOf(other).map(({ place }) => place));
    const shared = own.find(({ place }) => places.has(place));
    if (!shared) continue;
    const message = `the server '${row.name}' takes the same stream at the same place`;
    const fields = [{ path: `config.${shared.member}`, rule: 'sameServer', message }];
    throw new HubError('objectExists', message, { params: { what: row.name }, fields });
  }
}

type Stored = Pick<ServerRow, 'type' | 'config' | 'secret'>;
type SecretPart = Pick<ServerTarget, 'keys'> & { readonly password?: string; readonly passphrase?: string };

function sealTarget(secrets: Secrets, target: ServerTarget): Stored {
  const { keys, ...address } = target;
  const hidden: SecretPart =
    address.protocol === 'rtmp' ? { keys, password: address.password } : { keys, passphrase: address.passphrase };
  const clear = Object.entries(address).filter(([name]) => !(name in hidden));
  return {
    type: typeOf(target),
    config: JSON.stringify(Object.fromEntries(clear)),
    secret: secrets.seal(JSON.stringify(hidden)),
  };
}

/** Secrets that the current key cannot open are empty, as those of inputs and outputs. */
function openTarget(secrets: Secrets, row: ServerRow): ServerTarget {
  const blank = { keys: { main: '', sub: null }, password: '', passphrase: '' };
  const { keys, password, passphrase } = { ...blank, ...openSecrets(secrets, row.secret) };
  const address = JSON.parse(row.config) as ServerTarget;
  return address.protocol === 'rtmp' ? { ...address, keys, password } : { ...address, keys, passphrase };
}

function openSecrets(secrets: Secrets, sealed: string): Partial<SecretPart> {
  try {
    return JSON.parse(secrets.open(sealed)) as SecretPart;
  } catch {
    return {};
  }
}

function refusingName<T>(name: string | undefined, work: () => T): T {
  return refuseTaken({ 'servers.name': () => nameTaken(name ?? '') }, work);
}

function existing(tx: Queries, ids: readonly number[]): ServerRow[] {
  const rows = findServers(tx, ids);
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw notExist('server', missing);
  return rows;
}
