import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../../daemon/contract/api.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';

export const setupStateQuery = queryOptions({
  queryKey: ['auth', 'setup'],
  queryFn: async ({ signal }) => (await call(api.auth.setupState, { signal })).needed,
});

export async function signIn(credentials: { id: string; password: string }): Promise<void> {
  const { user } = await call(api.auth.login, { body: credentials });
  queryClient.setQueryData(sessionQuery.queryKey, user);
}

/** Over an open page: the same person goes on where the page is, another one must see nothing of it. */
export async function signInAgain(credentials: { id: string; password: string }): Promise<void> {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  await signIn(credentials);
  if (before?.name !== credentials.id) location.reload();
  else await queryClient.invalidateQueries();
}

export async function signOut(): Promise<void> {
  await call(api.auth.logout);
}

/** Nothing that the last person was shown may stay. Called where no signed-in page is mounted any more. */
export function forgetSession(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== setupStateQuery.queryKey[0] });
}

/** First start: chooses the root user's password and signs in with it. */
export async function setUp(password: string): Promise<void> {
  await call(api.auth.setup, { body: { password } });
  await signIn({ id: 'Admin', password });
}
