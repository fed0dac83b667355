import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './LogFilters.module.css';
import type { LogFilter } from './log-filter.ts';

interface LogFiltersProps {
  readonly filter: LogFilter;
  readonly change: (part: Partial<LogFilter>) => void;
  /** What only one of the logs is filtered by. */
  readonly children: ReactNode;
}

export function LogFilters({ filter, change, children }: LogFiltersProps) {
  const { t } = useLingui();
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
    <div className={styles.filters}>
      {moment('from', t`From`)}
      {moment('to', t`To`)}
      {children}
    </div>
  );
}
