import { isDeepStrictEqual } from 'node:util';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Output, OutputConfig } from '../../contract/outputs.ts';
import { directions, nodeTypes, protocolBits } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { type ListQuery, type Page, pageOf } from '../../lib/list-page.ts';
import { inUse, nameTaken, notExist, portTaken, tooMany } from '../../lib/refusals.ts';
import {
  isRtspServer,
  labelOf,
  listenPortOf,
  type RtspServerStream,
  type StreamAddress,
} from '../../lib/stream-address.ts';
import { type Reader, readStreamConfig, showStreamConfig, showStreamConfigTo } from '../../lib/stream-config.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { refuseStale, revisionOf } from '../../store/revisions.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openAddress, sealAddress } from '../../store/stored-address.ts';
import { refuseTaken } from '../../store/taken.ts';
import type { License } from '../license/license.ts';
import type { Audit } from '../logs/audit.ts';
import {
  channelName,
  countOutputs,
  countOutputsOf,
  deleteOutputs,
  findOutputs,
  insertOutput,
  listOutputs,
  type OutputRow,
  updateOutput,
} from './store.ts';

export interface OutputDeps {
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

export interface NewOutput {
  readonly name: string;
  readonly config: OutputConfig;
  /** The channel that the output is assigned to. */
  readonly channel?: number | undefined;
}
/** An output with an address that is already stored: the caller does not have to supply it. */
export interface AddressedOutput {
  readonly name: string;
  readonly address: StreamAddress;
  readonly channel?: number | undefined;
}
/** Returns the id of the output. */
export type OutputAdder = (actor: Actor, output: AddressedOutput) => number;
export interface OutputChange {
  readonly id: number;
  readonly name?: string | undefined;
  readonly config?: OutputConfig | undefined;
  readonly revision?: number | undefined;
}

export interface OutputService {
  list(query: ListQuery, reader: Reader): Page<Output>;
  add(actor: Actor, output: NewOutput): number;
  readonly addAddress: OutputAdder;
  /** Returns the new revision. */
  set(actor: Actor, change: OutputChange): number;
  /** Returns the configuration with its secrets after recording the access in the operation log. */
  reveal(actor: Actor, id: number): Output['config'];
  del(actor: Actor, ids: readonly number[], force: boolean): void;
}

export function createOutputService(deps: OutputDeps): OutputService {
  const { db, audit, applyDesired } = deps;
  const addAddress: OutputAdder = (actor, output) => {
    const id = refusingName(output.name, () =>
      transaction(db, (tx) => deps.license.within(tx, () => add(tx, deps, actor, output))),
    );
    if (output.channel !== undefined) applyDesired();
    return id;
  };
  return {
    list(query, reader) {
      const page = pageOf(listOutputs(db), query);
      const configOf = (row: OutputRow) => showStreamConfigTo(reader, openAddress(deps.secrets, row), 'output');
      return { ...page, list: page.list.map((row) => show(row, configOf(row))) };
    },
    add: (actor, { config, ...output }) =>
      addAddress(actor, { ...output, address: readStreamConfig(config, 'output') }),
    addAddress,
    set(actor, change) {
      const revision = refusingName(change.name, () =>
        transaction(db, (tx) => deps.license.within(tx, () => set(tx, deps, actor, change))),
      );
      applyDesired();
      return revision;
    },
    reveal(actor, id) {
      const row = existingOutput(db, id);
      const entry = { action: 'output.reveal', subject: row.name } as const;
      transaction<void>(db, (tx) => audit.record(tx, actor, entry));
      return showStreamConfig(openAddress(deps.secrets, row), 'output');
    },
    del(actor, ids, force) {
      transaction(db, (tx) => {
        const rows = existing(tx, ids);
        const used = rows.find((row) => row.owner !== null);
        if (used?.owner && !force) throw inUse(used.name, used.owner);
        deleteOutputs(tx, ids);
        for (const { name } of rows) audit.record(tx, actor, { action: 'output.del', subject: name });
      });
      applyDesired();
    },
  };
}

function show(row: OutputRow, config: Output['config']): Output {
  return {
    id: row.id,
    name: row.name,
    type: nodeTypes.customOutput,
    dir: directions.output,
    protocol: row.protocol,
    config,
    revision: row.revision,
    ...(row.owner !== null && { 'owner-o': row.owner }),
    ...(row.channelId !== null && { 'owner-o-d': row.channelId }),
  };
}

function add(tx: Queries, deps: OutputDeps, actor: Actor, { name, address, channel }: AddressedOutput): number {
  refuseTakenPort(tx, deps, address);
  if (countOutputs(tx) >= limits.outputs) throw tooMany('outputs', limits.outputs);
  const owner = channel === undefined ? undefined : ownerFor(tx, channel);
  const stored = { ...sealAddress(deps.secrets, address), name, channelId: channel ?? null, createdAt: deps.now() };
  const id = insertOutput(tx, stored);
  const changes: OperationChange[] = [{ word: 'firstAddress', value: labelOf(address) }];
  if (owner !== undefined) changes.push({ word: 'forChannel', value: owner });
  deps.audit.record(tx, actor, { action: 'output.add', subject: name, changes });
  return id;
}

function set(tx: Queries, deps: OutputDeps, actor: Actor, { id, name, config, revision }: OutputChange): number {
  const edited = { noun: 'output', id } as const;
  const row = existingOutput(tx, id);
  refuseStale(tx, edited, row.name, revision);
  const before = openAddress(deps.secrets, row);
  const address = config && readStreamConfig(config, 'output', before);
  if (address) refuseTakenPort(tx, deps, address, id);
  const changes: OperationChange[] = [];
  if (name !== undefined && name !== row.name) changes.push({ word: 'name', value: name });
  if (address && !isDeepStrictEqual(address, before)) changes.push({ word: 'address', value: labelOf(address) });
  if (changes.length === 0) return revisionOf(tx, edited);
  updateOutput(tx, id, { ...(address && sealAddress(deps.secrets, address)), ...(name !== undefined && { name }) });
  const subject = row.name;
  deps.audit.record(tx, actor, { action: 'output.set', subject, changes, edited: [edited] });
  return revisionOf(tx, edited);
}

function refuseTakenPort(tx: Queries, { ownPorts, secrets }: OutputDeps, address: StreamAddress, ownId?: number): void {
  const port = listenPortOf(address);
  if (port !== undefined && ownPorts().includes(port)) throw portTaken(port);
  if (!isRtspServer(address)) return;
  const others = listOutputs(tx).filter(({ id, protocol }) => id !== ownId && protocol === protocolBits.rtsp);
  const same = others.find((row) => servesSame(address, openAddress(secrets, row)));
  if (same) throw fieldError('config.key', 'exists', `'${same.name}' has this port and path`);
}

/** Outputs may share a port if their paths differ. */
function servesSame({ port, key }: RtspServerStream, other: StreamAddress): boolean {
  return isRtspServer(other) && other.port === port && other.key === key;
}

function refusingName<T>(name: string | undefined, work: () => T): T {
  return refuseTaken({ 'outputs.name': () => nameTaken(name ?? '') }, work);
}

function existingOutput(tx: Queries, id: number): OutputRow {
  const [row] = findOutputs(tx, [id]);
  if (!row) throw notExist('output', id);
  return row;
}

function existing(tx: Queries, ids: readonly number[]): OutputRow[] {
  const rows = findOutputs(tx, ids);
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw notExist('output', missing);
  return rows;
}

function ownerFor(tx: Queries, channelId: number): string {
  const name = channelName(tx, channelId);
  if (name === undefined) throw notExist('channel', channelId);
  if (countOutputsOf(tx, channelId) >= limits.outputsPerChannel) {
    throw tooMany('outputs of a channel', limits.outputsPerChannel);
  }
  return name;
}
