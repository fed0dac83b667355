import type { SessionUser } from '../../contract/auth.ts';
import type { ResultName } from '../../contract/result.ts';
import type { Actor, Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Passwords } from '../../lib/password.ts';
import { type Database, transaction } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import type { StoredUser, UserService } from '../users/service.ts';
import type { Sessions } from './sessions.ts';
import { createThrottle } from './throttle.ts';

interface Credentials {
  readonly name: string;
  /** MD5 of the password, hexadecimal. */
  readonly md5: string;
}

export interface AuthService {
  login(actor: Actor, credentials: Credentials): Promise<{ token: string; user: SessionUser }>;
  logout(actor: Actor, session: Session): void;
}

interface AuthOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly users: Pick<UserService, 'findByName'>;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

type Outcome = { readonly user: StoredUser } | { readonly refused: ResultName };

export function createAuthService({ db, audit, users, passwords, sessions, now, sleep }: AuthOptions): AuthService {
  const common = { freeFailures: 5, firstDelayMs: 250, forgetAfterMs: 15 * 60_000, mostKeys: 4096, now, sleep };
  // An address waits longer than a name: somebody who guesses must not keep the owner of the name out.
  const addresses = createThrottle({ ...common, longestDelayMs: 8000, longestQueue: 8 });
  const names = createThrottle({ ...common, longestDelayMs: 2000, longestQueue: 16 });

  const check = async ({ name, md5 }: Credentials): Promise<Outcome> => {
    const user = users.findByName(name);
    const isRight = await passwords.verifyMd5(md5, user?.passwordHash ?? null);
    if (user === undefined) return { refused: 'notExist' };
    return isRight ? { user } : { refused: 'mismatch' };
  };
  const isRefused = (outcome: Outcome) => 'refused' in outcome;

  return {
    async login({ ip }, credentials) {
      const attempt = () => names.run(credentials.name, () => check(credentials), isRefused);
      const outcome = await addresses.run(networkOf(ip), attempt, isRefused);
      if ('refused' in outcome) throw refuse(outcome.refused, credentials.name, ip);
      const { user } = outcome;
      const token = transaction(db, (tx) => {
        audit.record(
          tx,
          { name: user.name, ip },
          { action: 'session.start', subject: '', changes: [], result: 'success' },
        );
        return sessions.start(tx, user.id, ip);
      });
      return { token, user: wireUser(user) };
    },
    logout(actor, session) {
      transaction(db, (tx) => {
        audit.record(tx, actor, { action: 'session.end', subject: '', changes: [], result: 'success' });
        sessions.end(tx, session.idHash);
      });
    },
  };

  function refuse(result: ResultName, name: string, ip: string): HubError {
    // A password typed into the wrong field must not be kept: only names that exist are.
    const known = result === 'notExist' ? '' : name;
    audit.record(db, { name: known, ip }, { action: 'session.start', subject: '', changes: [], result });
    return new HubError(result, result === 'notExist' ? 'there is no such user' : 'the password is wrong');
  }
}

export function wireUser(user: Omit<StoredUser, 'passwordHash'>): SessionUser {
  return {
    name: user.name,
    id: user.id,
    'group-name': user.groupName,
    permission: user.permission,
    type: user.type,
  };
}

/** One subscriber of IPv6 owns a whole /64. */
function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const first = head.split(':').filter(Boolean);
  const last = tail.split(':').filter(Boolean);
  const middle = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...middle, ...last].slice(0, 4).join(':');
}
