/** Finds entries by part of their text, with a trigram index. */
import { type Column, or, type SQL, sql } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { operationLog } from '../../store/schema.ts';

/** `few`: all entries that contain the text. `many`: so many that a scan from the newest soon finds some. */
export type TextMatch = { readonly kind: 'few'; readonly ids: readonly number[] } | { readonly kind: 'many' };

const maxMatches = 5000;
/** Characters of a trigram. */
const gram = 3;
const lastLetter = '\u{10ffff}';

export function findText(db: Queries, key: string): TextMatch {
  const rows = db.values<[number]>(isShort(key) ? groupsFrom(key) : entriesWith(key, maxMatches + 1));
  return rows.length > maxMatches ? { kind: 'many' } : { kind: 'few', ids: [...new Set(rows.flat())] };
}

/** Whether an entry contains the text: by its id if the ids are known, otherwise by comparing the text. */
export function hasText(key: string, match: TextMatch): SQL | undefined {
  const { id, user, ip, action, detail } = operationLog;
  if (match.kind === 'few') return sql`${id} IN (SELECT value FROM json_each(${JSON.stringify(match.ids)}))`;
  // LIKE ignores case for ASCII only.
  if (!isShort(key) && /[^\0-\x7f]/.test(key)) return sql`${id} IN (${entriesWith(key, -1)})`;
  const pattern = `%${key.replaceAll(/[%_\\]/g, '\\$&')}%`;
  const like = (column: Column) => sql`${column} LIKE ${pattern} ESCAPE '\\'`;
  return or(like(user), like(ip), like(action), like(detail));
}

const isShort = (key: string) => [...key].length < gram;

export function entriesWith(key: string, max: number): SQL {
  const phrase = `"${key.replaceAll('"', '""')}"`;
  return sql`SELECT rowid AS id FROM operation_text WHERE operation_text MATCH ${phrase} LIMIT ${max}`;
}

/** Returns an entry once for each position where it contains the letters. */
export function groupsFrom(key: string): SQL {
  const first = key.toLowerCase();
  return sql`SELECT doc AS id FROM operation_text_groups
    WHERE term >= ${first} AND term < ${first + lastLetter} LIMIT ${maxMatches + 1}`;
}
