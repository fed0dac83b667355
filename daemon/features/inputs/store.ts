import { isNotNull } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { channels } from '../../store/schema.ts';

/** A channel that uses an input as its main one or as its backup. */
export interface InputUser {
  readonly inputId: number | null;
  readonly id: number;
  readonly name: string;
}

/** Returns the channels that use each input, in order of their ids. */
export function inputUsers(db: Queries): Map<number | null, InputUser[]> {
  const usersBy = (inputId: typeof channels.inputId | typeof channels.backupInputId) =>
    db.select({ inputId, id: channels.id, name: channels.name }).from(channels).where(isNotNull(inputId)).all();
  const users = [...usersBy(channels.inputId), ...usersBy(channels.backupInputId)];
  return Map.groupBy(
    users.toSorted((a, b) => a.id - b.id),
    ({ inputId }) => inputId,
  );
}
