import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { faultOf } from '../lib/call-error.ts';
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
