import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconList, IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { countFilters, type LogFilter, noFilter } from './log-filter.ts';

interface NoEntriesProps {
  readonly filter: LogFilter;
  readonly change: (part: Partial<LogFilter>) => void;
  /** What is searched, as a sentence. */
  readonly searched: ReactNode;
  /** What to say of a log that has nothing at all. */
  readonly title: ReactNode;
  readonly children: ReactNode;
}

/** Why a log shows nothing: it is empty, or nothing in it is what was asked for. */
export function NoEntries({ filter, change, searched, title, children }: NoEntriesProps) {
  const { search, from, to } = filter;
  if (search === '' && countFilters(filter) === 0) {
    return (
      <EmptyState icon={IconList} title={title}>
        {children}
      </EmptyState>
    );
  }
  // Both are as the field writes them, where what is later sorts later.
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
      {isReversed ? <Trans>The time asked for ends before it begins.</Trans> : search !== '' && searched}
    </EmptyState>
  );
}
