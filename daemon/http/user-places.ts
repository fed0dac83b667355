import { HubError } from '../lib/hub-error.ts';
import { accessFor } from './access.ts';
import type { Session } from './route.ts';

interface UserPlacesOptions {
  /** What takes a place, in the plural; for the refusal. */
  readonly what: string;
  readonly most: number;
  /** Of `most`, only for users who may edit channels or the system, so that they can still work while others fill the rest. */
  readonly keptForEditors: number;
  readonly perUser: number;
  readonly perSession: number;
  /** Seconds after which a refused caller may try again. */
  readonly retrySeconds: number;
}

export interface UserPlaces {
  /** Takes a place until the answer is called, which may happen more than once. Throws `tooMany` with the bound that is reached. */
  enter(session: Session): () => void;
}

/** Places of a resource that signed-in users share: bounded for a session, for a user with all sessions, and for all users. */
export function createUserPlaces(options: UserPlacesOptions): UserPlaces {
  const { what, most, keptForEditors, perUser, perSession, retrySeconds } = options;
  const taken = new Set<Session>();

  /** The bound that another place for this session would break. */
  function boundOf(session: Session): { readonly limit: number; readonly of: string } | undefined {
    const all = [...taken];
    const ofUser = all.filter(({ user }) => user.id === session.user.id);
    const ofSession = ofUser.filter(({ idHash }) => idHash === session.idHash);
    if (ofSession.length >= perSession) return { limit: perSession, of: 'one session' };
    if (ofUser.length >= perUser) return { limit: perUser, of: 'one user' };
    if (all.length >= most) return { limit: most, of: 'all users' };
    const limit = most - keptForEditors;
    const isFull = !isEditor(session) && all.filter((one) => !isEditor(one)).length >= limit;
    return isFull ? { limit, of: 'all users without edit permission' } : undefined;
  }

  return {
    enter(session) {
      const bound = boundOf(session);
      if (bound) {
        const params = { 'retry-after': retrySeconds, what, ...bound };
        const message = `too many ${what}: at most ${bound.limit} for ${bound.of}`;
        throw new HubError('tooMany', message, { http: 503, params });
      }
      // Each place is an object of its own, also of one session.
      const place = { ...session };
      taken.add(place);
      return () => void taken.delete(place);
    },
  };
}

function isEditor(session: Session): boolean {
  return (['channelEdit', 'systemEdit'] as const).some((scope) => accessFor(session, scope) === 'granted');
}
