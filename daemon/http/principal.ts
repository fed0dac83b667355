/** Work that outlasts its call (tasks, schedules, forwards): who ordered it, and what that user may do now. */
import type { Session } from './route.ts';

export interface Principal {
  /** Id of the user; 0: the user was deleted. */
  readonly ownerId: number;
  /** Id of the access token that was used; 0: the user had signed in. */
  readonly tokenId: number;
}

export function principalOf({ user, token }: Session): Principal {
  return { ownerId: user.id, tokenId: token?.id ?? 0 };
}

/** Returns a session with the present permissions; null if the user or the token no longer exists. */
export type CurrentSession = (of: Principal) => Session | null;

interface CurrentSessionOptions {
  readonly findUser: (id: number) => Session['user'] | undefined;
  /** Returns null if the token was deleted or has expired. */
  readonly tokenSession: (id: number) => Session | null;
}

export function createCurrentSession({ findUser, tokenSession }: CurrentSessionOptions): CurrentSession {
  return ({ ownerId, tokenId }) => {
    if (ownerId === 0) return null;
    if (tokenId === 0) {
      const user = findUser(ownerId);
      return user === undefined ? null : { user, idHash: '' };
    }
    const session = tokenSession(tokenId);
    // Ids of users are used again.
    return session?.user.id === ownerId ? session : null;
  };
}
