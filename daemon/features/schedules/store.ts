import { eq } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { schedules } from '../../store/schema.ts';

export type ScheduleRow = typeof schedules.$inferSelect;

/** The schedules of a deleted user run no more: another user may get the same id. */
export function disownSchedules(tx: Queries, ownerId: number): void {
  tx.update(schedules).set({ ownerId: 0, enabled: false }).where(eq(schedules.ownerId, ownerId)).run();
}
