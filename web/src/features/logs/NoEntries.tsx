import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconList, IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { countFilters, type LogFilter, noFilter } from './log-filter.ts';

interface NoEntriesProps {
  readonly filter: LogFilter;
  readonly change: (part: Partial<LogFilter>) => void;
  /** A sentence that describes what is searched. */
  readonly searched: ReactNode;
  /** Title for a log without any entries. */
  readonly title: ReactNode;
  readonly children: ReactNode;
}

/** Explains why a log shows nothing: it is empty, or nothing matches the filters. */
export function NoEntries({ filter, change, searched, title, children }: NoEntriesProps) {
  const { search, from, to } = filter;
  if (search === '' && countFilters(filter) === 0) {
    return (
      <EmptyState icon={IconList} title={title}>
        {children}
      </EmptyState>
    );
  }
  // Both are `datetime-local` values, which sort chronologically as text.
  const isReversed = from !== '' && to !== '' && from > to;
  return (
    <EmptyState
      icon={IconSearchOff}
      title={
        countFilters(filter) === 0 ? (
          <Trans>Nothing matches the search</Trans>
        ) : (
          <Trans>Nothing matches the filters</Trans>
        )
      }
      action={
        <Button variant="default" onClick={() => change(noFilter)}>
          {countFilters(filter) === 0 ? <Trans>Clear the search</Trans> : <Trans>Clear the filters</Trans>}
        </Button>
      }
    >
      {isReversed ? <Trans>The end is before the start.</Trans> : search !== '' && searched}
    </EmptyState>
  );
}
