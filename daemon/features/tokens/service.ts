import { createHash, randomBytes } from 'node:crypto';
import type * as z from 'zod/mini';
import { endless, limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { closure, groupTypes, holds, maskOf, permissions } from '../../contract/permission.ts';
import type { TokenFields } from '../../contract/token-fields.ts';
import type { AccessToken } from '../../contract/tokens.ts';
import type { Actor, Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { unlessNoSpace } from '../../lib/no-space.ts';
import { notExist, tooMany } from '../../lib/refusals.ts';
import { refuseTaken } from '../../store/constraint.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import {
  countTokens,
  deleteTokens,
  deleteTokensOf,
  findToken,
  findTokenByHash,
  insertToken,
  listTokens,
  type StoredToken,
  touchToken,
} from './store.ts';

interface TokenOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly now: () => number;
}

const everything = maskOf(...permissions);
const prefix = 'token:';
const dayMs = 24 * 60 * 60_000;

export type TokenService = ReturnType<typeof createTokenService>;

export function createTokenService({ db, audit, now }: TokenOptions) {
  const ends = createEmitter<[idHash: string]>();
  const ended = (ids: readonly number[]) => {
    for (const id of ids) ends.emit(`${prefix}${id}`);
  };
  const live = (stored: StoredToken | undefined): Session | null => {
    if (stored === undefined || (stored.expiresAt !== null && stored.expiresAt <= now())) return null;
    return sessionOf(stored);
  };
  return {
    /** Returns the session of a program with this token, and records the use. */
    identify(token: string, address: string): Session | null {
      if (!/^[A-Za-z0-9]{64}$/.test(token)) return null;
      const stored = findTokenByHash(db, hashOf(token));
      const session = live(stored);
      if (stored === undefined || session === null) return null;
      const isDue = now() - (stored.lastUsedAt ?? 0) >= timing.auth.touchMs;
      if (isDue) unlessNoSpace(() => touchToken(db, stored.id, now(), address));
      return session;
    },
    /** Returns the current state by the session's hash, without counting as use. */
    current: (idHash: string): Session | null =>
      idHash.startsWith(prefix) ? live(findToken(db, Number(idHash.slice(prefix.length)))) : null,
    list: (session: Session): AccessToken[] =>
      listTokens(db, seesAll(session) ? undefined : session.user.id).map(showToken),
    add(
      actor: Actor,
      session: Session,
      {
        name,
        token = newToken(),
        permission = session.user.permission & everything,
        expire,
      }: z.infer<typeof TokenFields>,
    ): { id: number; token: string } {
      const permissionMask = refuseWider(session, permission);
      const expiresAt = refuseLonger(session, expire, now());
      return refuseTaken({ 'access_tokens.hash': duplicate }, () =>
        transaction(db, (tx) => {
          if (countTokens(tx) >= limits.tokens) throw tooMany('access tokens', limits.tokens);
          const hash = hashOf(token);
          const id = insertToken(tx, {
            name,
            hash,
            userId: session.user.id,
            permissionMask,
            createdAt: now(),
            expiresAt,
          });
          const changes: OperationChange[] = [
            expiresAt === null ? { word: 'noExpiry' } : { word: 'expires', value: new Date(expiresAt).toISOString() },
          ];
          audit.record(tx, actor, { action: 'token.add', subject: name, changes });
          return { id, token };
        }),
      );
    },
    del(actor: Actor, session: Session, ids: readonly number[]): void {
      transaction(db, (tx) => {
        for (const stored of existing(tx, session, ids)) {
          const { name, owner } = stored;
          refuseStronger(session, stored);
          const changes: OperationChange[] = [{ word: 'owner', value: owner.name }];
          audit.record(tx, actor, { action: 'token.del', subject: name, changes });
        }
        deleteTokens(tx, ids);
      });
      ended(ids);
    },
    /** Ends the tokens of a user; returns how many. */
    endAll(tx: Queries, userId: number): number {
      const ids = deleteTokensOf(tx, userId);
      ended(ids);
      return ids.length;
    },
    /** Calls the listener with the session hash of each token that ends. */
    onEnd: ends.on,
  };
}

/** A token with all permissions is an administrator if its owner is one. */
function sessionOf({ id, name, permissionMask, expiresAt, owner }: StoredToken): Session {
  const isAdmin = owner.type === groupTypes.admin && permissionMask === everything;
  const permission = (owner.permission & permissionMask) >>> 0;
  const type = owner.type === groupTypes.admin && !isAdmin ? groupTypes.custom : owner.type;
  return { user: { ...owner, permission, type }, idHash: `${prefix}${id}`, token: { id, name, expiresAt } };
}

function seesAll(session: Session): boolean {
  return holds(session.user.permission, 'userControl');
}

/** Throws `notExist` for tokens that the caller may not see. */
function existing(tx: Queries, session: Session, ids: readonly number[]): StoredToken[] {
  return ids.map((id) => {
    const token = findToken(tx, id);
    if (token === undefined || !(seesAll(session) || token.owner.id === session.user.id)) {
      throw notExist('access token', id);
    }
    return token;
  });
}

/** A token must not delete tokens that have more permissions. */
function refuseStronger({ token, user }: Session, { permissionMask }: StoredToken): void {
  if (token === undefined || (permissionMask & ~user.permission) === 0) return;
  throw new HubError('notPermitted', 'a token cannot delete a token with more permissions');
}

function refuseWider(session: Session, asked: number): number {
  if (asked === 0) throw fieldError('permission', 'required', 'a token needs at least one permission');
  if ((asked & ~everything) !== 0) {
    throw fieldError('permission', 'unknown', 'it contains bits that are not permissions');
  }
  const mask = closure(asked);
  if ((mask & ~session.user.permission) !== 0) {
    throw fieldError('permission', 'wider', 'a token cannot exceed the permissions of its owner');
  }
  return mask;
}

/** Tokens made by a token must not outlive it: otherwise its holder could extend the access. */
function refuseLonger(session: Session, expire: number | undefined, now: number): number | null {
  const own = session.token?.expiresAt ?? null;
  const byDefault = Math.min(own ?? Number.POSITIVE_INFINITY, now + limits.tokenDays * dayMs);
  const asked = expire === undefined ? byDefault : expire === endless ? null : expire;
  if (asked !== null && asked <= now) throw fieldError('expire', 'past', 'this time is in the past');
  if (own !== null && (asked === null || asked > own)) {
    throw fieldError('expire', 'wider', 'a token created with a token cannot outlive it');
  }
  return asked;
}

function duplicate(): HubError {
  const message = 'this access token already exists';
  return new HubError('objectExists', message, {
    params: { what: 'token' },
    fields: [{ path: 'token', rule: 'exists', message }],
  });
}

function showToken(stored: StoredToken): AccessToken {
  return {
    id: stored.id,
    name: stored.name,
    owner: stored.owner.name,
    permission: sessionOf(stored).user.permission,
    'create-time': stored.createdAt,
    expire: stored.expiresAt ?? endless,
    'last-used': stored.lastUsedAt ?? 0,
    'last-ip': stored.lastAddress,
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 64 letters and digits, each equally likely: 381 bits. */
function newToken(): string {
  let text = '';
  while (text.length < limits.tokenLength) {
    for (const byte of randomBytes(limits.tokenLength)) {
      if (byte < 248 && text.length < limits.tokenLength) text += letters[byte % letters.length];
    }
  }
  return text;
}
