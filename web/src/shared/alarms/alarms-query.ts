/** Alarms, kept current by the `alarms` topic: the active ones, and the newest of a channel whose list is shown. */
import { skipToken, useQuery } from '@tanstack/react-query';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
import { applyObjects, createListKeeper } from '../../api/object-list.ts';
import { queryClient } from '../../api/query-client.ts';
import { useMay } from '../../api/session.ts';

/** Number of newest alarms shown per channel. */
export const historyLength = 50;
const activeKey = ['alarms', 'active'] as const;
export const allKey = ['alarms', 'all'] as const;
export const historyKey = ['alarms', 'of-channel'] as const;

/** Keeps a list with the newest first; refetching would count as use of the session. */
export function applyToNewest(before: readonly Alarm[], changed: readonly Alarm[], length: number): Alarm[] {
  return applyObjects(before, changed, new Set())
    .toSorted((a, b) => b.id - a.id)
    .slice(0, length);
}

/** The same for the alarms of one channel. */
export function applyToHistory(before: readonly Alarm[], channel: number, changed: readonly Alarm[]): Alarm[] {
  const own = changed.filter((alarm) => alarm.channel === channel);
  return applyToNewest(before, own, historyLength);
}

const applyEvent = createListKeeper<Alarm>();

export const alarmsTopic = defineTopic('alarms', (kind, event) => {
  queryClient.setQueryData<Alarm[]>(activeKey, (before) =>
    applyEvent(before, kind, event)?.filter(({ cleared }) => cleared === 0),
  );
  queryClient.setQueryData<Alarm[]>(
    allKey,
    (before) => before && applyToNewest(before, event.changed, limits.page.max),
  );
  for (const [key, list] of queryClient.getQueriesData<Alarm[]>({ queryKey: historyKey })) {
    if (list) queryClient.setQueryData(key, applyToHistory(list, Number(key.at(-1)), event.changed));
  }
});

const none: readonly Alarm[] = [];

/** Active alarms; undefined before the topic's first message, which contains all of them, and for those who may not. */
export function useKnownAlarms(): readonly Alarm[] | undefined {
  const may = useMay('channelView');
  useTopic(alarmsTopic, may);
  return useQuery<Alarm[]>({ queryKey: activeKey, queryFn: skipToken }).data;
}

/** Active alarms; none without the permission to view them. */
export function useActiveAlarms(): readonly Alarm[] {
  return useKnownAlarms() ?? none;
}
