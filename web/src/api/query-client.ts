import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { BodyInput, Endpoint, ResponseOf } from '../../../daemon/contract/endpoint.ts';
import { faultOf } from '../lib/call-error.ts';
import { type CallArguments, call } from './client.ts';
import { connection } from './connection.ts';
import { noticeEnd } from './session-end.ts';

/** Handles faults that affect the whole console rather than the caller: hub unreachable, session ended. */
export function noticeFault(error: unknown): void {
  if (faultOf(error) === 'unreachable') connection.suspect();
  noticeEnd(error);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeFault }),
  mutationCache: new MutationCache({ onError: noticeFault }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // The connection watch refetches everything once the hub is back; retries in the meantime are useless.
      retry: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** Loads everything again that is shown of these nouns. */
export function refresh(...nouns: readonly string[]): Promise<unknown> {
  return Promise.all(nouns.map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));
}

/** Returns a call that resolves to the hub's response once these nouns are loaded again. */
export function changing<E extends Endpoint>(endpoint: E, ...nouns: readonly string[]) {
  return async (body: BodyInput<E>): Promise<ResponseOf<E>> => {
    const answer = await call(endpoint, ...([{ body }] as unknown as CallArguments<E>));
    await refresh(...nouns);
    return answer;
  };
}
