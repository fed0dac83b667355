import type { EndReason } from '../../contract/auth.ts';
import type { Proof } from '../../http/middleware/session.ts';
import type { Session } from '../../http/route.ts';
import type { TokenService } from '../tokens/service.ts';
import type { Sessions } from './sessions.ts';

/** Authenticates callers: users by a session, programs by an access token. */
export function createAuthenticator(
  sessions: Pick<Sessions, 'identify' | 'whyEnded' | 'current' | 'onEnd'>,
  /** Undefined if the hub has no access tokens. */
  tokens: Pick<TokenService, 'identify' | 'current' | 'onEnd'> | undefined,
) {
  return {
    identify({ cookie, bearer, ip, isUse }: Proof): Session | null {
      // An explicit bearer token takes precedence over cookies.
      if (bearer !== undefined) return tokens?.identify(bearer, ip) ?? sessions.identify(bearer, { isUse });
      return cookie === undefined ? null : sessions.identify(cookie, { isUse });
    },
    /** Why the session has ended; undefined if unknown. */
    whyEnded: ({ cookie, bearer }: Proof): EndReason | undefined => sessions.whyEnded(bearer ?? cookie ?? ''),
    /** Returns the current state without counting as use; null if it has ended. */
    current: (idHash: string): Session | null => tokens?.current(idHash) ?? sessions.current(idHash),
    /** Calls the listener with the hash of each session and token that ends. */
    onEnd(listener: (idHash: string) => void): () => void {
      const stops = [sessions.onEnd(listener), tokens?.onEnd(listener)];
      return () => {
        for (const stop of stops) stop?.();
      };
    },
  };
}
