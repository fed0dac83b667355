import { queryOptions } from '@tanstack/react-query';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { taskApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

/**
 * Of a task that runs, the items are loaded again and again, and once more when it has ended. Each answer has all of
 * them.
 */
export function taskItemsQuery({ id, ended }: Pick<Task, 'id' | 'ended'>, everyMs: number) {
  const isRunning = ended === 0;
  return queryOptions({
    queryKey: ['tasks', 'items', id, ended],
    queryFn: async ({ signal }) => (await call(taskApi.query, { query: { id }, signal })).list,
    refetchInterval: isRunning ? everyMs : false,
    staleTime: isRunning ? 0 : Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });
}
