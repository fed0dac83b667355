/** Schedules that the user sees, kept current by the `schedules` topic, and the calls about them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Schedule } from '../../../../../daemon/contract/schedules.ts';
import { scheduleApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { defineTopic } from '../../../api/live.ts';
import { createListKeeper } from '../../../api/object-list.ts';
import { changing, queryClient } from '../../../api/query-client.ts';

const listKey = ['schedules', 'all'] as const;
const applyEvent = createListKeeper<Schedule>();

export const schedulesTopic = defineTopic('schedules', (kind, event) => {
  queryClient.setQueryData<Schedule[]>(listKey, (before) => applyEvent(before, kind, event));
});

export const schedulesQuery = queryOptions({
  queryKey: listKey,
  queryFn: async ({ signal }) => (await call(scheduleApi.list, { signal })).list,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Name of the time zone of the hub. */
export const zoneQuery = queryOptions({
  queryKey: ['schedules', 'zone'],
  queryFn: async ({ signal }) => (await call(scheduleApi.list, { query: { count: 1 }, signal })).zone,
  staleTime: Number.POSITIVE_INFINITY,
});

export type WholeSchedule = Schedule & { readonly sn: readonly string[] };

/** With its devices; `version` is another one after each change and each run. */
export const scheduleQuery = (id: number, version: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id, version],
    queryFn: ({ signal }) => call(scheduleApi.query, { query: { id }, signal }),
    placeholderData: keepPreviousData,
  });

export const addSchedule = changing(scheduleApi.add, 'schedules');
export const changeSchedule = changing(scheduleApi.set, 'schedules');
export const deleteSchedule = changing(scheduleApi.del, 'schedules');
