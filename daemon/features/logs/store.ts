import { and, type Column, count, desc, eq, gte, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm';
import { limits } from '../../contract/limits.ts';
import type { Operation, OperationFilter } from '../../contract/logs.ts';
import type { Queries } from '../../store/database.ts';
import { operationLog } from '../../store/schema.ts';

export interface OperationPage extends OperationFilter {
  readonly start?: number | undefined;
  readonly count?: number | undefined;
  /** Only entries older than that id. */
  readonly before?: number | undefined;
}

export interface OperationList {
  readonly start: number;
  readonly total: number;
  readonly list: Operation[];
  /** `before` of the next page; 0 when there is none. */
  readonly next: number;
}

export function listOperations(db: Queries, page: OperationPage): OperationList {
  const start = page.before === undefined ? Math.floor(page.start ?? 0) : 0;
  const most = Math.floor(page.count ?? limits.page.default);
  const where = matching(page);
  const total = db.select({ total: count() }).from(operationLog).where(where).get()?.total ?? 0;
  const rows = db
    .select()
    .from(operationLog)
    .where(page.before === undefined ? where : and(where, lt(operationLog.id, page.before)))
    .orderBy(desc(operationLog.id))
    .limit(most + 1)
    .offset(start)
    .all();
  const list = rows.slice(0, most).map(shown);
  return { start, total, list, next: rows.length > most ? (list.at(-1)?.id ?? 0) : 0 };
}

function shown({ subject, changes, ...row }: typeof operationLog.$inferSelect): Operation {
  return { ...row, ...(subject !== null && changes && { subject, changes }) };
}

/** Groups of letters that the index of texts is made of. */
const gram = 3;

function matching({ from, to, user, result, key }: OperationFilter): SQL | undefined {
  return and(
    from === undefined ? undefined : gte(operationLog.time, from),
    to === undefined ? undefined : lte(operationLog.time, to),
    user === undefined ? undefined : eq(operationLog.user, user),
    result === undefined ? undefined : result === 'success' ? eq(operationLog.result, 0) : ne(operationLog.result, 0),
    key ? textWith(key) : undefined,
  );
}

function textWith(key: string): SQL | undefined {
  if ([...key].length >= gram) {
    const phrase = `"${key.replaceAll('"', '""')}"`;
    return sql`${operationLog.id} IN (SELECT rowid FROM operation_text WHERE operation_text MATCH ${phrase})`;
  }
  const pattern = `%${key.replaceAll(/[%_\\]/g, '\\$&')}%`;
  const like = (column: Column) => sql`${column} LIKE ${pattern} ESCAPE '\\'`;
  const { user, ip, action, detail } = operationLog;
  return or(like(user), like(ip), like(action), like(detail));
}
