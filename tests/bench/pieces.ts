/** Measurements stored under a name, so that suites can be measured one after the other and judged together. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowIds } from './options.ts';
import type { Piece, RowResult } from './report/result.ts';
import { rows } from './rows.ts';

interface Kept {
  /** Figures from another machine or other peers are not comparable. */
  readonly machine: string;
  readonly pieces: readonly Piece[];
}

const fileOf = (folder: string, name: string): string => join(folder, `pieces-${name}.json`);

export function savePieces(folder: string, name: string, kept: Kept): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(folder, name), JSON.stringify(kept));
}

export function loadPieces(folder: string, name: string, machine: string): Piece[] {
  const file = fileOf(folder, name);
  if (!existsSync(file)) return [];
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
  return kept.machine === machine ? kept.pieces.filter(({ suite }) => rowIds.includes(suite)).map(whole) : [];
}

/** A file cannot store a row's functions, so the row is looked up by name. Figures of a removed row are dropped. */
function whole(piece: Piece): Piece {
  const known = (piece.findings.rows ?? []).flatMap((result): RowResult[] => {
    const row = rows.find(({ id }) => id === result.row.id);
    return row === undefined ? [] : [{ ...result, row }];
  });
  return { ...piece, findings: { ...piece.findings, rows: known } };
}
