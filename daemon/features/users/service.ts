import { limits } from '../../contract/limits.ts';
import type { Actor } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { md5Of, type Passwords } from '../../lib/password.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import { findUser, findUserByName, hasGroup, insertUser, type StoredUser, setPasswordHash, userIds } from './store.ts';

export type { StoredUser };

/** The root user Admin. */
export const rootUserId = 1;

interface NewUser {
  readonly name: string;
  readonly password: string;
  readonly groupId: number;
}

export interface UserService {
  find(id: number): StoredUser | undefined;
  findByName(name: string): StoredUser | undefined;
  create(actor: Actor, user: NewUser): Promise<number>;
  /** Whether the root user has a password, that is whether the first start is over. */
  isSetUp(): boolean;
  /** Gives the root user its first password; refused (38) when it has one. */
  setUp(actor: Actor, password: string): Promise<void>;
}

interface UserOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly passwords: Passwords;
  readonly now: () => number;
}

export function createUserService({ db, audit, passwords, now }: UserOptions): UserService {
  let setUpDone = false;
  const isSetUp = () => {
    setUpDone ||= findUser(db, rootUserId)?.passwordHash != null;
    return setUpDone;
  };
  return {
    find: (id) => findUser(db, id),
    findByName: (name) => findUserByName(db, name),
    isSetUp,
    async create(actor, { name, password, groupId }) {
      const passwordHash = await passwords.hashMd5(md5Of(password));
      return transaction(db, (tx) => {
        if (!hasGroup(tx, groupId)) throw new HubError('userGroupNotExist', `there is no user group ${groupId}`);
        if (findUserByName(tx, name)) {
          throw new HubError('objectExists', `the user ${name} exists`, { params: { what: name } });
        }
        const id = freeUserId(tx);
        insertUser(tx, { id, name, groupId, passwordHash, createdAt: now() });
        audit.record(tx, actor, { action: 'user.add', subject: name, changes: [], result: 'success' });
        return id;
      });
    },
    async setUp(actor, password) {
      if (isSetUp()) throw alreadySetUp();
      const passwordHash = await passwords.hashMd5(md5Of(password));
      transaction(db, (tx) => {
        if (findUser(tx, rootUserId)?.passwordHash != null) throw alreadySetUp();
        setPasswordHash(tx, rootUserId, passwordHash);
        audit.record(tx, actor, { action: 'setup.finish', subject: 'Admin', changes: [], result: 'success' });
      });
    },
  };
}

function alreadySetUp(): HubError {
  return new HubError('wrongState', 'the password of Admin was chosen already; sign in instead');
}

/** Ids are single bits, because favourites and visibility are masks of them; a deleted user's bit is used again. */
function freeUserId(tx: Queries): number {
  const used = new Set(userIds(tx));
  for (let bit = 0; bit < limits.users; bit++) {
    if (!used.has(2 ** bit)) return 2 ** bit;
  }
  throw new HubError('tooMany', `a hub has at most ${limits.users} users`, { params: { limit: limits.users } });
}
