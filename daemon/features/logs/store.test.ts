import { expect, test } from 'bun:test';
import { logApi } from '../../contract/logs.ts';
import { memoryDatabase } from '../../store/memory-database.ts';
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

test('the newest entry comes first, a page starts where it was asked to', () => {
  expect(details({ count: 2 })).toEqual(['100%\\', 'n12']);
  expect(details({ start: 11, count: 5 })).toEqual(['n2', 'n1']);
  expect(listOperations(db, { start: 11, count: 5 }).total).toBe(13);
});

test('a key matches part of any text and nothing is a wildcard', () => {
  expect(listOperations(db, { key: 'ANN' }).total).toBe(6);
  expect(details({ key: '2.9' })).toEqual(['100%\\']);
  expect(details({ key: 'e_1' })).toEqual(['100%\\']);
  expect(details({ key: '0%\\' })).toEqual(['100%\\']);
  expect(details({ key: '%' })).toEqual(['100%\\']);
  expect(details({ key: 'b_b' })).toEqual([]);
});

test('a start that SQLite cannot count to is refused before it gets there', () => {
  expect(logApi.list.query.safeParse({ start: '99999999999999999999' }).success).toBe(false);
  expect(listOperations(db, { start: Number.MAX_SAFE_INTEGER }).list).toEqual([]);
});

test('an entry of a hub that kept only the English line comes as it is', () => {
  const old = memoryDatabase();
  const row = { time: 1, user: 'ann', ip: '', action: 'x.y', detail: 'Studio: name Roof', result: 0 };
  old.insert(operationLog).values(row).run();
  expect(listOperations(old, {}).list).toEqual([{ id: 1, via: '', ...row }]);
});
