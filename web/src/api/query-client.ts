import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';
import { faultOf } from './result.ts';
import { noticeEnd } from './session-end.ts';

/** What concerns the whole console rather than the caller: a hub that is gone, a session that has ended. */
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
      // The connection watch asks again for everything once the hub is back; asking twice meanwhile helps nobody.
      retry: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
