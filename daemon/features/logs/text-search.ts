/** Finds entries by a part of their text, in the index of groups of three letters. */
import { type Column, or, type SQL, sql } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { operationLog } from '../../store/schema.ts';

/** `few`: all entries that have the text. `many`: so many that the newest ones with it are soon come across. */
export type TextMatch = { readonly kind: 'few'; readonly ids: readonly number[] } | { readonly kind: 'many' };

const mostFew = 5000;
/** Letters of a group. */
const gram = 3;
const lastLetter = '\u{10ffff}';

export function findText(db: Queries, key: string): TextMatch {
  const rows = db.values<[number]>(isShort(key) ? groupsFrom(key) : entriesWith(key, mostFew + 1));
  return rows.length > mostFew ? { kind: 'many' } : { kind: 'few', ids: [...new Set(rows.flat())] };
}

/** Whether an entry has the text: by its id where those are known, else by looking at it. */
export function hasText(key: string, match: TextMatch): SQL | undefined {
  const { id, user, ip, action, detail } = operationLog;
  if (match.kind === 'few') return sql`${id} IN (SELECT value FROM json_each(${JSON.stringify(match.ids)}))`;
  // LIKE knows upper and lower case of ASCII alone.
  if (!isShort(key) && /[^\0-\x7f]/.test(key)) return sql`${id} IN (${entriesWith(key, -1)})`;
  const pattern = `%${key.replaceAll(/[%_\\]/g, '\\$&')}%`;
  const like = (column: Column) => sql`${column} LIKE ${pattern} ESCAPE '\\'`;
  return or(like(user), like(ip), like(action), like(detail));
}

const isShort = (key: string) => [...key].length < gram;

export function entriesWith(key: string, most: number): SQL {
  const phrase = `"${key.replaceAll('"', '""')}"`;
  return sql`SELECT rowid AS id FROM operation_text WHERE operation_text MATCH ${phrase} LIMIT ${most}`;
}

/** An entry comes once for each place where it has the letters. */
export function groupsFrom(key: string): SQL {
  const first = key.toLowerCase();
  return sql`SELECT doc AS id FROM operation_text_groups
    WHERE term >= ${first} AND term < ${first + lastLetter} LIMIT ${mostFew + 1}`;
}
