import type { Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';

export function signedIn(session: Session | null): Session {
  if (session === null) throw new HubError('notLoggedIn', 'sign in first', { http: 401 });
  return session;
}
