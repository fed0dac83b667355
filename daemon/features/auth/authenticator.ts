import type { EndReason } from '../../contract/auth.ts';
import type { Proof } from '../../http/middleware/session.ts';
import type { Session } from '../../http/route.ts';
import type { TokenService } from '../tokens/service.ts';
import type { Sessions } from './sessions.ts';

/** Authenticates callers: users by a session, programs by an access token. */
export interface Authenticator {
  identify(proof: Proof): Session | null;
  /** Why the session has ended; undefined if unknown. */
  whyEnded(proof: Proof): EndReason | undefined;
  /** Returns the current state without counting as use; null if it has ended. */
  current(idHash: string): Session | null;
  /** Calls the listener with the hash of each session and token that ends. */
  onEnd(listener: (idHash: string) => void): () => void;
}

export function createAuthenticator(
  sessions: Pick<Sessions, 'identify' | 'whyEnded' | 'current' | 'onEnd'>,
  /** Undefined if the hub has no access tokens. */
  tokens: Pick<TokenService, 'identify' | 'current' | 'onEnd'> | undefined,
): Authenticator {
  return {
    identify({ cookie, bearer, ip, isUse }) {
      // An explicit bearer token takes precedence over cookies.
      if (bearer !== undefined) return tokens?.identify(bearer, ip) ?? sessions.identify(bearer, { isUse });
      return cookie === undefined ? null : sessions.identify(cookie, { isUse });
    },
    whyEnded: ({ cookie, bearer }) => sessions.whyEnded(bearer ?? cookie ?? ''),
    current: (idHash) => tokens?.current(idHash) ?? sessions.current(idHash),
    onEnd(listener) {
      const stops = [sessions.onEnd(listener), tokens?.onEnd(listener)];
      return () => {
        for (const stop of stops) stop?.();
      };
    },
  };
}
