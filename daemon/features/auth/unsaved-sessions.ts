/** Sessions while the data folder is full: started without a row in the database, or ended despite one. */
import type { Database } from '../../store/database.ts';
import {
  deleteSession,
  findSession,
  findSessionUser,
  insertSession,
  type SessionRow,
  type StoredSession,
} from './store.ts';

export function createUnsavedSessions(db: Database) {
  const unsaved = new Map<string, SessionRow>();
  const ended = new Set<string>();
  return {
    /** Returns the session, stored or not, unless it has ended. */
    find(idHash: string): StoredSession | undefined {
      if (ended.has(idHash)) return undefined;
      const row = unsaved.get(idHash);
      if (row === undefined) return findSession(db, idHash);
      const user = findSessionUser(db, row.userId);
      return user && { idHash, createdAt: row.createdAt, lastSeenAt: row.lastSeenAt, stays: row.stays, user };
    },
    begin: (row: SessionRow): void => void unsaved.set(row.idHash, row),
    isUnsaved: (idHash: string): boolean => unsaved.has(idHash),
    /** A stored session also counts as ended, although its row cannot be deleted yet. */
    end(idHash: string): void {
      if (!unsaved.delete(idHash)) ended.add(idHash);
    },
    /** Returns the sessions of a user that are not stored. */
    list: (userId: number): SessionRow[] => [...unsaved.values()].filter((row) => row.userId === userId),
    /** After the clock was set. */
    shift(byMs: number): void {
      for (const [idHash, row] of unsaved) {
        unsaved.set(idHash, { ...row, createdAt: row.createdAt + byMs, lastSeenAt: row.lastSeenAt + byMs });
      }
    },
    /** Stores the changes held here. Throws while there is no space. */
    save(): void {
      for (const row of unsaved.values()) {
        if (findSessionUser(db, row.userId)) insertSession(db, row);
        unsaved.delete(row.idHash);
      }
      for (const idHash of ended) {
        deleteSession(db, idHash);
        ended.delete(idHash);
      }
    },
  };
}
