import { useLingui } from '@lingui/react/macro';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import { paths, searchedPath } from '../../lib/paths.ts';
import { shownSerial } from '../../shared/devices/device-look.ts';
import { placeOfDevice } from '../../shared/devices/device-place.ts';
import { useDeviceSearch } from '../../shared/devices/device-search.ts';
import type { Command } from './commands.ts';

const maxDevices = 7;

/** The devices that match, and a way to all results. */
export function useDeviceCommands(search: string): Command[] {
  const { t } = useLingui();
  const text = search.trim();
  const found = useDeviceSearch(text, maxDevices);
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
  ];
}
