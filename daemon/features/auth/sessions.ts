import { createHash, randomBytes } from 'node:crypto';
import type { EndReason } from '../../contract/auth.ts';
import { limits } from '../../contract/limits.ts';
import { isViewOnly } from '../../contract/permission.ts';
import type { Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { plainLine } from '../../lib/log.ts';
import { orWithoutSpace, unlessNoSpace } from '../../lib/no-space.ts';
import type { Database, Queries } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import { createEndedSessions } from './end-reasons.ts';
import {
  countSessions,
  deleteSession,
  deleteSessionsCreatedBefore,
  deleteSessionsOf,
  deleteSessionsSeenBefore,
  insertSession,
  listSessions,
  oldestSession,
  type SessionRow,
  type StoredSession,
  setSessionStays,
  shiftSessions,
  touchSession,
} from './store.ts';
import { createUnsavedSessions } from './unsaved-sessions.ts';

/** Where a sign-in comes from. */
export interface Origin {
  readonly ip: string;
  /** User agent of the browser or program. */
  readonly agent?: string | undefined;
}

interface SessionOptions {
  readonly db: Database;
  readonly now: () => number;
  /** By how many milliseconds the clock was set since the last call. */
  readonly stepped: () => number;
  /** Minutes of inactivity after which a session ends; -1 never. */
  readonly expiryMinutes: () => number;
}

const maxPerUser = 64;
const longestMs = limits.sessionDays * 24 * 60 * 60_000;
const stringLength = 32;
const sessionString = /^[A-Z]{32}$/;
const longestAgent = 256;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ db, now, stepped, expiryMinutes }: SessionOptions) {
  // The time of last use is kept here to the second; the database gets it once a minute.
  const seen = new Map<string, number>();
  const ends = createEmitter<[idHash: string]>();
  const endedSessions = createEndedSessions();
  const unsaved = createUnsavedSessions(db);

  const ended = (idHash: string, reason: EndReason) => {
    seen.delete(idHash);
    endedSessions.note(idHash, reason);
    ends.emit(idHash);
  };
  const end = (tx: Queries, idHash: string, reason: EndReason) => {
    deleteSession(tx, idHash);
    if (unsaved.isUnsaved(idHash)) unsaved.end(idHash);
    ended(idHash, reason);
  };
  const endUnsaved = (idHash: string, reason: EndReason) => {
    unsaved.end(idHash);
    ended(idHash, reason);
  };
  /** Sessions outlast a clock that is set, as by the first answer of NTP. */
  const followClock = (): void => {
    const byMs = stepped();
    if (byMs === 0) return;
    for (const [idHash, at] of seen) seen.set(idHash, Math.min(at + byMs, now()));
    unsaved.shift(byMs);
    unlessNoSpace(() => shiftSessions(db, byMs, now()));
  };
  const newRow = (userId: number, { ip, agent = '' }: Origin) => {
    const text = newSessionString();
    const at = { createdAt: now(), lastSeenAt: now() };
    return { text, row: { idHash: hashOf(text), userId, address: ip, agent: nameOf(agent), stays: false, ...at } };
  };
  // A time from the database may be up to a minute old: after a restart that minute is added.
  const lastUseOf = ({ idHash, lastSeenAt }: StoredSession) => seen.get(idHash) ?? lastSeenAt + timing.auth.touchMs;
  const endOf = (stored: StoredSession): EndReason | undefined => {
    if (now() - stored.createdAt > longestMs) return 'tooOld';
    if (isStaying(stored)) return undefined;
    return isExpired(now() - lastUseOf(stored), expiryMinutes()) ? 'expired' : undefined;
  };
  const live = (idHash: string) => {
    followClock();
    const stored = unsaved.find(idHash);
    if (stored === undefined) {
      seen.delete(idHash);
      return null;
    }
    const reason = endOf(stored);
    if (reason !== undefined) {
      orWithoutSpace(
        () => end(db, idHash, reason),
        () => endUnsaved(idHash, reason),
      );
      return null;
    }
    return stored;
  };

  return {
    /** Starts a session; returns its token, which is not stored. */
    start(tx: Queries, userId: number, from: Origin): string {
      followClock();
      while (countSessions(tx, userId) >= maxPerUser) end(tx, oldestSession(tx, userId) ?? '', 'tooMany');
      const { text, row } = newRow(userId, from);
      insertSession(tx, row);
      seen.set(row.idHash, now());
      return text;
    },
    /** The same while nothing can be stored: this session ends with the hub, unless there is space again before. */
    startUnsaved(userId: number, from: Origin): string {
      followClock();
      const [oldest, ...others] = unsaved.list(userId);
      if (oldest !== undefined && others.length + 1 >= maxPerUser) endUnsaved(oldest.idHash, 'tooMany');
      const { text, row } = newRow(userId, from);
      unsaved.begin(row);
      seen.set(row.idHash, now());
      return text;
    },
    /** Returns the session; if `isUse`, records that it was used. */
    identify(text: string, { isUse }: { readonly isUse: boolean }): Session | null {
      if (!sessionString.test(text)) return null;
      const session = live(hashOf(text));
      if (session === null) return null;
      if (!isUse) return { idHash: session.idHash, user: session.user };
      const isDue = now() - session.lastSeenAt >= timing.auth.touchMs;
      if (isDue) unlessNoSpace(() => touchSession(db, session.idHash, now()));
      seen.set(session.idHash, now());
      return { idHash: session.idHash, user: session.user };
    },
    /** Why the session has ended; undefined if unknown. */
    whyEnded: (text: string): EndReason | undefined =>
      sessionString.test(text) ? endedSessions.reasonOf(hashOf(text)) : undefined,
    /** Seconds until the session ends if it is not used; -1 never. */
    secondsLeft(idHash: string): number {
      followClock();
      const minutes = expiryMinutes();
      if (minutes === limits.sessionMinutes.never) return minutes;
      const stored = unsaved.find(idHash);
      if (stored === undefined) return 0;
      if (isStaying(stored)) return limits.sessionMinutes.never;
      return Math.max(0, Math.ceil((lastUseOf(stored) + minutes * 60_000 - now()) / 1000));
    },
    /** Whether the session stays, also if that has no effect because its user may change something by now. */
    stays: (idHash: string): boolean => unsaved.find(idHash)?.stays ?? false,
    setStays: (tx: Queries, idHash: string, stays: boolean): void => setSessionStays(tx, idHash, stays),
    /** Returns the current state without counting as use; null if it has ended. */
    current: live,
    end,
    /** The same while nothing can be stored. */
    endUnsaved,
    /** Ends all sessions of a user, or all but one. */
    endAll(tx: Queries, userId: number, reason: EndReason, except?: string): void {
      for (const idHash of deleteSessionsOf(tx, userId, except)) ended(idHash, reason);
      for (const { idHash } of unsaved.list(userId)) if (idHash !== except) endUnsaved(idHash, reason);
    },
    /** Returns the sessions of a user that have not expired, the newest first. */
    list(userId: number): SessionRow[] {
      const all = [...unsaved.list(userId).toReversed(), ...listSessions(db, userId)];
      const rows = all.filter(({ idHash }) => live(idHash) !== null);
      return rows.map((row) => ({ ...row, lastSeenAt: seen.get(row.idHash) ?? row.lastSeenAt }));
    },
    /** Stores sessions that could not be stored before, and deletes expired ones, also after the limit was lowered. */
    sweep(): void {
      followClock();
      unsaved.save();
      for (const idHash of deleteSessionsCreatedBefore(db, now() - longestMs)) ended(idHash, 'tooOld');
      const minutes = expiryMinutes();
      if (minutes === limits.sessionMinutes.never) return;
      // For sessions in use, the database is at most a minute behind.
      const limit = now() - minutes * 60_000 - timing.auth.touchMs;
      for (const idHash of deleteSessionsSeenBefore(db, limit)) ended(idHash, 'expired');
    },
    /** Calls the listener with the hash of each session that ends. */
    onEnd: ends.on,
  };
}

/** A session that may change something is never left open on a screen. */
function isStaying({ stays, user }: StoredSession): boolean {
  return stays && isViewOnly(user.permission);
}

function isExpired(idleMs: number, minutes: number): boolean {
  return minutes !== limits.sessionMinutes.never && idleMs > minutes * 60_000;
}

function nameOf(agent: string): string {
  return plainLine(agent).slice(0, longestAgent);
}

function hashOf(sessionString: string): string {
  return createHash('sha256').update(sessionString).digest('hex');
}

/** 32 upper-case letters, each equally likely: 150 bits. */
function newSessionString(): string {
  let text = '';
  while (text.length < stringLength) {
    for (const byte of randomBytes(stringLength)) {
      if (byte < 234 && text.length < stringLength) text += String.fromCharCode(65 + (byte % 26));
    }
  }
  return text;
}
