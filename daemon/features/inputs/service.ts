import { isDeepStrictEqual } from 'node:util';
import type { Input, InputConfig, SourceTest } from '../../contract/inputs.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { directions, nodeTypes } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { type ListQuery, type Page, pageOf } from '../../lib/list-page.ts';
import { inUse, nameTaken, notExist, portTaken, tooMany } from '../../lib/refusals.ts';
import { labelOf, listenPortOf, type StreamAddress } from '../../lib/stream-address.ts';
import { type Reader, readStreamConfig, showStreamConfig, showStreamConfigTo } from '../../lib/stream-config.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openAddress, sealAddress } from '../../store/stored-address.ts';
import { refuseTaken } from '../../store/taken.ts';
import type { TestSource } from '../channels/source-test.ts';
import type { License } from '../license/license.ts';
import type { Audit } from '../logs/audit.ts';
import {
  countInputs,
  deleteInputs,
  findInputs,
  type InputRow,
  type InputUser,
  insertInput,
  listInputs,
  listInputUsers,
  updateInput,
} from './store.ts';

export interface InputDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly license: License;
  /** Passes the new desired state to the media engine. */
  readonly applyDesired: () => void;
  readonly testSource: TestSource;
  /** Ports that the hub itself listens on. */
  readonly ownPorts: () => readonly number[];
}

export interface NewInput {
  readonly name: string;
  readonly config: InputConfig;
}
/** An input with an address that is already stored: the caller does not have to supply it. */
export interface AddressedInput {
  readonly name: string;
  readonly address: StreamAddress;
}
/** Returns the id of the input. */
export type InputAdder = (actor: Actor, input: AddressedInput) => number;
export interface InputChange {
  readonly id: number;
  readonly name?: string | undefined;
  readonly config?: InputConfig | undefined;
  readonly revision?: number | undefined;
}

/** A stored input, one that is not stored yet, or a stored one as it would be after a change. */
export interface TestedInput {
  readonly id?: number | undefined;
  readonly config?: InputConfig | undefined;
}

export interface InputService {
  list(query: ListQuery, reader: Reader): Page<Input>;
  add(actor: Actor, input: NewInput): number;
  readonly addAddress: InputAdder;
  /** Returns the new revision. */
  set(actor: Actor, change: InputChange): number;
  /** Returns the configuration with its secrets after recording the access in the operation log. */
  reveal(actor: Actor, id: number): Input['config'];
  del(actor: Actor, ids: readonly number[], force: boolean): void;
  /** Ends when `signal` aborts. */
  test(input: TestedInput, signal: AbortSignal): Promise<SourceTest>;
}

export function createInputService(deps: InputDeps): InputService {
  const { db, audit, applyDesired } = deps;
  const addAddress: InputAdder = (actor, input) =>
    refusingName(input.name, () => transaction(db, (tx) => add(tx, deps, actor, input)));
  return {
    list(query, reader) {
      const page = pageOf(listInputs(db), query);
      const users = Map.groupBy(listInputUsers(db), ({ inputId }) => inputId);
      const configOf = (row: InputRow) => showStreamConfigTo(reader, openAddress(deps.secrets, row), 'input');
      return { ...page, list: page.list.map((row) => show(row, users.get(row.id) ?? [], configOf(row))) };
    },
    add: (actor, { name, config }) => addAddress(actor, { name, address: readAddress(deps, config) }),
    addAddress(actor, input) {
      refuseOwnPort(deps, input.address);
      return addAddress(actor, input);
    },
    set(actor, change) {
      const revision = refusingName(change.name, () =>
        transaction(db, (tx) => deps.license.within(tx, () => set(tx, deps, actor, change))),
      );
      applyDesired();
      return revision;
    },
    reveal(actor, id) {
      const row = existingInput(db, id);
      const entry = { action: 'input.reveal', subject: row.name } as const;
      transaction<void>(db, (tx) => audit.record(tx, actor, entry));
      return showStreamConfig(openAddress(deps.secrets, row), 'input');
    },
    del(actor, ids, force) {
      transaction(db, (tx) => {
        const rows = existing(tx, ids);
        const users = Map.groupBy(listInputUsers(tx), ({ inputId }) => inputId);
        const used = rows.find(({ id }) => users.has(id));
        if (used && !force) throw inUse(used.name, ...(users.get(used.id) ?? []).map(({ name }) => name));
        deleteInputs(tx, ids);
        for (const { id, name } of rows) {
          // The channels that used it now have another input.
          const edited = (users.get(id) ?? []).map((user) => ({ noun: 'channel', id: user.id }) as const);
          audit.record(tx, actor, { action: 'input.del', subject: name, edited });
        }
      });
      applyDesired();
    },
    test({ id, config }, signal) {
      const stored = id === undefined ? undefined : openAddress(deps.secrets, existingInput(db, id));
      const address = config ? readAddress(deps, config, stored) : stored;
      if (!address) throw fieldError('config', 'required', 'required without id');
      return deps.testSource({ inputId: id ?? 0, address }, signal);
    },
  };
}

function show(row: InputRow, users: readonly InputUser[], config: Input['config']): Input {
  return {
    id: row.id,
    name: row.name,
    type: nodeTypes.customInput,
    dir: directions.input,
    protocol: row.protocol,
    config,
    revision: row.revision,
    ...(users.length > 0 && { 'owner-i': users.map(({ name }) => name), 'owner-i-d': users.map(({ id }) => id) }),
  };
}

function add(tx: Queries, deps: InputDeps, actor: Actor, { name, address }: AddressedInput): number {
  if (countInputs(tx) >= limits.inputs) throw tooMany('inputs', limits.inputs);
  const id = insertInput(tx, { ...sealAddress(deps.secrets, address), name, createdAt: deps.now() });
  const changes: OperationChange[] = [{ word: 'firstAddress', value: labelOf(address) }];
  deps.audit.record(tx, actor, { action: 'input.add', subject: name, changes });
  return id;
}

function set(tx: Queries, deps: InputDeps, actor: Actor, { id, name, config, revision }: InputChange): number {
  const edited = { noun: 'input', id } as const;
  const row = existingInput(tx, id);
  refuseStale(tx, edited, row.name, revision);
  const before = openAddress(deps.secrets, row);
  const address = config && readAddress(deps, config, before);
  const changes: OperationChange[] = [];
  if (name !== undefined && name !== row.name) changes.push({ word: 'name', value: name });
  if (address && !isDeepStrictEqual(address, before)) changes.push({ word: 'address', value: labelOf(address) });
  if (changes.length === 0) return revisionOf(tx, edited);
  updateInput(tx, id, { ...(address && sealAddress(deps.secrets, address)), ...(name !== undefined && { name }) });
  const subject = row.name;
  deps.audit.record(tx, actor, { action: 'input.set', subject, changes, edited: [edited] });
  return revisionOf(tx, edited);
}

function readAddress(deps: InputDeps, config: InputConfig, kept?: StreamAddress): StreamAddress {
  const address = readStreamConfig(config, 'input', kept);
  refuseOwnPort(deps, address);
  return address;
}

function refuseOwnPort({ ownPorts }: InputDeps, address: StreamAddress): void {
  const port = listenPortOf(address);
  if (port !== undefined && ownPorts().includes(port)) throw portTaken(port);
}

function refusingName<T>(name: string | undefined, work: () => T): T {
  return refuseTaken({ 'inputs.name': () => nameTaken(name ?? '') }, work);
}

function existingInput(tx: Queries, id: number): InputRow {
  const [row] = findInputs(tx, [id]);
  if (!row) throw notExist('input', id);
  return row;
}

function existing(tx: Queries, ids: readonly number[]): InputRow[] {
  const rows = findInputs(tx, ids);
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw notExist('input', missing);
  return rows;
}
