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

export interface UnsavedSessions {
  /** Returns the session, stored or not, unless it has ended. */
  find(idHash: string): StoredSession | undefined;
  begin(row: SessionRow): void;
  isUnsaved(idHash: string): boolean;
  /** A stored session also counts as ended, although its row cannot be deleted yet. */
  end(idHash: string): void;
  /** Returns the sessions of a user that are not stored. */
  list(userId: number): SessionRow[];
  /** Stores the changes held here. Throws while there is no space. */
  save(): void;
}

export function createUnsavedSessions(db: Database): UnsavedSessions {
  const unsaved = new Map<string, SessionRow>();
  const ended = new Set<string>();
  return {
    find(idHash) {
      if (ended.has(idHash)) return undefined;
      const row = unsaved.get(idHash);
      if (row === undefined) return findSession(db, idHash);
      const user = findSessionUser(db, row.userId);
      return user && { idHash, createdAt: row.createdAt, lastSeenAt: row.lastSeenAt, user };
    },
    begin: (row) => void unsaved.set(row.idHash, row),
    isUnsaved: (idHash) => unsaved.has(idHash),
    end(idHash) {
      if (!unsaved.delete(idHash)) ended.add(idHash);
    },
    list: (userId) => [...unsaved.values()].filter((row) => row.userId === userId),
    save() {
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
