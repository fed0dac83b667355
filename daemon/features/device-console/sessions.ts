/** Tickets, with which the hub's own page opens that of a device, and the sessions that they become. In memory only. */
import { createHash, randomBytes } from 'node:crypto';
import type { Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { type CookieJar, createCookieJar } from './cookie-jar.ts';

/** Who opens the page of which device. */
export interface Opening {
  readonly sn: string;
  readonly session: Session;
  /** Origin of the page of the hub that it was opened from. */
  readonly hub: string;
}

export interface ConsoleSession extends Opening {
  /** Of the console: each has an origin of its own in the browser. */
  readonly port: number;
  /** `Host` of the page. */
  readonly authority: string;
  readonly jar: CookieJar;
  /** Whether the browser may have stored credentials of another device for this origin; false once the device has asked. */
  mayHaveOthers: boolean;
  readonly key: string;
  usedAt: number;
  /** End the requests and WebSockets that are open. */
  readonly open: Set<() => void>;
}

interface SessionsOptions {
  /** Milliseconds that never go back. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A session without requests ends after this time. */
  readonly idleMs: number;
}

export const maxTickets = 256;
export const maxSessions = 128;
export const maxSessionsOfUser = 16;

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;

export function createConsoleSessions({ elapsed, now, idleMs }: SessionsOptions) {
  const tickets = new Map<string, Opening & { readonly expiresAt: number }>();
  /** By the hash of their cookie, the one that was used last at the end. */
  const sessions = new Map<string, ConsoleSession>();

  const valid = (ticket: string) => {
    const found = tickets.get(hashOf(ticket));
    return found !== undefined && found.expiresAt > elapsed() ? found : undefined;
  };
  const end = (session: ConsoleSession): void => {
    sessions.delete(session.key);
    for (const stop of [...session.open]) stop();
  };
  const isIdle = ({ usedAt, open }: ConsoleSession) => open.size === 0 && elapsed() - usedAt > idleMs;

  return {
    /** Returns a ticket that is used once, within `ms`. */
    issue(opening: Opening, ms: number): string {
      for (const [key, { expiresAt }] of tickets) if (expiresAt <= elapsed()) tickets.delete(key);
      const [oldest] = tickets.keys();
      if (tickets.size >= maxTickets && oldest !== undefined) tickets.delete(oldest);
      const ticket = randomBytes(32).toString('base64url');
      tickets.set(hashOf(ticket), { ...opening, expiresAt: elapsed() + ms });
      return ticket;
    },
    /** What the ticket is for, which remains valid; undefined if it is not. */
    look: (ticket: string): Opening | undefined => valid(ticket),
    /** The same, and the ticket is used. */
    take(ticket: string): Opening | undefined {
      const found = valid(ticket);
      tickets.delete(hashOf(ticket));
      return found;
    },
    /** Begins a session; returns it with its secret, which is not stored. Throws `tooMany`. */
    begin(opening: Opening, at: Pick<ConsoleSession, 'port' | 'authority' | 'mayHaveOthers'>) {
      const { sn, session, hub } = opening;
      for (const one of [...sessions.values()]) if (isIdle(one)) end(one);
      const ofUser = [...sessions.values()].filter((one) => one.session.user.id === session.user.id);
      const [oldest] = ofUser;
      if (ofUser.length >= maxSessionsOfUser && oldest !== undefined) end(oldest);
      if (sessions.size >= maxSessions)
        throw new HubError('tooMany', `at most ${maxSessions} web pages of devices can be open`);
      const secret = randomBytes(32).toString('base64url');
      const key = hashOf(secret);
      const started: ConsoleSession = {
        ...{ sn, session, hub, ...at },
        ...{ jar: createCookieJar(now), key, usedAt: elapsed(), open: new Set() },
      };
      sessions.set(key, started);
      return { secret, started };
    },
    /** Returns the session of a cookie, which counts as use; undefined if it has ended. */
    find(secret: string): ConsoleSession | undefined {
      const session = sessions.get(hashOf(secret));
      if (session === undefined) return undefined;
      if (isIdle(session)) {
        end(session);
        return undefined;
      }
      sessions.delete(session.key);
      sessions.set(session.key, session);
      session.usedAt = elapsed();
      return session;
    },
    end,
    all: (): readonly ConsoleSession[] => [...sessions.values()],
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Names a device in a cookie. */
export function markOf(sn: string): string {
  return hashOf(sn).slice(0, 16);
}
