import { useLingui } from '@lingui/react/macro';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import { useMay } from '../../api/session.ts';
import { loadPart } from '../../lib/lazy-part.tsx';
import { paths, searchedPath } from '../../lib/paths.ts';
import { shownSerial } from '../../shared/devices/device-look.ts';
import { placeOfDevice } from '../../shared/devices/device-place.ts';
import { useDeviceSearch } from '../../shared/devices/device-search.ts';
import type { Command } from './commands.ts';

const maxDevices = 7;

const actionsQuery = queryOptions({
  queryKey: ['parts', 'device-actions'],
  queryFn: async () => (await loadPart(() => import('./device-actions.ts'))).loadDeviceActions(),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The devices that match, and a way to all results. */
export function useDeviceCommands(search: string): Command[] {
  const { t, i18n } = useLingui();
  const text = search.trim();
  const found = useDeviceSearch(text, maxDevices);
  const mayControl = useMay('deviceControl');
  const isWanted = mayControl && (found?.total ?? 0) > 0;
  const actions = useQuery({ ...actionsQuery, enabled: isWanted }).data;
  const total = found?.total ?? 0;
  if (found === undefined || total === 0) return [];
  const all: Command[] =
    total > found.list.length
      ? [
          {
            group: 'devices',
            text: t`All ${total} devices with “${text}”`,
            path: searchedPath(paths.search, text),
            isFound: true,
          },
        ]
      : [];
  return [
    ...found.list.map((device): Command => {
      const serial = shownSerial(device.sn, familyOf(device.module));
      return { group: 'devices', text: `${device.name} · ${serial}`, path: placeOfDevice(device), isFound: true };
    }),
    ...all,
    ...(isWanted ? (actions?.commandsOf(i18n, found.list) ?? []) : []),
  ];
}
