import { expect, test } from 'bun:test';
import { count, min } from 'drizzle-orm';
import { transaction } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from './audit.ts';

const actor = { name: 'Admin', ip: '192.0.2.1' };

test('an entry says who did what, from where, and with which result', () => {
  const db = memoryDatabase();
  createAudit(() => 5000).record(db, actor, {
    action: 'channel.add',
    subject: 'Studio',
    changes: [{ word: 'name', value: 'Roof' }, { word: 'pushKey' }],
    result: 'objectExists',
  });
  expect(db.select().from(operationLog).all()).toEqual([
    {
      id: 1,
      time: 5000,
      user: 'Admin',
      ip: '192.0.2.1',
      via: '',
      action: 'channel.add',
      detail: 'Studio: name Roof, push key',
      result: 1003,
      subject: 'Studio',
      changes: [{ word: 'name', value: 'Roof' }, { word: 'pushKey' }],
    },
  ]);
});

test('an entry is plain text, whatever a name or address contains', () => {
  const db = memoryDatabase();
  const change = { word: 'address', value: 'srt://a:1#x\r\n\u2028\u202e\u001b[31my' } as const;
  createAudit(() => 1).record(
    db,
    { ...actor, via: 'a\u202eb' },
    {
      action: 'a.b',
      subject: 'S\u0000\u0085T',
      changes: [change],
      result: 'success',
    },
  );
  expect(db.select().from(operationLog).all()).toMatchObject([
    { via: 'a b', detail: 'S T: address srt://a:1#x [31my', subject: 'S T', changes: [{ value: 'srt://a:1#x [31my' }] },
  ]);
});

test('an entry is rolled back with its change', () => {
  const db = memoryDatabase();
  const audit = createAudit(Date.now);
  const change = () =>
    transaction(db, (tx) => {
      audit.record(tx, actor, { action: 'channel.add', subject: 'Studio', changes: [], result: 'success' });
      if (tx.select().from(operationLog).all().length > 0) throw new Error('the change failed');
    });
  expect(change).toThrow('the change failed');
  expect(db.select().from(operationLog).all()).toEqual([]);
});

test('failed attempts, which anyone can cause, never displace changes', () => {
  const db = memoryDatabase();
  const audit = createAudit(Date.now, 20);
  transaction(db, (tx) => {
    for (let i = 0; i < 10; i++)
      audit.record(tx, actor, { action: 'channel.set', subject: `${i}`, changes: [], result: 'success' });
    for (let i = 0; i < 100; i++)
      audit.record(tx, actor, { action: 'session.start', subject: '', changes: [], result: 'mismatch' });
  });
  const kept = db.select({ action: operationLog.action }).from(operationLog).all();
  expect(kept.filter(({ action }) => action === 'channel.set')).toHaveLength(10);
  expect(kept.filter(({ action }) => action === 'session.start')).toHaveLength(2);
});

test('the oldest entries are deleted for new ones', () => {
  const db = memoryDatabase();
  const audit = createAudit(Date.now, 20);
  transaction(db, (tx) => {
    for (let i = 0; i < 25; i++) {
      audit.record(tx, actor, { action: 'channel.set', subject: `${i}`, changes: [], result: 'success' });
    }
  });
  expect(
    db
      .select({ count: count(), oldest: min(operationLog.id) })
      .from(operationLog)
      .get(),
  ).toEqual({
    count: 20,
    oldest: 6,
  });
});
