/** Groups of devices, kept current by the `device-groups` topic, and the calls that change them. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DeviceGroup } from '../../../../daemon/contract/device-groups.ts';
import { deviceGroupApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
import { createListKeeper } from '../../api/object-list.ts';
import { changing, queryClient } from '../../api/query-client.ts';
import { useHas, useMay } from '../../api/session.ts';
import { compareTexts } from '../../ui/table/table-model.ts';
import { type GroupNode, groupTree } from './group-tree.ts';

const listKey = ['device-groups', 'all'] as const;
const applyEvent = createListKeeper<DeviceGroup>();

const groupsTopic = defineTopic('device-groups', (kind, event) => {
  queryClient.setQueryData<DeviceGroup[]>(listKey, (before) => applyEvent(before, kind, event));
});

const groupsQuery = queryOptions({
  queryKey: listKey,
  queryFn: async ({ signal }) => (await call(deviceGroupApi.list, { signal })).list,
  staleTime: Number.POSITIVE_INFINITY,
});

const none: readonly DeviceGroup[] = [];

/** Empty until they arrive, without devices, and without the permission to see groups. */
export function useDeviceGroups(): readonly DeviceGroup[] {
  const isWanted = [useHas('devices'), useMay('groupView')].every(Boolean);
  useTopic(groupsTopic, isWanted);
  return useQuery({ ...groupsQuery, enabled: isWanted }).data ?? none;
}

export function useGroupTree(): readonly GroupNode[] {
  const groups = useDeviceGroups();
  return useMemo(() => groupTree(groups, compareTexts), [groups]);
}

export const addGroup = changing(deviceGroupApi.add, 'device-groups');
export const renameGroup = changing(deviceGroupApi.rename, 'device-groups');
export const setGroup = changing(deviceGroupApi.set, 'device-groups', 'devices');
export const deleteGroup = changing(deviceGroupApi.del, 'device-groups', 'devices');
