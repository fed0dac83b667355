import { and, asc, desc, eq, gt, notInArray } from 'drizzle-orm';
import type { TaskItem } from '../../contract/tasks.ts';
import type { Queries } from '../../store/database.ts';
import { taskItems, tasks } from '../../store/schema.ts';

export type TaskRow = typeof tasks.$inferSelect;
export type NewTaskRow = Omit<TaskRow, 'id'>;

/** A statement takes a limited number of values. */
const rowsAtOnce = 500;

export function insertTask(tx: Queries, row: NewTaskRow, items: readonly TaskItem[]): number {
  const { id } = tx.insert(tasks).values(row).returning({ id: tasks.id }).get();
  const rows = items.map((item, position) => ({ taskId: id, position, item }));
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    tx.insert(taskItems)
      .values(rows.slice(from, from + rowsAtOnce))
      .run();
  }
  return id;
}

export function updateTask(db: Queries, id: number, change: Partial<NewTaskRow>): void {
  db.update(tasks).set(change).where(eq(tasks.id, id)).run();
}

export function disownTasks(tx: Queries, ownerId: number): void {
  tx.update(tasks).set({ ownerId: 0 }).where(eq(tasks.ownerId, ownerId)).run();
}

export function storeItem(db: Queries, taskId: number, position: number, item: TaskItem): void {
  db.insert(taskItems)
    .values({ taskId, position, item })
    .onConflictDoUpdate({ target: [taskItems.taskId, taskItems.position], set: { item } })
    .run();
}

export function listRunningTasks(db: Queries): TaskRow[] {
  return db.select().from(tasks).where(eq(tasks.endedAt, 0)).orderBy(asc(tasks.id)).all();
}

/** The newest first. */
export function listEndedTasks(db: Queries, max: number): TaskRow[] {
  return db
    .select()
    .from(tasks)
    .where(gt(tasks.endedAt, 0))
    .orderBy(desc(tasks.endedAt), desc(tasks.id))
    .limit(max)
    .all();
}

export function itemsOfTask(db: Queries, id: number): TaskItem[] {
  return db
    .select({ item: taskItems.item })
    .from(taskItems)
    .where(eq(taskItems.taskId, id))
    .orderBy(asc(taskItems.position))
    .all()
    .map(({ item }) => item);
}

/** Keeps the newest `max` that have ended. Returns the ids of the others. */
export function trimTasks(db: Queries, max: number): number[] {
  const kept = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(gt(tasks.endedAt, 0))
    .orderBy(desc(tasks.endedAt), desc(tasks.id))
    .limit(max);
  return db
    .delete(tasks)
    .where(and(gt(tasks.endedAt, 0), notInArray(tasks.id, kept)))
    .returning({ id: tasks.id })
    .all()
    .map(({ id }) => id);
}
