import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { usePhone } from '../../lib/screen.ts';
import { SearchField } from '../../ui/table/SearchField.tsx';
import styles from './LogFilters.module.css';
import { countFilters, type LogFilter, noFilter } from './log-filter.ts';
import { MomentField } from './MomentField.tsx';
import { addressMoment } from './moment-text.ts';

const hourMs = 3_600_000;

interface LogFiltersProps {
  readonly filter: LogFilter;
  readonly change: (part: Partial<LogFilter>) => void;
  /** Filters specific to one log. */
  readonly children: ReactNode;
  /** Shown at the end of the first line. */
  readonly end: ReactNode;
}

/** Search and filters of a log; on a phone the filters are collapsed. */
export function LogFilters({ filter, change, children, end }: LogFiltersProps) {
  const { t } = useLingui();
  const id = useId();
  const isPhone = usePhone();
  const [isOpen, setOpen] = useState(false);
  const count = countFilters(filter);
  const since = (from: Date) => change({ from: addressMoment(from), to: '' });
  return (
    <div className={styles.frame}>
      <div className={styles.bar}>
        <SearchField text={filter.search} change={(search) => change({ search })} />
        <div className={styles.barEnd}>
          {isPhone && (
            <Button
              size="xs"
              variant="default"
              aria-expanded={isOpen}
              aria-controls={id}
              leftSection={<IconFilter size={15} aria-hidden />}
              onClick={() => setOpen(!isOpen)}
            >
              {count === 0 ? <Trans>Filters</Trans> : <Trans>Filters ({count})</Trans>}
            </Button>
          )}
          {end}
        </div>
      </div>
      {(!isPhone || isOpen) && (
        <fieldset id={id} className={styles.filters} aria-label={t`Filters`}>
          <MomentField label={t`Since`} value={filter.from} timeOfDay="00:00" onChange={(from) => change({ from })} />
          <MomentField label={t`Until`} value={filter.to} timeOfDay="23:59" onChange={(to) => change({ to })} />
          <div className={styles.spans}>
            <Button size="xs" variant="default" onClick={() => since(new Date(Date.now() - hourMs))}>
              <Trans>Last hour</Trans>
            </Button>
            <Button size="xs" variant="default" onClick={() => since(new Date(new Date().setHours(0, 0, 0, 0)))}>
              <Trans>Today</Trans>
            </Button>
          </div>
          {children}
          {count > 0 && (
            <Button size="xs" variant="subtle" onClick={() => change({ ...noFilter, search: filter.search })}>
              <Trans>Clear the filters</Trans>
            </Button>
          )}
        </fieldset>
      )}
    </div>
  );
}
