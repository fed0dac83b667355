/** The row of the clock in the table of settings, for its revision: the system itself has what applies. */
import type { Queries } from '../../store/database.ts';
import { settings } from '../../store/schema.ts';

const name = 'time';
export const edited = { noun: 'settings', id: name } as const;

/** A revision needs a row. */
export function keepRow(db: Queries): void {
  db.insert(settings).values({ name, value: '{}' }).onConflictDoNothing().run();
}
