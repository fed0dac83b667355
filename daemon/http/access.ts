import type { Scope } from '../contract/calls.ts';
import { groupTypes, holds } from '../contract/permission.ts';
import type { Session } from './route.ts';

export type Access = 'granted' | 'notLoggedIn' | 'notPermitted';

export function isGranted(session: Session | null, scope: Scope): boolean {
  return accessFor(session, scope) === 'granted';
}

/** The only place that compares a scope with the caller. */
export function accessFor(session: Session | null, scope: Scope): Access {
  if (scope === 'public') return 'granted';
  if (session === null) return 'notLoggedIn';
  if (scope === 'signedIn') return 'granted';
  if (scope === 'admin') return session.user.type === groupTypes.admin ? 'granted' : 'notPermitted';
  return holds(session.user.permission, scope) ? 'granted' : 'notPermitted';
}
