import { expect, test } from 'bun:test';
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../contract/limits.ts';
import type { OperationFilter } from '../../contract/logs.ts';
import { createLog } from '../../lib/log.ts';
import { openDatabase } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { migrate } from '../../store/migrate.ts';
import { operationSearch } from '../../store/migrations/0012-operation-search.ts';
import { migrations } from '../../store/migrations/list.ts';
import { operationLog } from '../../store/schema.ts';
import { countOf, eachPage, idsOf, listOperations } from './store.ts';
import { entriesWith, findText, groupsFrom } from './text-search.ts';

const db = memoryDatabase();
const entries = 6000;
const row = (n: number) => ({
  time: 1000 + n,
  user: n % 100 === 7 ? 'vera' : n % 3 === 0 ? 'ann' : 'bob',
  ip: `192.0.2.${n % 200}`,
  action: n % 2 ? 'channel.set' : 'output.add',
  detail: n === 40 ? 'Überwachung 新闻频道 ~x' : `Studio ${n % 50}: école, name N${n}`,
  result: n % 60 === 0 ? 39 : 0,
});
const rows = Array.from({ length: entries }, (_, at) => ({ id: at + 1, ...row(at + 1) }));
const lines = rows.map(({ user, ip, action, detail }) => [user, ip, action, detail].join('\n').toLowerCase());
db.$client.transaction(() => {
  for (let from = 0; from < entries; from += 500) {
    db.insert(operationLog)
      .values(rows.slice(from, from + 500))
      .run();
  }
})();

const keys = [undefined, ...['a', 'e', '~', '新', '新闻', '频道', 'x', 'q', 'qz', 'N6', '00', '%', '_'], 'STUDIO'];
const longer = ['studio 4', 'n600', '~x', 'ÉCOLE', 'überwachung', 'nothing like it', '192.0.2.1', 'el.se', '0.2.1\n'];
const filters: OperationFilter[] = [...keys, ...longer].flatMap((key) =>
  [undefined, 'ann', 'vera', 'nobody'].flatMap((user) => [
    { key, user },
    { key, user, result: 'failure' as const },
    { key, user, result: 'success' as const, from: 1100, to: 4000 },
    { key, user, to: 1030 },
  ]),
);

function isFound(one: (typeof rows)[number], { key = '', user, result, from, to }: OperationFilter): boolean {
  if (user !== undefined && one.user !== user) return false;
  if (result !== undefined && (one.result === 0) !== (result === 'success')) return false;
  if (from !== undefined && one.time < from) return false;
  if (to !== undefined && one.time > to) return false;
  return lines[one.id - 1]?.includes(key.toLowerCase()) === true;
}

test('for any text, however frequent, exactly the matching entries are found', () => {
  for (const filter of filters) {
    const desired = rows.filter((one) => isFound(one, filter)).map(({ id }) => id);
    const { total, counted, list } = listOperations(db, { ...filter, count: 20 });
    const newest = desired.toReversed().slice(0, 20);
    expect([filter, list.map(({ id }) => id)]).toEqual([filter, newest]);
    const isCounted = counted ? total === desired.length : total === limits.logCounted && total < desired.length;
    expect([filter, total, counted, isCounted]).toEqual([filter, total, counted, true]);
  }
});

test('pages cover all matches in order, also for a frequent text', () => {
  const filter: OperationFilter = { key: 'studio', result: 'success' };
  const pages = [...eachPage(db, filter)];
  const desired = rows.filter((one) => isFound(one, filter)).map(({ id }) => id);
  expect(pages.flat().map(({ id }) => id)).toEqual(desired.toReversed());
  expect(pages).toHaveLength(Math.ceil(desired.length / limits.page.max));
});

test('a deleted entry is no longer found by few letters', () => {
  db.run(sql`DELETE FROM operation_log WHERE id = 40`);
  expect(listOperations(db, { key: '新闻' }).total).toBe(0);
  expect(listOperations(db, { key: '~' }).total).toBe(0);
});

const plan = (query: SQL) =>
  db.values<[number, number, number, string]>(sql`EXPLAIN QUERY PLAN ${query}`).map(([, , , step]) => step);

/** Reads only entries that match, and sorts nothing. */
function expectIndexed(steps: readonly string[]): void {
  const onLog = steps.filter((step) => step.includes('operation_log '));
  expect(onLog).not.toEqual([]);
  for (const step of onLog) expect(step).toMatch(/USING (COVERING )?INDEX operation_log_(in_order|by_user)/);
  expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
}

test('every filter uses an index, and no result is sorted', () => {
  // The statistics that SQLite has collected by then must not change the plan.
  db.run(sql`ANALYZE`);
  for (const filter of filters) {
    const text = filter.key ? findText(db, filter.key) : undefined;
    for (const before of [undefined, 300]) expectIndexed(plan(idsOf({ ...filter, before, count: 50 }, text)));
    expectIndexed(plan(countOf(filter, text)));
  }
});

test('a text uses an index of its own, with three letters and with fewer', () => {
  expect(plan(entriesWith('studio', 10)).join()).toMatch(/SCAN operation_text VIRTUAL TABLE INDEX \d+:.*M/);
  // Without a range of groups the index is read completely, and its number shows it.
  const [whole] = plan(sql`SELECT doc FROM operation_text_groups`);
  const [ranged] = plan(groupsFrom('a'));
  expect(ranged).toContain('SCAN operation_text_groups VIRTUAL TABLE INDEX');
  expect(ranged).not.toBe(whole);
});

test('entries from before the search index are found', () => {
  const old = openDatabase(':memory:');
  const options = { backupDir: null, log: createLog('error') };
  migrate(old, { migrations: migrations.filter(({ version }) => version < operationSearch.version), ...options });
  old
    .insert(operationLog)
    .values({ ...row(1), detail: 'Long ago ~' })
    .run();
  migrate(old, { migrations, ...options });
  expect(['ago', '~', 'go', 'never'].map((key) => listOperations(old, { key }).total)).toEqual([1, 1, 1, 0]);
});

test('old entries are found by their time when they are deleted', () => {
  expect(plan(sql`DELETE FROM operation_log WHERE time < 5`).join()).toContain('INDEX operation_log_by_time');
});
