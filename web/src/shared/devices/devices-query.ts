/** All devices that the user may see, in any state of registration, kept current by the `devices` topic. */
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import type { Device } from '../../../../daemon/contract/devices.ts';
import type { DeviceCounts } from '../../../../daemon/contract/system.ts';
import { deviceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
import { createKeyedListKeeper, sharedItems } from '../../api/object-list.ts';
import { queryClient } from '../../api/query-client.ts';
import { useHas, useMay } from '../../api/session.ts';

const listKey = ['devices', 'all'] as const;
const countsKey = ['devices', 'counts'] as const;

queryClient.setQueryDefaults(listKey, { structuralSharing: sharedItems });
const applyEvent = createKeyedListKeeper<Device, string>(({ sn }) => sn);

export const devicesTopic = defineTopic('devices', (kind, event) => {
  queryClient.setQueryData<Device[]>(listKey, (before) => applyEvent(before, kind, event));
});

const countsTopic = defineTopic('device-counts', (_kind, { changed: [counts] }) => {
  if (counts) queryClient.setQueryData<DeviceCounts>(countsKey, counts);
});

const states = ['waiting', 'accepted', 'rejected'] as const;

export const devicesQuery = queryOptions({
  queryKey: listKey,
  queryFn: async ({ signal }): Promise<Device[]> => {
    const lists = states.map((state) => call(deviceApi.list, { query: { 'reg-state': state }, signal }));
    return (await Promise.all(lists)).flatMap(({ list }) => list);
  },
  // The stream begins again with the whole list whenever a page subscribes.
  staleTime: Number.POSITIVE_INFINITY,
});

/** Everything about one device, loaded again while the page is open; `devicesQuery` has the figures of each second. */
export const deviceQuery = (sn: string) =>
  queryOptions({
    queryKey: ['devices', 'one', sn],
    queryFn: async ({ signal }) => (await call(deviceApi.query, { query: { sn, 'global-config': 1 }, signal })).dev,
    refetchInterval: 2000,
  });

/** Figures of the last hour, one per 10 s. */
export const deviceHistoryQuery = (sn: string) =>
  queryOptions({
    queryKey: ['devices', 'history', sn],
    queryFn: async ({ signal }) =>
      (await call(deviceApi.query, { query: { sn, history: 1 }, signal })).dev.history ?? null,
    refetchInterval: 10_000,
  });

/** Numbers of devices for the menu; undefined until they arrive, or without devices or the permission. */
export function useDeviceCounts(): DeviceCounts | undefined {
  const isWanted = [useHas('devices'), useMay('deviceView')].every(Boolean);
  useTopic(countsTopic, isWanted);
  return useQuery<DeviceCounts>({ queryKey: countsKey, queryFn: skipToken }).data;
}
