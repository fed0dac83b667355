/** Alarms, kept current by the `alarms` topic: the active ones, and the newest of a channel whose list is shown. */
import { skipToken, useQuery } from '@tanstack/react-query';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import type { AlarmsEvent } from '../../../../daemon/contract/events.ts';
import type { EventKind } from '../../api/event-link.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
import { queryClient } from '../../api/query-client.ts';
import { useMay } from '../../api/session.ts';

/** Number of newest alarms shown per channel. */
export const historyLength = 50;
const activeKey = ['alarms', 'active'] as const;
export const historyKey = ['alarms', 'of-channel'] as const;

export function applyToActive(before: Alarm[] | undefined, kind: EventKind, { changed }: AlarmsEvent) {
  if (kind === 'init') return changed;
  return before && merged(before, changed).filter(({ cleared }) => cleared === 0);
}

/** Newest first. Refetching with each alarm would count as use of the session. */
export function applyToHistory(before: readonly Alarm[], channel: number, { changed }: AlarmsEvent): Alarm[] {
  const own = changed.filter((alarm) => alarm.channel === channel);
  return merged(before, own)
    .toSorted((a, b) => b.id - a.id)
    .slice(0, historyLength);
}

function merged(before: readonly Alarm[], changed: readonly Alarm[]): Alarm[] {
  const byId = new Map([...before, ...changed].map((alarm) => [alarm.id, alarm]));
  return [...byId.values()];
}

export const alarmsTopic = defineTopic('alarms', (kind, event) => {
  queryClient.setQueryData<Alarm[]>(activeKey, (before) => applyToActive(before, kind, event));
  for (const [key, list] of queryClient.getQueriesData<Alarm[]>({ queryKey: historyKey })) {
    if (list) queryClient.setQueryData(key, applyToHistory(list, Number(key.at(-1)), event));
  }
});

const none: readonly Alarm[] = [];

/** Active alarms; none without the permission to view them. The topic's first message contains all of them. */
export function useActiveAlarms(): readonly Alarm[] {
  const may = useMay('channelView');
  useTopic(alarmsTopic, may);
  return useQuery<Alarm[]>({ queryKey: activeKey, queryFn: skipToken }).data ?? none;
}
