/**
 * Lines of the system log, in a separate database: they arrive in bursts and may be lost in a power failure, unlike the
 * hub's other data.
 */
import { type SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { SystemLogFilter, SystemLogLine, systemLogApi } from '../../contract/system-log.ts';
import type { LogEntry } from '../../lib/log.ts';

type SystemLogPage = QueryOf<typeof systemLogApi.list>;

/** Read position in a file. */
export interface Mark {
  readonly inode: number;
  readonly offset: number;
}

interface ReadSoFar {
  readonly mark?: Mark;
  readonly cursor?: string;
}

const tables = `
CREATE TABLE IF NOT EXISTS lines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  level TEXT NOT NULL,
  scope TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
-- What lines are filtered by, in the order that they are read in: a line itself is read only when it matches.
CREATE INDEX IF NOT EXISTS lines_in_order ON lines (id, time, level);
CREATE TABLE IF NOT EXISTS marks (
  id INTEGER PRIMARY KEY CHECK (id = 1), inode INTEGER NOT NULL, offset INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS journal_cursor (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT NOT NULL) STRICT;
`;

interface PeerQuery {
  readonly scope: string;
  /** Without spaces, quotes or equals signs. */
  readonly peer: string;
  readonly before: number | undefined;
  readonly count: number;
}

/** Only the first `peer=` counts: what follows may be a name that somebody chose. */
const linesOfPeer = `
SELECT * FROM lines WHERE scope = ? AND id < ? AND instr(text, ' peer=') > 0
  AND substr(text, instr(text, ' peer=') + 6, length(?) + 1) IN (?, ? || ' ')
ORDER BY id DESC LIMIT ?`;

export type SystemLogStore = ReturnType<typeof openSystemLogStore>;

/** `keep` is the number of newest lines to keep. */
export function openSystemLogStore(path: string, keep: number = limits.systemLogLines) {
  const db = openOrCreate(path);
  const insert = db.query<SystemLogLine, SQLQueryBindings[]>(
    'INSERT INTO lines (time, level, scope, text) VALUES (?, ?, ?, ?) RETURNING *',
  );
  const trim = db.query('DELETE FROM lines WHERE id <= ?');
  const setMark = db.query('INSERT OR REPLACE INTO marks (id, inode, offset) VALUES (1, ?, ?)');
  const readMark = db.query<Mark, []>('SELECT inode, offset FROM marks');
  const setCursor = db.query('INSERT OR REPLACE INTO journal_cursor (id, cursor) VALUES (1, ?)');
  const readCursor = db.query<{ cursor: string }, []>('SELECT cursor FROM journal_cursor');
  const append = db.transaction((entries: readonly LogEntry[], { mark, cursor }: ReadSoFar) => {
    const lines = entries.flatMap(({ time, level, scope, text }) => insert.get(time, level, scope, text) ?? []);
    const newest = lines.at(-1)?.id;
    if (newest !== undefined) trim.run(newest - keep);
    if (mark) setMark.run(mark.inode, mark.offset);
    if (cursor !== undefined) setCursor.run(cursor);
    return lines;
  });
  return {
    /** Returns the lines with their ids. Stores the read position of their source in the same transaction. */
    append: (entries: readonly LogEntry[], read: ReadSoFar = {}): SystemLogLine[] => append.immediate(entries, read),
    mark: (): Mark | undefined => readMark.get() ?? undefined,
    /** Read position in the journal. */
    cursor: (): string | undefined => readCursor.get()?.cursor,
    list: (page: SystemLogPage): { start: number; total: number; list: SystemLogLine[]; next: number; last: number } =>
      list(db, page),
    /** Returns the lines of the scope whose field `peer`, their first one, has this value; the newest first. */
    ofPeer({ scope, peer, before, count }: PeerQuery): SystemLogLine[] {
      const values = [scope, before ?? Number.MAX_SAFE_INTEGER, peer, peer, peer, count];
      return db.query<SystemLogLine, SQLQueryBindings[]>(linesOfPeer).all(...values);
    },
    /** Id of the newest line; 0 when there is none. */
    last: (): number => lastOf(db),
    /** Returns lines newer than this id, the oldest first. */
    after(id: number, filter: SystemLogFilter, count: number): SystemLogLine[] {
      const { from, values } = matching(filter, ['id > ?', id]);
      return db.query<SystemLogLine, SQLQueryBindings[]>(`SELECT * ${from} ORDER BY id LIMIT ?`).all(...values, count);
    },
    close: (): void => db.close(),
  };
}

/** The hub must start without a log: an unusable file is renamed, and without write access the log is in memory. */
function openOrCreate(path: string): Sqlite {
  try {
    return open(path);
  } catch {
    try {
      renameSync(path, `${path}.broken`);
      for (const rest of ['-wal', '-shm']) rmSync(`${path}${rest}`, { force: true });
      return open(path);
    } catch {
      return open(':memory:');
    }
  }
}

function open(path: string): Sqlite {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  }
  const db = new Sqlite(path, { create: true, strict: true });
  db.run('PRAGMA busy_timeout = 1000');
  db.run('PRAGMA journal_mode = WAL');
  // Without waiting for the disk: a power failure may lose the newest lines, a crash of the process never does.
  db.run('PRAGMA synchronous = NORMAL');
  db.run(tables);
  return db;
}

function list(db: Sqlite, page: SystemLogPage): ReturnType<SystemLogStore['list']> {
  const start = page.before === undefined ? Math.floor(page.start ?? 0) : 0;
  const max = page.count ?? limits.page.default;
  const total = counted(db, page);
  const last = lastOf(db);
  if (total === 0) return { start, total, list: [], next: 0, last };
  const { sql, values } = newestLines(page);
  const rows = db.query<SystemLogLine, SQLQueryBindings[]>(sql).all(...values, max + 1, start);
  const shown = rows.slice(0, max);
  return { start, total, list: shown, next: rows.length > max ? (shown.at(-1)?.id ?? 0) : 0, last };
}

function lastOf(db: Sqlite): number {
  return db.query<{ last: number }, []>('SELECT coalesce(max(id), 0) AS last FROM lines').get()?.last ?? 0;
}

function counted(db: Sqlite, filter: SystemLogFilter): number {
  const { sql, values } = countOfLines(filter);
  return db.query<{ total: number }, SQLQueryBindings[]>(sql).get(...values)?.total ?? 0;
}

interface Statement {
  readonly sql: string;
  readonly values: SQLQueryBindings[];
}

export function countOfLines(filter: SystemLogFilter): Statement {
  const { from, values } = matching(filter, []);
  return { sql: `SELECT count(*) AS total ${from}`, values };
}

/** The limit and offset are not bound yet. */
export function newestLines(page: SystemLogPage): Statement {
  const { from, values } = matching(page, page.before === undefined ? [] : ['id < ?', page.before]);
  return { sql: `SELECT * ${from} ORDER BY id DESC LIMIT ? OFFSET ?`, values };
}

/** The index is named: it contains all columns but the text, so only lines with the right time and level are read. */
function matching(
  { from, to, level, key }: SystemLogFilter,
  more: readonly [] | readonly [term: string, value: number],
) {
  const terms: string[] = [];
  const values: SQLQueryBindings[] = [];
  const add = (term: string, ...given: SQLQueryBindings[]) => {
    terms.push(term);
    values.push(...given);
  };
  if (more.length === 2) add(...more);
  if (from !== undefined) add('time >= ?', from);
  if (to !== undefined) add('time <= ?', to);
  if (level !== undefined) {
    const levels = level.split(',');
    add(`level IN (${levels.map(() => '?').join(', ')})`, ...levels);
  }
  if (key) {
    const pattern = `%${key.replaceAll(/[%_\\]/g, '\\$&')}%`;
    add("(scope LIKE ? ESCAPE '\\' OR text LIKE ? ESCAPE '\\')", pattern, pattern);
  }
  const where = terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`;
  return { from: `FROM lines INDEXED BY lines_in_order ${where}`, values };
}
