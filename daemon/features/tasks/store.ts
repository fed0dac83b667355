import { and, asc, desc, eq, gt, notInArray } from 'drizzle-orm';
import type { TaskItem } from '../../contract/tasks.ts';
import type { Queries } from '../../store/database.ts';
import { tasks } from '../../store/schema.ts';

export type TaskRow = typeof tasks.$inferSelect;
export type NewTaskRow = Omit<TaskRow, 'id'>;

export function insertTask(db: Queries, row: NewTaskRow): number {
  return db.insert(tasks).values(row).returning({ id: tasks.id }).get().id;
}

export function updateTask(db: Queries, id: number, change: Pick<TaskRow, 'task' | 'items' | 'endedAt'>): void {
  db.update(tasks).set(change).where(eq(tasks.id, id)).run();
}

export function listRunningTasks(db: Queries): TaskRow[] {
  return db.select().from(tasks).where(eq(tasks.endedAt, 0)).orderBy(asc(tasks.id)).all();
}

/** The newest first. */
export function listEndedTasks(db: Queries, max: number): Omit<TaskRow, 'items' | 'data'>[] {
  const { id, ownerId, endedAt, task } = tasks;
  return db
    .select({ id, ownerId, endedAt, task })
    .from(tasks)
    .where(gt(tasks.endedAt, 0))
    .orderBy(desc(tasks.endedAt), desc(tasks.id))
    .limit(max)
    .all();
}

export function itemsOfTask(db: Queries, id: number): readonly TaskItem[] {
  return db.select({ items: tasks.items }).from(tasks).where(eq(tasks.id, id)).get()?.items ?? [];
}

/** Keeps the newest `max` that have ended. Returns the ids of the others. */
export function trimTasks(db: Queries, max: number): number[] {
  const kept = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(gt(tasks.endedAt, 0))
    .orderBy(desc(tasks.endedAt), desc(tasks.id))
    .limit(max);
  const surplus = and(gt(tasks.endedAt, 0), notInArray(tasks.id, kept));
  return db
    .delete(tasks)
    .where(surplus)
    .returning({ id: tasks.id })
    .all()
    .map(({ id }) => id);
}
