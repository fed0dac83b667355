import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { brokenUniqueness } from './constraint.ts';
import type { Database } from './database.ts';
import { memoryDatabase } from './memory-database-for-test.ts';
import { channels, streamKeys } from './schema.ts';

function add(db: Database, name: string, playKey: string, pushKey: string): number {
  const settings = { enabled: true, allowRtmp: true, allowSrt: true, allowNdiHx: false, preferredProtocol: 1 };
  const row = { ...settings, name, playKey, pushKey, createdAt: 0 };
  return db.insert(channels).values(row).returning({ id: channels.id }).get().id;
}

function brokenBy(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return brokenUniqueness(error);
  }
  throw new Error('nothing was refused');
}

test('a key is refused in every role once it is used in any', () => {
  const db = memoryDatabase();
  add(db, 'first', 'play', 'push');
  expect(brokenBy(() => add(db, 'first', 'a', 'b'))).toBe('channels.name');
  expect(brokenBy(() => add(db, 'second', 'play', 'b'))).toBe('channels.play_key');
  expect(brokenBy(() => add(db, 'second', 'push', 'b'))).toBe('channels.play_key');
  expect(brokenBy(() => add(db, 'second', 'a', 'push'))).toBe('channels.push_key');
  expect(brokenBy(() => add(db, 'second', 'a', 'play'))).toBe('channels.push_key');
  expect(brokenBy(() => add(db, 'second', 'same', 'same'))).toBe('channels.push_key');
  expect(db.select().from(channels).all()).toHaveLength(1);
});

test('a channel may exchange its two keys, and a freed key can be used again', () => {
  const db = memoryDatabase();
  const id = add(db, 'first', 'play', 'push');
  db.update(channels).set({ playKey: 'push', pushKey: 'play' }).where(eq(channels.id, id)).run();
  db.update(channels).set({ pushKey: 'other' }).where(eq(channels.id, id)).run();
  add(db, 'second', 'play', 'third');
  db.delete(channels).where(eq(channels.id, id)).run();
  expect(
    db
      .select()
      .from(streamKeys)
      .all()
      .map((row) => `${row.kind} ${row.key}`)
      .toSorted(),
  ).toEqual(['play play', 'push third']);
});

test('another error is not a uniqueness error', () => {
  expect(brokenUniqueness(new Error('disk I/O error'))).toBeUndefined();
  expect(brokenUniqueness('UNIQUE constraint failed: channels.name')).toBeUndefined();
});

test('ids start where clients of such hubs expect them', () => {
  const db = memoryDatabase();
  expect(add(db, 'first', 'play', 'push')).toBe(100_001);
});
