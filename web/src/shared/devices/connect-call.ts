/** Devices that a channel uses or could use. Lists of their own: those pages need no event stream of all devices. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { deviceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

export const connectDevice = changing(deviceApi.connect, 'devices', 'channels');

export type Way = 'input' | 'output';

const everyMs = 2000;

/** The devices that send to a channel or play it. */
export const devicesOfChannel = (channel: number, dir: Way) =>
  queryOptions({
    queryKey: ['devices', 'of-channel', channel, dir],
    queryFn: async ({ signal }) => (await call(deviceApi.list, { query: { channel, dir, sort: 'name' }, signal })).list,
    refetchInterval: everyMs,
  });

/** Shown at once; a search finds the others. */
export const shownChoices = 50;

export const deviceChoices = (dir: Way, search: string) =>
  queryOptions({
    queryKey: ['devices', 'choices', dir, search],
    queryFn: async ({ signal }) => {
      const key = search.trim().slice(0, limits.name.max);
      const query = { dir, count: shownChoices, sort: 'online-state', ...(key !== '' && { key }) } as const;
      return await call(deviceApi.list, { query, signal });
    },
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
