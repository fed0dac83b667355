import { expect, test } from 'bun:test';
import { limits } from '../../contract/limits.ts';
import { logApi } from '../../contract/logs.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from './audit.ts';
import { listOperations } from './store.ts';

const db = memoryDatabase();
const audit = createAudit(() => 1000);
for (let i = 1; i <= 12; i++) {
  audit.record(
    db,
    { name: i % 2 ? 'ann' : 'bob', ip: '192.0.2.1' },
    { action: 'x.y', subject: `n${i}`, changes: [], result: 'success' },
  );
}
audit.record(
  db,
  { name: 'eve_1', ip: '192.0.2.9' },
  { action: 'x.y', subject: '100%\\', changes: [], result: 'mismatch' },
);

const details = (page: Parameters<typeof listOperations>[1]) => listOperations(db, page).list.map((row) => row.detail);

test('the newest entry is first, and a page starts at the requested entry', () => {
  expect(details({ count: 2 })).toEqual(['100%\\', 'n12']);
  expect(details({ start: 11, count: 5 })).toEqual(['n2', 'n1']);
  expect(listOperations(db, { start: 11, count: 5 }).total).toBe(13);
});

test('a key matches part of any text, and has no wildcards', () => {
  expect(listOperations(db, { key: 'ANN' }).total).toBe(6);
  expect(details({ key: '2.9' })).toEqual(['100%\\']);
  expect(details({ key: 'e_1' })).toEqual(['100%\\']);
  expect(details({ key: '"' })).toEqual([]);
  expect(details({ key: 'a"b OR n1*' })).toEqual([]);
  expect(details({ key: '0%\\' })).toEqual(['100%\\']);
  expect(details({ key: '%' })).toEqual(['100%\\']);
  expect(details({ key: 'b_b' })).toEqual([]);
});

test('a start that is too large for SQLite is refused by validation', () => {
  expect(logApi.list.query.safeParse({ start: '99999999999999999999' }).success).toBe(false);
  expect(listOperations(db, { start: Number.MAX_SAFE_INTEGER }).list).toEqual([]);
});

test('an entry that has only the English line is returned unchanged', () => {
  const old = memoryDatabase();
  const row = { time: 1, user: 'ann', ip: '', action: 'x.y', detail: 'Studio: name Roof', result: 0 };
  old.insert(operationLog).values(row).run();
  expect(listOperations(old, {}).list).toEqual([{ id: 1, via: '', ...row }]);
});

test('the next page starts where the previous one ended, whatever was added meanwhile', () => {
  const log = memoryDatabase();
  const add = (n: number) =>
    audit.record(log, { name: 'ann', ip: '' }, { action: 'x.y', subject: `n${n}`, changes: [], result: 'success' });
  for (let n = 1; n <= 5; n++) add(n);
  const first = listOperations(log, { count: 2 });
  add(6);
  const second = listOperations(log, { count: 2, before: first.next });
  const third = listOperations(log, { count: 2, before: second.next });
  const names = [first, second, third].map(({ list }) => list.map(({ detail }) => detail));
  expect(names).toEqual([['n5', 'n4'], ['n3', 'n2'], ['n1']]);
  expect(third.next).toBe(0);
});

test('filters are combined', () => {
  const log = memoryDatabase();
  const rows = [
    { time: 10, user: 'ann', result: 0 },
    { time: 20, user: 'ann', result: 39 },
    { time: 30, user: 'bob', result: 0 },
  ];
  for (const row of rows)
    log
      .insert(operationLog)
      .values({ ...row, ip: '', action: 'x.y', detail: '' })
      .run();
  const times = (page: Parameters<typeof listOperations>[1]) => listOperations(log, page).list.map(({ time }) => time);
  expect(times({ from: 20 })).toEqual([30, 20]);
  expect(times({ from: 20, to: 20 })).toEqual([20]);
  expect(times({ user: 'ann' })).toEqual([20, 10]);
  expect(times({ user: 'an' })).toEqual([]);
  expect(times({ result: 'failure' })).toEqual([20]);
  expect(times({ result: 'success', user: 'ann', key: 'X.Y' })).toEqual([10]);
});

test('a deleted entry is no longer found', () => {
  const log = memoryDatabase();
  const small = createAudit(() => 1000, 2);
  for (const subject of ['first', 'second', 'third']) {
    small.record(log, { name: 'ann', ip: '' }, { action: 'x.y', subject, changes: [], result: 'success' });
  }
  expect(listOperations(log, { key: 'first' }).total).toBe(0);
  expect(listOperations(log, { key: 'third' }).total).toBe(1);
});

test('entries older than the retention time are deleted', () => {
  const log = memoryDatabase();
  const day = 24 * 60 * 60_000;
  let now = 0;
  const aging = createAudit(() => now);
  for (const at of [0, 1, 2]) {
    now = at * day;
    aging.record(log, { name: 'ann', ip: '' }, { action: 'x.y', subject: `day ${at}`, changes: [], result: 'success' });
  }
  now = (limits.logDays + 1.5) * day;
  aging.sweep(log);
  expect(listOperations(log, {}).list.map(({ detail }) => detail)).toEqual(['day 2']);
});
