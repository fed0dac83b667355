import { useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { type DeviceKind, deviceKinds, kindOf } from './device-lists.ts';

/** Which kind of devices a list shows, as its address says; and the field that chooses it, if there are several. */
export function useKindFilter(devices: readonly Device[]): { kind: DeviceKind | 'all'; filter: ReactNode } {
  const { t } = useLingui();
  const [query, setQuery] = useSearchParams();
  const counts = new Map(deviceKinds.map((kind) => [kind, 0]));
  for (const device of devices) counts.set(kindOf(device), (counts.get(kindOf(device)) ?? 0) + 1);
  const known = deviceKinds.filter((kind) => (counts.get(kind) ?? 0) > 0);
  // A kind without devices would show an empty list and not say why.
  const kind = known.find((one) => one === query.get('kind')) ?? 'all';
  const choose = (next: string) =>
    setQuery(
      (before) => {
        const changed = new URLSearchParams(before);
        for (const name of ['kind', 'page', 'sort']) changed.delete(name);
        if (next !== 'all') changed.set('kind', next);
        return changed;
      },
      { replace: true },
    );
  const texts: Record<DeviceKind, string> = {
    encoders: t`Encoders (${counts.get('encoders') ?? 0})`,
    decoders: t`Decoders (${counts.get('decoders') ?? 0})`,
    others: t`Other devices (${counts.get('others') ?? 0})`,
  };
  const filter = known.length > 1 && (
    <NativeSelect
      size="xs"
      aria-label={t`Kind of devices`}
      data={[{ value: 'all', label: t`All kinds` }, ...known.map((value) => ({ value, label: texts[value] }))]}
      value={kind}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
  return { kind, filter };
}
