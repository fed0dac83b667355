import { and, desc, eq, gte, lt, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { logApi, Operation, OperationFilter } from '../../contract/logs.ts';
import type { Queries } from '../../store/database.ts';
import { entriesAbout } from '../../store/revisions.ts';
import { operationLog } from '../../store/schema.ts';
import { findText, hasText, type TextMatch } from './text-search.ts';

type OperationPage = QueryOf<typeof logApi.list>;

interface Page {
  readonly list: Operation[];
  /** `before` of the next page; 0 when there is none. */
  readonly next: number;
}

export interface OperationList extends Page {
  readonly start: number;
  readonly total: number;
  /** Whether `total` is the exact number. */
  readonly counted: boolean;
}

export function listOperations(db: Queries, page: OperationPage): OperationList {
  const start = page.before === undefined ? Math.floor(page.start ?? 0) : 0;
  const text = page.key ? findText(db, page.key) : undefined;
  const counting = db.values<[number]>(countOf(page, text))[0]?.[0] ?? 0;
  const counted = text?.kind !== 'many' || counting <= limits.logCounted;
  const total = counted ? counting : limits.logCounted;
  const rest = total === 0 ? { list: [], next: 0 } : readPage(db, { ...page, start }, text);
  return { start, total, counted, ...rest };
}

/** Yields all entries that match the filter, a page at a time, the newest first. */
export function* eachPage(db: Queries, filter: OperationFilter): Generator<Operation[]> {
  const text = filter.key ? findText(db, filter.key) : undefined;
  let before: number | undefined;
  do {
    const { list, next } = readPage(db, { ...filter, before, count: limits.page.max }, text);
    yield list;
    before = next;
  } while (before !== 0);
}

function readPage(db: Queries, page: OperationPage, text: TextMatch | undefined): Page {
  const max = page.count ?? limits.page.default;
  const found = db.values<[number]>(idsOf({ ...page, count: max + 1 }, text)).flat();
  const shownIds = found.slice(0, max);
  const rows = db
    .select()
    .from(operationLog)
    .where(sql`${operationLog.id} IN (SELECT value FROM json_each(${JSON.stringify(shownIds)}))`)
    .orderBy(desc(operationLog.id))
    .all();
  return { list: rows.map(shown), next: found.length > max ? (shownIds.at(-1) ?? 0) : 0 };
}

function shown({ subject, changes, ...row }: typeof operationLog.$inferSelect): Operation {
  return { ...row, ...(subject !== null && changes && { subject, changes }) };
}

export function idsOf({ before, start, count, ...filter }: OperationPage, text: TextMatch | undefined): SQL {
  const older = before === undefined ? undefined : lt(operationLog.id, before);
  return sql`SELECT ${operationLog.id} AS id FROM ${matching(filter, text, older)}
    ORDER BY ${operationLog.id} DESC LIMIT ${count ?? -1} OFFSET ${start ?? 0}`;
}

export function countOf(filter: OperationFilter, text: TextMatch | undefined): SQL {
  const max = text?.kind === 'many' ? limits.logCounted + 1 : -1;
  return sql`SELECT count(*) AS total FROM (SELECT 1 FROM ${matching(filter, text, undefined)} LIMIT ${max})`;
}

/**
 * The index is named: both contain all filter columns in order of the ids, so no sorting is needed and no entry is read
 * before it is known to match. The choice of SQLite would depend on statistics that it collects from time to time.
 */
function matching(filter: OperationFilter, text: TextMatch | undefined, older: SQL | undefined): SQL {
  const { from, to, user, result, key, device } = filter;
  const index = user === undefined ? 'operation_log_in_order' : 'operation_log_by_user';
  const terms = and(
    older,
    from === undefined ? undefined : gte(operationLog.time, from),
    to === undefined ? undefined : lte(operationLog.time, to),
    user === undefined ? undefined : eq(operationLog.user, user),
    result === undefined ? undefined : result === 'success' ? eq(operationLog.result, 0) : ne(operationLog.result, 0),
    key && text ? hasText(key, text) : undefined,
    device === undefined ? undefined : sql`${operationLog.id} IN (${entriesAbout({ noun: 'device', id: device })})`,
  );
  return sql`${operationLog} INDEXED BY ${sql.identifier(index)} WHERE ${terms ?? sql`TRUE`}`;
}
