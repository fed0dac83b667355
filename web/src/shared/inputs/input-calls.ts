import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { inputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

export const inputsQuery = queryOptions({
  queryKey: ['inputs', 'all'],
  queryFn: async ({ signal }) => (await call(inputApi.list, { query: { count: limits.page.max }, signal })).list,
});

// An input appears in the input list and in the channels that use it.
export const addInput = changing(inputApi.add, 'inputs', 'channels');
export const changeInput = changing(inputApi.set, 'inputs', 'channels');
export const deleteInput = changing(inputApi.del, 'inputs', 'channels');
/** The page already has the input; the call records the reveal of its secrets in the operation log. */
export const revealInput = changing(inputApi.reveal);
