import type { BodyOf, QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Preset, presetApi } from '../../contract/presets.ts';
import { directions } from '../../contract/streams.ts';
import type { Actor } from '../../http/route.ts';
import { pageOf } from '../../lib/list-page.ts';
import { nameTaken, tooMany } from '../../lib/refusals.ts';
import { labelOf, type StreamAddress } from '../../sources/stream-address.ts';
import { type Reader, showStreamConfigTo } from '../../sources/stream-config.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { inputRows, outputRows, presetRows } from '../../store/rows.ts';
import type { presets } from '../../store/schema.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openAddress } from '../../store/stored-address.ts';
import type { InputAdder } from '../inputs/service.ts';
import type { Audit } from '../logs/audit.ts';
import type { OutputAdder } from '../outputs/service.ts';

type PresetRow = typeof presets.$inferSelect;

export interface PresetDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly addInput: InputAdder;
  readonly addOutput: OutputAdder;
}

export type PresetService = ReturnType<typeof createPresetService>;

export function createPresetService(deps: PresetDeps) {
  const { db, secrets, audit } = deps;
  return {
    list(query: QueryOf<typeof presetApi.list>, reader: Reader) {
      const rows = presetRows.list(db).filter(({ dir }) => query.dir === undefined || dir === query.dir);
      const page = pageOf(rows, query);
      return { ...page, list: page.list.map((row) => show(row, openAddress(secrets, row), reader)) };
    },
    save: (actor: Actor, of: BodyOf<typeof presetApi.save>) => transaction(db, (tx) => save(tx, deps, actor, of)),
    del(actor: Actor, ids: readonly number[]): void {
      transaction(db, (tx) => {
        const rows = presetRows.allExisting(tx, ids);
        presetRows.delete(tx, ids);
        for (const { name } of rows) audit.record(tx, actor, { action: 'preset.del', subject: name });
      });
    },
    use(actor: Actor, { id, name, channel }: BodyOf<typeof presetApi.use>): number {
      const row = presetRows.existing(db, id);
      const address = openAddress(secrets, row);
      return row.dir === directions.input
        ? deps.addInput(actor, { name, address })
        : deps.addOutput(actor, { name, address, channel });
    },
  };
}

function save(
  tx: Queries,
  { secrets, audit, now }: PresetDeps,
  actor: Actor,
  { name, input, output, replace = false }: BodyOf<typeof presetApi.save>,
): number {
  const kind = input === undefined ? 'output' : 'input';
  // The contract requires exactly one of them.
  const { protocol, config, secret } = { input: inputRows, output: outputRows }[kind].existing(
    tx,
    input ?? output ?? 0,
  );
  const source = { protocol, config, secret };
  const known = presetRows.list(tx).find((row) => row.dir === directions[kind] && row.name === name);
  if (known && !replace) throw nameTaken(name);
  if (!known && presetRows.count(tx) >= limits.presets) throw tooMany('presets', limits.presets);
  const changes: OperationChange[] = [{ word: 'firstAddress', value: labelOf(openAddress(secrets, source)) }];
  audit.record(tx, actor, { action: known ? 'preset.set' : 'preset.add', subject: name, changes });
  if (known) presetRows.update(tx, known.id, source);
  return known?.id ?? presetRows.insert(tx, { ...source, name, dir: directions[kind], createdAt: now() });
}

function show(row: PresetRow, address: StreamAddress, reader: Reader): Preset {
  const role = row.dir === directions.input ? 'input' : 'output';
  const { id, name, protocol } = row;
  return { id, name, dir: directions[role], protocol, config: showStreamConfigTo(reader, address, role) };
}
