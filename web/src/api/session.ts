/** Who is signed in, and what that person may do. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { create } from 'zustand';
import type { EndReason, SessionUser } from '../../../daemon/contract/auth.ts';
import { authApi } from '../../../daemon/contract/auth.ts';
import type { Scope } from '../../../daemon/contract/endpoint.ts';
import { groupTypes, holds } from '../../../daemon/contract/permission.ts';
import type { Variant } from '../../../daemon/contract/variant.ts';
import { call } from './client.ts';
import { CallError } from './result.ts';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call(authApi.session, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Only below the guard, which has loaded it. */
export function useSession(): SessionUser {
  return useSuspenseQuery(sessionQuery).data.user;
}

/** What the hub is and can do. */
export function useVariant(): Variant {
  const { data } = useSuspenseQuery(sessionQuery);
  return { isHardware: data['is-hardware'], features: data['feature-support'] };
}

export function useMay(scope: Scope): boolean {
  return mayUse(useSession(), scope);
}

export function mayUse(user: SessionUser, scope: Scope): boolean {
  if (scope === 'public' || scope === 'signedIn') return true;
  if (scope === 'admin') return user.type === groupTypes.admin;
  return holds(user.permission, scope);
}

/** Set while a page is open whose session has ended: one signs in again over it and loses nothing. */
interface SessionEnd {
  readonly hasEnded: boolean;
  /** Undefined where the hub doesn't know. */
  readonly reason: EndReason | undefined;
}
const open: SessionEnd = { hasEnded: false, reason: undefined };
export const useSessionEnded = create<SessionEnd>(() => open);

let isInside = false;

/** The guard tells when a signed-in page is shown; elsewhere "not signed in" is the guard's own business. */
export function markInside(inside: boolean): void {
  isInside = inside;
  if (!inside) sessionGoesOn();
}

export function sessionGoesOn(): void {
  useSessionEnded.setState(open);
}

/** Told with every fault; the first that says so counts. */
export function noticeEnd(error: unknown): void {
  if (!isInside || !(error instanceof CallError) || error.fault !== 'notLoggedIn') return;
  if (useSessionEnded.getState().hasEnded) return;
  useSessionEnded.setState({ hasEnded: true, reason: error.params.reason as EndReason | undefined });
}
