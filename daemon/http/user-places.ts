import { HubError } from '../lib/hub-error.ts';
import { accessFor } from './access.ts';
import type { Session } from './route.ts';

interface UserPlacesOptions {
  /** The limited resource, in the plural; for the error message. */
  readonly what: string;
  readonly max: number;
  /** Places reserved for users who may edit channels or the system, so that they can work when the rest are taken. */
  readonly keptForEditors: number;
  readonly perUser: number;
  readonly perSession: number;
  /** Seconds after which a refused caller may try again. */
  readonly retrySeconds: number;
}

/** A resource shared by signed-in users, with limits per session, per user with all sessions, and for all users. */
export function createUserPlaces(options: UserPlacesOptions) {
  const { what, max, keptForEditors, perUser, perSession, retrySeconds } = options;
  const taken = new Set<Session>();

  /** Returns the limit that another place for this session would exceed. */
  function boundOf(session: Session): { readonly limit: number; readonly of: string } | undefined {
    const all = [...taken];
    const ofUser = all.filter(({ user }) => user.id === session.user.id);
    const ofSession = ofUser.filter(({ idHash }) => idHash === session.idHash);
    if (ofSession.length >= perSession) return { limit: perSession, of: 'one session' };
    if (ofUser.length >= perUser) return { limit: perUser, of: 'one user' };
    if (all.length >= max) return { limit: max, of: 'all users' };
    const limit = max - keptForEditors;
    const isFull = !isEditor(session) && all.filter((one) => !isEditor(one)).length >= limit;
    return isFull ? { limit, of: 'all users without edit permission' } : undefined;
  }

  return {
    /** Takes a place until the returned function is called, once or more often. Throws `tooMany` with the limit. */
    enter(session: Session): () => void {
      const bound = boundOf(session);
      if (bound) {
        const params = { 'retry-after': retrySeconds, what, ...bound };
        const message = `too many ${what}: at most ${bound.limit} for ${bound.of}`;
        throw new HubError('tooMany', message, { http: 503, params });
      }
      // Each place is a separate object, even for the same session.
      const place = { ...session };
      taken.add(place);
      return () => void taken.delete(place);
    },
  };
}

function isEditor(session: Session): boolean {
  return (['channelEdit', 'systemEdit'] as const).some((scope) => accessFor(session, scope) === 'granted');
}
