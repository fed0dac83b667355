import { useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import { type Family, familyOf } from '../../../../daemon/contract/device-catalog.ts';
import type { Firmware } from '../../../../daemon/contract/firmware.ts';
import { useFamilyText } from '../../shared/firmware/family-text.ts';
import styles from './FirmwareListPage.module.css';

/** The family whose files are shown, as the address says; and the field that chooses it, if there are several. */
export function useFamilyFilter(list: readonly Firmware[]): { family: Family | undefined; filter: ReactNode } {
  const { t } = useLingui();
  const familyText = useFamilyText();
  const [query, setQuery] = useSearchParams();
  const counts = new Map<Family, number>();
  for (const { module } of list) counts.set(familyOf(module), (counts.get(familyOf(module)) ?? 0) + 1);
  const known = [...counts.keys()];
  const family = known.find((one) => one === query.get('family'));
  const choose = (next: string) =>
    setQuery(
      (before) => {
        const changed = new URLSearchParams(before);
        for (const name of ['family', 'page']) changed.delete(name);
        if (next !== '') changed.set('family', next);
        return changed;
      },
      { replace: true },
    );
  const filter = known.length > 1 && (
    <NativeSelect
      className={styles.filter}
      size="xs"
      aria-label={t`Product family`}
      data={[
        { value: '', label: t`All product families` },
        ...known.map((value) => ({ value, label: `${familyText(value)} (${counts.get(value) ?? 0})` })),
      ]}
      value={family ?? ''}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
  return { family, filter };
}
