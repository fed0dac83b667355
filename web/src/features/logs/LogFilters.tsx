import { Trans, useLingui } from '@lingui/react/macro';
import { Button, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { usePhone } from '../../lib/screen.ts';
import { SearchField } from '../../ui/table/SearchField.tsx';
import styles from './LogFilters.module.css';
import { countFilters, type LogFilter, noFilter } from './log-filter.ts';

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
  const moment = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="datetime-local"
      size="xs"
      label={label}
      value={filter[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
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
          {moment('from', t`Since`)}
          {moment('to', t`Until`)}
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
