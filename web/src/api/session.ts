/** The signed-in user and their permissions. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { SessionUser } from '../../../daemon/contract/auth.ts';
import type { Scope } from '../../../daemon/contract/calls.ts';
import { groupTypes, holds } from '../../../daemon/contract/permission.ts';
import { meets, type Need, type Variant } from '../../../daemon/contract/variant.ts';
import { authApi } from './calls.ts';
import { call } from './client.ts';
import { firstSession } from './first-answers.ts';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => firstSession.take() ?? call(authApi.session, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Use only below the guard, which loads the session. */
export function useSession(): SessionUser {
  return useSuspenseQuery(sessionQuery).data.user;
}

/** Product variant and capabilities of the hub. */
export function useVariant(): Variant {
  const { data } = useSuspenseQuery(sessionQuery);
  return { isHardware: data['is-hardware'], features: data['feature-support'] };
}

/** Whether the hub has a feature. */
export function useHas(need: Need): boolean {
  return meets(useVariant(), need);
}

export function useMay(scope: Scope): boolean {
  return mayUse(useSession(), scope);
}

export function mayUse(user: SessionUser, scope: Scope): boolean {
  if (scope === 'public' || scope === 'signedIn') return true;
  if (scope === 'admin') return user.type === groupTypes.admin;
  return holds(user.permission, scope);
}
