/** Queries of a full log: each filter alone and combined, in the worst case, and the same without an index. */
import type { OperationFilter } from '../../../daemon/contract/logs.ts';
import type { SystemLogFilter } from '../../../daemon/contract/system-log.ts';

export interface Question<Filter> {
  readonly what: string;
  readonly filter: Filter & { readonly before?: number; readonly start?: number };
}

const minuteMs = 60_000;

/** For a log with an entry per minute, the newest at `end`; ids start at `first`. */
export function operationQuestions(count: number, end: number, first: number): Question<OperationFilter>[] {
  const at = (entriesAgo: number) => end - entriesAgo * minuteMs;
  return [
    { what: 'the newest page', filter: {} },
    { what: 'the oldest page, by cursor', filter: { before: first + 60 } },
    { what: 'the oldest page, by its number', filter: { start: count - 60 } },
    { what: 'failures', filter: { result: 'failure' } },
    { what: 'a user with most entries', filter: { user: 'Admin' } },
    { what: 'a user with few', filter: { user: 'Rare' } },
    { what: 'a user with none', filter: { user: 'Nobody' } },
    { what: 'the newer half', filter: { from: at(count / 2) } },
    { what: 'the oldest hundredth', filter: { to: at(count * 0.99) } },
    {
      what: 'failures of a user in the oldest hundredth',
      filter: { user: 'Night', result: 'failure', to: at(count * 0.99) },
    },
    { what: 'a text in every second entry', filter: { key: 'rtmp://10.0.' } },
    { what: 'a text in few', filter: { key: 'stream-998' } },
    { what: 'a text in none', filter: { key: 'no such text' } },
    { what: 'three letters in none', filter: { key: 'qzx' } },
    { what: 'two letters in most', filter: { key: 'an' } },
    { what: 'two letters in none', filter: { key: 'qz' } },
    { what: 'a letter in most', filter: { key: 'e' } },
    { what: 'a letter in none', filter: { key: '~' } },
    { what: 'two Chinese letters in none', filter: { key: '频道' } },
    { what: 'a frequent text of a user with few', filter: { key: 'rtmp', user: 'Rare' } },
    { what: 'a frequent text with a failure', filter: { key: 'session', result: 'failure' } },
    { what: 'a frequent text at its oldest, by cursor', filter: { key: 'rtmp', before: first + 200 } },
  ];
}

/** For a log with a line per second. */
export function systemQuestions(count: number, end: number, first: number): Question<SystemLogFilter>[] {
  return [
    { what: 'the newest page', filter: {} },
    { what: 'the oldest page, by cursor', filter: { before: first + 60 } },
    { what: 'errors', filter: { level: 'error' } },
    { what: 'warnings and errors of the oldest hundredth', filter: { level: 'warn,error', to: end - count * 990 } },
    { what: 'a text in every line', filter: { key: 'connection' } },
    { what: 'a text in none', filter: { key: 'no such text' } },
    { what: 'a letter in none', filter: { key: '~' } },
    { what: 'a text in no error', filter: { key: 'no such text', level: 'error' } },
  ];
}

/** The same query as a full table scan: a count and a page. */
export function plainSql(
  table: string,
  columns: readonly string[],
  filter: OperationFilter & SystemLogFilter & { readonly before?: number; readonly start?: number },
) {
  const terms: string[] = [];
  const values: (string | number)[] = [];
  const add = (term: string, ...given: (string | number)[]) => {
    terms.push(term);
    values.push(...given);
  };
  const { from, to, user, result, level, key } = filter;
  if (from !== undefined) add('time >= ?', from);
  if (to !== undefined) add('time <= ?', to);
  if (user !== undefined) add('user = ?', user);
  if (result !== undefined) add(result === 'success' ? 'result = 0' : 'result <> 0');
  if (level !== undefined) add(`level IN (${level.split(',').map(() => '?')})`, ...level.split(','));
  if (key !== undefined) {
    const line = columns.map((column) => `${column} LIKE ?`).join(' OR ');
    add(`(${line})`, ...columns.map(() => `%${key}%`));
  }
  const where = (more: readonly string[]) => {
    const all = [...terms, ...more];
    return all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`;
  };
  const { before, start = 0 } = filter;
  const older = before === undefined ? [] : ['id < ?'];
  return {
    count: { sql: `SELECT count(*) FROM ${table} NOT INDEXED ${where([])}`, values },
    page: {
      sql: `SELECT * FROM ${table} NOT INDEXED ${where(older)} ORDER BY id DESC LIMIT 50 OFFSET ?`,
      values: [...values, ...(before === undefined ? [] : [before]), start],
    },
  };
}
