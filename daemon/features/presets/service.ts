import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Preset, PresetDirection } from '../../contract/presets.ts';
import { directions } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { type ListQuery, type Page, pageOf } from '../../lib/list-page.ts';
import { nameTaken, notExist, tooMany } from '../../lib/refusals.ts';
import { labelOf, type StreamAddress } from '../../lib/stream-address.ts';
import { type Reader, showStreamConfigTo } from '../../lib/stream-config.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openAddress } from '../../store/stored-address.ts';
import type { InputAdder } from '../inputs/service.ts';
import type { Audit } from '../logs/audit.ts';
import type { OutputAdder } from '../outputs/service.ts';
import {
  countPresets,
  deletePresets,
  findPresetByName,
  findPresets,
  findSource,
  insertPreset,
  listPresets,
  type PresetRow,
  sourceTables,
  updatePreset,
} from './store.ts';

export interface PresetDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly addInput: InputAdder;
  readonly addOutput: OutputAdder;
}

export interface PresetOf {
  readonly name: string;
  /** Exactly one of the two. */
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly replace?: boolean | undefined;
}
export interface PresetUse {
  readonly id: number;
  readonly name: string;
  readonly channel?: number | undefined;
}

export interface PresetService {
  list(query: ListQuery & { readonly dir?: PresetDirection | undefined }, reader: Reader): Page<Preset>;
  save(actor: Actor, of: PresetOf): number;
  del(actor: Actor, ids: readonly number[]): void;
  use(actor: Actor, use: PresetUse): number;
}

export function createPresetService(deps: PresetDeps): PresetService {
  const { db, secrets, audit } = deps;
  return {
    list(query, reader) {
      const page = pageOf(listPresets(db, query.dir), query);
      return { ...page, list: page.list.map((row) => show(row, openAddress(secrets, row), reader)) };
    },
    save: (actor, of) => transaction(db, (tx) => save(tx, deps, actor, of)),
    del(actor, ids) {
      transaction(db, (tx) => {
        const rows = existing(tx, ids);
        deletePresets(tx, ids);
        for (const { name } of rows) audit.record(tx, actor, { action: 'preset.del', subject: name });
      });
    },
    use(actor, { id, name, channel }) {
      const [row] = existing(db, [id]);
      if (!row) throw notExist('preset', id);
      const address = openAddress(secrets, row);
      return row.dir === directions.input
        ? deps.addInput(actor, { name, address })
        : deps.addOutput(actor, { name, address, channel });
    },
  };
}

function save(tx: Queries, { secrets, audit, now }: PresetDeps, actor: Actor, of: PresetOf): number {
  const { name, replace = false } = of;
  const kind = of.input === undefined ? 'output' : 'input';
  const id = of.input ?? of.output ?? 0;
  const source = findSource(tx, sourceTables[kind], id);
  if (!source) throw notExist(kind, id);
  const known = findPresetByName(tx, directions[kind], name);
  if (known && !replace) throw nameTaken(name);
  if (!known && countPresets(tx) >= limits.presets) throw tooMany('presets', limits.presets);
  const changes: OperationChange[] = [{ word: 'firstAddress', value: labelOf(openAddress(secrets, source)) }];
  audit.record(tx, actor, { action: known ? 'preset.set' : 'preset.add', subject: name, changes });
  if (known) updatePreset(tx, known.id, source);
  return known?.id ?? insertPreset(tx, { ...source, name, dir: directions[kind], createdAt: now() });
}

function show(row: PresetRow, address: StreamAddress, reader: Reader): Preset {
  const role = row.dir === directions.input ? 'input' : 'output';
  const { id, name, protocol } = row;
  return { id, name, dir: directions[role], protocol, config: showStreamConfigTo(reader, address, role) };
}

function existing(tx: Queries, ids: readonly number[]): PresetRow[] {
  const rows = findPresets(tx, ids);
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw notExist('preset', missing);
  return rows;
}
