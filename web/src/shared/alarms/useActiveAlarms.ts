import { skipToken, useQuery } from '@tanstack/react-query';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { activeKey, alarmsTopic } from './alarm-events.ts';

const none: readonly Alarm[] = [];

/** Active alarms; none without the permission to view them. The topic's first message contains all of them. */
export function useActiveAlarms(): readonly Alarm[] {
  const may = useMay('channelView');
  useTopic(alarmsTopic, may);
  return useQuery<Alarm[]>({ queryKey: activeKey, queryFn: skipToken }).data ?? none;
}
