import { and, eq } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { rowsOf } from '../../store/rows.ts';
import { firmwareFiles } from '../../store/schema.ts';

export type FirmwareRow = typeof firmwareFiles.$inferSelect;

export const firmwareRows = rowsOf(firmwareFiles, 'firmware file');

/** The row with these values, of which at least one is unique. */
export function firmwareWith(
  db: Queries,
  of:
    | { readonly sha256: string }
    | { readonly file: string }
    | { readonly productId: number; readonly hardware: string; readonly version: string },
): FirmwareRow | undefined {
  const { file, sha256, productId, hardware, version } = firmwareFiles;
  const found =
    'sha256' in of
      ? eq(sha256, of.sha256)
      : 'file' in of
        ? eq(file, of.file)
        : and(eq(productId, of.productId), eq(hardware, of.hardware), eq(version, of.version));
  return db.select().from(firmwareFiles).where(found).get();
}
