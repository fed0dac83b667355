/** Devices that the hub finds by name, serial number, address or group. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { deviceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useHas, useMay } from '../../api/session.ts';

/** The hub is asked after a pause in typing. */
const pauseMs = 200;

interface FoundDevices {
  /** Number of all that match. */
  readonly total: number;
  readonly list: readonly Device[];
}

const none: FoundDevices = { total: 0, list: [] };

const searchQuery = (search: string, count: number) =>
  queryOptions({
    queryKey: ['devices', 'search', search, count],
    queryFn: async ({ signal }): Promise<FoundDevices> => {
      const { total, list } = await call(deviceApi.list, { query: { 'reg-state': 'any', search, count }, signal });
      return { total, list };
    },
    placeholderData: keepPreviousData,
    // States change, the text does not.
    refetchInterval: 5000,
  });

/** Undefined until the hub has answered; nothing without devices, without the permission, and for an empty text. */
export function useDeviceSearch(text: string, count: number): FoundDevices | undefined {
  const may = [useHas('devices'), useMay('deviceView')].every(Boolean);
  const wanted = text.trim().slice(0, limits.name.max);
  const [settled] = useDebouncedValue(wanted, pauseMs);
  const isWanted = may && settled !== '' && wanted !== '';
  const found = useQuery({ ...searchQuery(settled, count), enabled: isWanted }).data;
  return may && wanted !== '' ? found : none;
}
