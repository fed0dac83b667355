/** The tasks that the user may see, kept current by the `tasks` topic, whose first messages contain all of them. */
import { skipToken, useQuery } from '@tanstack/react-query';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
import { createListKeeper } from '../../api/object-list.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { addTexts } from '../../i18n/i18n.ts';
import { loadPart } from '../../lib/lazy-part.tsx';
import { createEndWatch } from './task-ends.ts';

const listKey = ['tasks', 'list'] as const;

const applyEvent = createListKeeper<Task>();
const endedBy = createEndWatch();

export const tasksTopic = defineTopic('tasks', (kind, event) => {
  const before = queryClient.getQueryData<Task[]>(listKey);
  queryClient.setQueryData<Task[]>(listKey, applyEvent(before, kind, event));
  const user = queryClient.getQueryData(sessionQuery.queryKey)?.user.name;
  const own = endedBy(before, event).filter(({ owner }) => owner === user);
  if (own.length > 0) void announce(own);
});

async function announce(ended: readonly Task[]): Promise<void> {
  const [{ announceEnds }] = await Promise.all([loadPart(() => import('./announce-ends.ts')), addTexts('pages')]);
  announceEnds(ended);
}

const none: readonly Task[] = [];

export function useTasks(): readonly Task[] {
  useTopic(tasksTopic, true);
  return useQuery<Task[]>({ queryKey: listKey, queryFn: skipToken }).data ?? none;
}
