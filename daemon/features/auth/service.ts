import type { Challenge, SessionUser } from '../../contract/auth.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { holds, isViewOnly } from '../../contract/permission.ts';
import type { ResultName } from '../../contract/result.ts';
import type { OpenSession } from '../../contract/sessions.ts';
import type { Actor, Session } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { orWithoutSpace } from '../../lib/no-space.ts';
import type { Passwords } from '../../lib/password.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { Audit } from '../logs/audit.ts';
import type { NewPassword, StoredUser, UserService } from '../users/service.ts';
import { createLoginLimiter } from './login-limiter.ts';
import { createPresentPasswords, type Evidence, type GivenPassword } from './present-password.ts';
import type { Sessions } from './sessions.ts';
import type { SetupCode } from './setup-code.ts';
import { listPlaces } from './store.ts';

interface Credentials extends GivenPassword {
  readonly name: string;
  readonly agent?: string | undefined;
}

export interface FirstPassword {
  readonly password: string;
  readonly code?: string | undefined;
  /** Whether it was sent from another machine. */
  readonly needsCode: boolean;
}

export interface PasswordChange extends NewPassword {
  /** The user of the session if absent. */
  readonly name?: string | undefined;
  /** The current password; required if users change their own. */
  readonly old: GivenPassword;
  readonly agent?: string | undefined;
  /** False keeps the access tokens when users change their own password. */
  readonly endTokens?: boolean | undefined;
}

interface AuthOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly users: Pick<
    UserService,
    | ('find' | 'findByName' | 'acceptPassword' | 'credentials' | 'storePassword' | 'storeSignInKey')
    | ('isSetUp' | 'setUp')
  >;
  readonly setupCode: SetupCode;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly sessions: Sessions;
  /** Whether the hub accepts the MD5 of a password instead of the password. */
  readonly allowsMd5: () => boolean;
  /** Ends the access tokens of a user; returns how many. */
  readonly endTokens: (tx: Queries, userId: number) => number;
  readonly now: () => number;
  /** Milliseconds that passed: delays do not depend on the clock, which may be set. */
  readonly elapsed: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly log: Log;
}

/** Where the current password is requested: its field, and the action of the log. */
interface Asked {
  readonly path: string;
  /** Field of its MD5. */
  readonly md5Path: string;
  readonly action: string;
}

type Outcome = { readonly user: StoredUser } | { readonly refused: ResultName };

/** Sign-in and sign-out must not fail because a row cannot be written to the database. */
const unrecorded = 'without an entry in the operation log: no space is left on the data folder';

const ofOwn: Asked = { path: 'old-password', md5Path: 'old-passwd', action: 'user.password' };

export type AuthService = ReturnType<typeof createAuthService>;

export function createAuthService(options: AuthOptions) {
  const { db, audit, users, sessions, setupCode, now, elapsed, sleep, log } = options;
  const guard = createLoginLimiter({
    ...{ now: elapsed, sleep },
    // The empty name is that of the setup code.
    isUser: (name) => name === '' || users.findByName(name) !== undefined,
    signedIn: listPlaces(db),
  });
  const present = createPresentPasswords({
    ...{ passwords: options.passwords, secrets: options.secrets, now: elapsed },
    ...{ findByName: users.findByName, allowsMd5: options.allowsMd5 },
  });
  const check = async (name: string, evidence: Evidence): Promise<Outcome> => {
    const user = users.findByName(name);
    const isRight = await present.isRight(user, evidence);
    if (user === undefined) return { refused: 'notExist' };
    return isRight ? { user } : { refused: 'mismatch' };
  };
  const isRefused = (outcome: Outcome) => 'refused' in outcome;
  const attempt = (ip: string, name: string, evidence: Evidence) =>
    guard.run({ ip, name }, () => check(name, evidence), isRefused);
  /** Returns the current row; undefined if the user was deleted or the password changed since the check. */
  const unchanged = ({ id, passwordHash }: StoredUser): StoredUser | undefined => {
    const user = users.find(id);
    return user?.passwordHash === passwordHash ? user : undefined;
  };
  const refuseOwn = (actor: Actor, { path, action }: Asked, result: ResultName): HubError => {
    audit.note(db, actor, { action, subject: actor.name, result });
    const message = 'the current password is wrong';
    return new HubError('mismatch', message, { fields: [{ path, rule: 'mismatch', message }] });
  };
  /** Guesses of the current password in an open session are delayed as at sign-in. */
  const verifyOwn = async (actor: Actor, session: Session, given: GivenPassword, asked: Asked): Promise<StoredUser> => {
    const by = { name: actor.name, ip: actor.ip, session: session.idHash };
    const evidence = present.read(given, by, asked.md5Path);
    if (evidence === undefined) throw fieldError(asked.path, 'required', 'the current password is required');
    const outcome = await attempt(actor.ip, actor.name, evidence);
    if ('refused' in outcome) throw refuseOwn(actor, asked, outcome.refused);
    return outcome.user;
  };

  /** Guesses of the setup code are delayed like guesses of a password. No user has an empty name. */
  const checkSetupCode = async ({ ip }: Actor, code: string | undefined): Promise<void> => {
    if (code === undefined) throw fieldError('code', 'required', 'the set-up code from the log of the hub is required');
    const check = () => Promise.resolve(setupCode.matches(code));
    if (await guard.run({ ip, name: '' }, check, (isRight) => !isRight)) return;
    const message = 'the set-up code is wrong; the hub writes it to its log at each start';
    throw new HubError('mismatch', message, { fields: [{ path: 'code', rule: 'setupCode', message }] });
  };

  return {
    /** Delays attempts to guess another secret as those at sign-in; `name` stands for the secret. */
    limitGuesses: guard.run,
    /** Sets the first password of Admin. Throws `wrongState` if there already is one, `mismatch` for a wrong code. */
    async setUp(actor: Actor, { password, code, needsCode }: FirstPassword): Promise<void> {
      if (needsCode && !users.isSetUp()) await checkSetupCode(actor, code);
      await users.setUp(actor, password);
    },
    /** Returns a challenge for the password of `name`; undefined if that user must send the password once. */
    challenge: ({ ip }: Actor, session: Session | null, name: string): Challenge | undefined =>
      present.challenge({ name, ip, session: session?.idHash ?? '' }),
    /** `session` is that of the caller: a challenge is bound to it. */
    async login(
      { ip }: Actor,
      session: Session | null,
      credentials: Credentials,
    ): Promise<{ token: string; user: SessionUser }> {
      const { name } = credentials;
      const evidence = present.read(credentials, { name, ip, session: session?.idHash ?? '' }, 'pass');
      if (evidence === undefined) throw fieldError('pass', 'required', 'send pass, password, or challenge and proof');
      const outcome = await attempt(ip, name, evidence);
      if ('refused' in outcome) throw refuse(outcome.refused, credentials, ip);
      const newKey = await present.newKey(outcome.user, evidence);
      // In the meantime the password may have been reset, or the user deleted and the id given to another user.
      const user = unchanged(outcome.user);
      if (user === undefined) throw refuse('mismatch', credentials, ip);
      const from = { ip, agent: credentials.agent };
      const entry = { action: 'session.start', subject: '' } as const;
      const stored = () =>
        transaction(db, (tx) => {
          if (newKey !== undefined) users.storeSignInKey(tx, user.id, newKey);
          audit.record(tx, { name: user.name, ip }, entry);
          return sessions.start(tx, user.id, from);
        });
      const unsaved = () => {
        log.warn(`signed in ${unrecorded}`, { user: user.name, peer: ip });
        return sessions.startUnsaved(user.id, from);
      };
      return { token: orWithoutSpace(stored, unsaved), user: userToWire(user) };
    },
    /** Starts a session for a user who has proved their identity otherwise; undefined if there is no such user. */
    startFor({ ip }: Actor, userId: number, agent: string | undefined) {
      const user = users.find(userId);
      if (user === undefined) return undefined;
      const token = transaction(db, (tx) => {
        audit.record(tx, { name: user.name, ip }, { action: 'session.start', subject: '' });
        return sessions.start(tx, userId, { ip, agent });
      });
      return { token, user: userToWire(user) };
    },
    logout(actor: Actor, session: Session): void {
      if (session.token) return;
      const stored = () =>
        transaction<void>(db, (tx) => {
          audit.record(tx, actor, { action: 'session.end', subject: '' });
          sessions.end(tx, session.idHash, 'signedOut');
        });
      orWithoutSpace(stored, () => {
        log.warn(`signed out ${unrecorded}`, { user: actor.name, peer: actor.ip });
        sessions.endUnsaved(session.idHash, 'signedOut');
      });
    },
    list: ({ user, idHash }: Session): OpenSession[] =>
      sessions.list(user.id).map((one) => ({
        ...{ id: shortId(one.idHash), ip: one.address, agent: one.agent, current: one.idHash === idHash },
        ...{ 'create-time': one.createdAt, 'last-seen': one.lastSeenAt },
      })),
    /** Seconds until the session ends if it is not used; -1 never. */
    expiresIn({ idHash, token }: Session): number {
      if (token === undefined) return sessions.secondsLeft(idHash);
      return token.expiresAt === null ? -1 : Math.max(0, Math.ceil((token.expiresAt - now()) / 1000));
    },
    /** Ends the session with the listed `id`, or all of the user's sessions except this one. */
    end(actor: Actor, { user, idHash, token }: Session, which: { readonly id: string } | 'others'): void {
      // A token may have fewer permissions than its owner, and could lock the owner out.
      if (token) throw new HubError('notPermitted', 'sign in to end sessions');
      const asked =
        which === 'others' ? undefined : sessions.list(user.id).find((one) => shortId(one.idHash) === which.id);
      if (which !== 'others' && asked === undefined) throw new HubError('notExist', 'there is no such session');
      transaction(db, (tx) => {
        if (asked === undefined) sessions.endAll(tx, user.id, 'endedElsewhere', idHash);
        else sessions.end(tx, asked.idHash, 'endedElsewhere');
        const subject = asked?.address ?? '';
        audit.record(tx, actor, { action: 'session.endOther', subject });
      });
    },
    /** Whether the session was chosen to stay signed in. */
    stays: ({ idHash, token }: Session): boolean => token === undefined && sessions.stays(idHash),
    /** Chooses whether the session ends from inactivity. */
    setStays(actor: Actor, { user, idHash, token }: Session, stays: boolean): void {
      if (token) throw new HubError('notPermitted', 'only a session can stay signed in');
      if (stays && !isViewOnly(user.permission)) {
        throw new HubError('notPermitted', 'only users who may view and not change anything can stay signed in');
      }
      transaction(db, (tx) => {
        sessions.setStays(tx, idHash, stays);
        audit.record(tx, actor, { action: stays ? 'session.stay' : 'session.noStay', subject: '' });
      });
    },
    /**
     * Checks that the user of a session knows the password; an attacker who took over an open session does not. Throws
     * `mismatch` for a wrong one, which is delayed as at sign-in and logged as a failed `action`. Access tokens pass.
     */
    async confirm(actor: Actor, session: Session, given: GivenPassword, action: string): Promise<void> {
      if (session.token) return;
      const asked = { path: 'password', md5Path: 'pass', action };
      const verified = await verifyOwn(actor, session, given, asked);
      if (!unchanged(verified)) throw refuseOwn(actor, asked, 'mismatch');
    },
    /** Returns the new session token if users changed their own password. */
    async changePassword(actor: Actor, session: Session, change: PasswordChange): Promise<{ token?: string }> {
      const { name = actor.name } = change;
      const isOwn = name === actor.name;
      if (!isOwn && !holds(session.user.permission, 'userControl')) {
        throw new HubError('notPermitted', 'only administrators can set the passwords of other users');
      }
      // A token may have fewer permissions than its owner; a new password would give it the rest.
      if (isOwn && session.token) throw new HubError('notPermitted', 'sign in to change your own password');
      const md5 = users.acceptPassword(actor, name, change);
      const verified = isOwn ? await verifyOwn(actor, session, change.old, ofOwn) : undefined;
      const credentials = await users.credentials(md5);
      if (verified && !unchanged(verified)) throw refuseOwn(actor, ofOwn, 'mismatch');
      return transaction(db, (tx) => {
        const userId = users.storePassword(tx, name, credentials);
        sessions.endAll(tx, userId, isOwn ? 'passwordChanged' : 'passwordReset');
        const tokens = isOwn && change.endTokens === false ? 0 : options.endTokens(tx, userId);
        const changes: OperationChange[] = [{ word: 'password' }];
        if (tokens > 0) changes.push({ word: 'endedTokens', value: String(tokens) });
        audit.record(tx, actor, { action: 'user.password', subject: name, changes });
        return isOwn ? { token: sessions.start(tx, userId, { ip: actor.ip, agent: change.agent }) } : {};
      });
    },
  };

  /** Only the published form distinguishes an unknown name from a wrong password. */
  function refuse(result: ResultName, { name, pass }: Credentials, ip: string): HubError {
    // A password typed into the wrong field must not be stored: only names that exist are logged.
    const known = result === 'notExist' ? '' : name;
    audit.note(db, { name: known, ip }, { action: 'session.start', subject: '', result });
    if (pass === undefined) return new HubError('mismatch', 'the user name or the password is wrong');
    return new HubError(result, result === 'notExist' ? 'there is no such user' : 'the password is wrong');
  }
}

/** Enough to identify one of 64 sessions, too little to be mistaken for the session. */
function shortId(idHash: string): string {
  return idHash.slice(0, 16);
}

export function userToWire(user: Session['user']): SessionUser {
  return {
    name: user.name,
    id: user.id,
    'group-name': user.groupName,
    permission: user.permission,
    type: user.type,
  };
}
