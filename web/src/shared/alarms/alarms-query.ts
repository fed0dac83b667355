/** Alarm queries; after the first response the `alarms` topic keeps the list of a channel current. */
import { queryOptions } from '@tanstack/react-query';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { historyKey, historyLength } from './alarm-events.ts';

export function channelAlarmsQuery(channel: number) {
  return queryOptions({
    queryKey: [...historyKey, channel],
    queryFn: async ({ signal }): Promise<Alarm[]> =>
      (await call(alarmApi.list, { query: { channel, count: historyLength }, signal })).list,
  });
}

export function alarmRulesQuery(channel: number) {
  return queryOptions({
    queryKey: ['alarms', 'rules', channel],
    queryFn: ({ signal }) => call(alarmApi.rules, { query: { channel }, signal }),
  });
}
