import type { EndReason } from '../../contract/auth.ts';
import type { Proof } from '../../http/middleware/session.ts';
import type { Session } from '../../http/route.ts';
import type { TokenService } from '../tokens/service.ts';
import type { Sessions } from './sessions.ts';

/** Whoever was let in: people by a session, programs by an access token. */
export interface Visitors {
  identify(proof: Proof): Session | null;
  /** Why what they brought opens nothing any more; undefined where that isn't known. */
  whyEnded(proof: Proof): EndReason | undefined;
  /** As it is now, without counting as use; null when it ended. */
  current(idHash: string): Session | null;
  /** Calls back with the name of each session and token that ends. */
  onEnd(listener: (idHash: string) => void): () => void;
}

export function createVisitors(
  sessions: Pick<Sessions, 'identify' | 'whyEnded' | 'current' | 'onEnd'>,
  /** Undefined where the hub has none. */
  tokens: Pick<TokenService, 'identify' | 'current' | 'onEnd'> | undefined,
): Visitors {
  return {
    identify({ cookie, bearer, ip, isUse }) {
      // Whoever names a bearer means it, whatever cookies came along.
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
