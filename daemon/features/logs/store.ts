import { type Column, count, desc, or, type SQL, sql } from 'drizzle-orm';
import { limits } from '../../contract/limits.ts';
import type { Operation } from '../../contract/logs.ts';
import type { Queries } from '../../store/database.ts';
import { operationLog } from '../../store/schema.ts';

interface Page {
  readonly start?: number | undefined;
  readonly count?: number | undefined;
  /** Part of a user name, address, action or detail. */
  readonly key?: string | undefined;
}

export function listOperations(db: Queries, page: Page): { start: number; total: number; list: Operation[] } {
  const start = Math.floor(page.start ?? 0);
  const where = page.key ? matching(page.key) : undefined;
  const total = db.select({ total: count() }).from(operationLog).where(where).get()?.total ?? 0;
  const list = db
    .select()
    .from(operationLog)
    .where(where)
    .orderBy(desc(operationLog.id))
    .limit(Math.floor(page.count ?? limits.page.default))
    .offset(start)
    .all()
    .map(({ subject, changes, ...row }) => ({ ...row, ...(subject !== null && changes && { subject, changes }) }));
  return { start, total, list };
}

function matching(key: string): SQL | undefined {
  const pattern = `%${key.replaceAll(/[%_\\]/g, '\\$&')}%`;
  const like = (column: Column) => sql`${column} LIKE ${pattern} ESCAPE '\\'`;
  const { user, ip, action, detail } = operationLog;
  return or(like(user), like(ip), like(action), like(detail));
}
