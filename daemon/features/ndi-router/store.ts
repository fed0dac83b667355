import { count, eq } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { ndiInputs, ndiOutputs, ndiPresets, ndiRouter, ndiSalvos } from '../../store/ndi-router-tables.ts';
import { type Edited, revisionOfNew } from '../../store/revisions.ts';
import { rowsOf } from '../../store/rows.ts';
import type { Matrix, MatrixInput, MatrixOutput } from './matrix.ts';

export type SalvoRow = typeof ndiSalvos.$inferSelect;
export type PresetRow = typeof ndiPresets.$inferSelect;

export const salvoRows = rowsOf(ndiSalvos, 'salvo');
export const presetRows = rowsOf(ndiPresets, 'preset');

/** The router itself has one row. */
const routerId = 1;
export const routerEdit: Edited = { noun: 'ndiRouter', id: routerId };
export const inputEdit = (id: number): Edited => ({ noun: 'ndiInput', id });
export const outputEdit = (id: number): Edited => ({ noun: 'ndiOutput', id });
export const salvoEdit = (id: number): Edited => ({ noun: 'ndiSalvo', id });

export function isRouterStored(db: Queries): boolean {
  return (db.select({ count: count() }).from(ndiRouter).get()?.count ?? 0) > 0;
}

/** Returns undefined if the router was never changed. */
export function readMatrix(db: Queries): Matrix | undefined {
  const row = db.select().from(ndiRouter).where(eq(ndiRouter.id, routerId)).get();
  if (row === undefined) return undefined;
  const inputs = db.select().from(ndiInputs).orderBy(ndiInputs.id).all();
  const outputs = db.select().from(ndiOutputs).orderBy(ndiOutputs.id).all();
  return {
    ...{ baseName: row.baseName, inputCount: row.inputs, columns: row.outputs, autoFill: row.autoFill },
    lastSalvo: row.lastSalvo,
    inputs: new Map(
      inputs.map(({ id, label, source, group, address, failover }) => [
        id,
        { label, source, group, address, failover },
      ]),
    ),
    outputs: new Map(
      outputs.map(({ id, revision: _, previous, canUndo, ...rest }) => [
        id,
        { ...rest, previous: canUndo ? previous : undefined, substitute: null },
      ]),
    ),
  };
}

/** When the source of each input was on the network last. */
export function readLastSeen(db: Queries): Map<number, number> {
  const rows = db.select({ id: ndiInputs.id, lastSeen: ndiInputs.lastSeen }).from(ndiInputs).all();
  return new Map(rows.flatMap(({ id, lastSeen }) => (lastSeen === null ? [] : [[id, lastSeen] as const])));
}

export function storeLastSeen(db: Queries, ids: readonly number[], lastSeen: number): void {
  for (const id of ids) db.update(ndiInputs).set({ lastSeen }).where(eq(ndiInputs.id, id)).run();
}

/** Stores the differences, or everything if nothing is stored yet. */
export function storeMatrix(tx: Queries, before: Matrix | undefined, after: Matrix): void {
  storeRouter(tx, before, after);
  const known = { inputs: before?.inputs ?? new Map(), outputs: before?.outputs ?? new Map() };
  for (const id of known.inputs.keys()) {
    if (!after.inputs.has(id)) tx.delete(ndiInputs).where(eq(ndiInputs.id, id)).run();
  }
  for (const [id, input] of after.inputs) if (known.inputs.get(id) !== input) storeInput(tx, id, input, known.inputs);
  for (const id of known.outputs.keys()) {
    if (!after.outputs.has(id)) tx.delete(ndiOutputs).where(eq(ndiOutputs.id, id)).run();
  }
  for (const [id, output] of after.outputs) {
    if (known.outputs.get(id) !== output) storeOutput(tx, id, output, known.outputs.has(id));
  }
}

function storeRouter(tx: Queries, before: Matrix | undefined, after: Matrix): void {
  const { baseName, inputCount: inputs, columns: outputs, autoFill, lastSalvo } = after;
  const set = { baseName, inputs, outputs, autoFill, lastSalvo };
  if (before === undefined)
    tx.insert(ndiRouter)
      .values({ id: routerId, ...set })
      .run();
  else tx.update(ndiRouter).set(set).where(eq(ndiRouter.id, routerId)).run();
}

function storeInput(tx: Queries, id: number, input: MatrixInput, known: ReadonlyMap<number, MatrixInput>): void {
  const was = known.get(id);
  // The time belongs to the previous source.
  const seen = was?.source === input.source ? {} : { lastSeen: null };
  if (was)
    tx.update(ndiInputs)
      .set({ ...input, ...seen })
      .where(eq(ndiInputs.id, id))
      .run();
  else
    tx.insert(ndiInputs)
      .values({ id, ...input, revision: revisionOfNew(tx, inputEdit(id)) })
      .run();
}

function storeOutput(tx: Queries, id: number, output: MatrixOutput, isKnown: boolean): void {
  const { substitute: _, previous = null, ...rest } = output;
  const set = { ...rest, previous, canUndo: output.previous !== undefined };
  if (isKnown) tx.update(ndiOutputs).set(set).where(eq(ndiOutputs.id, id)).run();
  else
    tx.insert(ndiOutputs)
      .values({ id, ...set, revision: revisionOfNew(tx, outputEdit(id)) })
      .run();
}
