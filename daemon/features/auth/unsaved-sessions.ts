/** Sessions while the data folder is full: begun without a row in the database, or ended with one. */
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
  /** The session, stored or not, unless it has ended. */
  find(idHash: string): StoredSession | undefined;
  begin(row: SessionRow): void;
  isBegun(idHash: string): boolean;
  /** A session that is stored counts as ended, too, although its row can't be deleted yet. */
  end(idHash: string): void;
  /** Those of a user that are not stored. */
  list(userId: number): SessionRow[];
  /** Stores what is known here only. Throws while there is no space. */
  save(): void;
}

export function createUnsavedSessions(db: Database): UnsavedSessions {
  const begun = new Map<string, SessionRow>();
  const ended = new Set<string>();
  return {
    find(idHash) {
      if (ended.has(idHash)) return undefined;
      const row = begun.get(idHash);
      if (row === undefined) return findSession(db, idHash);
      const user = findSessionUser(db, row.userId);
      return user && { idHash, createdAt: row.createdAt, lastSeenAt: row.lastSeenAt, user };
    },
    begin: (row) => void begun.set(row.idHash, row),
    isBegun: (idHash) => begun.has(idHash),
    end(idHash) {
      if (!begun.delete(idHash)) ended.add(idHash);
    },
    list: (userId) => [...begun.values()].filter((row) => row.userId === userId),
    save() {
      for (const row of begun.values()) {
        if (findSessionUser(db, row.userId)) insertSession(db, row);
        begun.delete(row.idHash);
      }
      for (const idHash of ended) {
        deleteSession(db, idHash);
        ended.delete(idHash);
      }
    },
  };
}
