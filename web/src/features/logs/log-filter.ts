/** Filters of the logs as they stand in the address. */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router-dom';

export interface LogFilter {
  readonly search: string;
  /** As a `datetime-local` field has it, in the reader's time; '' for none. */
  readonly from: string;
  readonly to: string;
  readonly user: string;
  readonly result: '' | 'success' | 'failure';
  /** Of the system log, with commas between; '' for all. */
  readonly level: string;
}

export const noFilter: LogFilter = { search: '', from: '', to: '', user: '', result: '', level: '' };

const results = ['success', 'failure'] as const;
/** The search has the name that it has on the other pages. */
const inAddress = (name: string) => (name === 'search' ? 'q' : name);

export function parseLogFilter(query: URLSearchParams): LogFilter {
  const result = results.find((one) => one === query.get('result')) ?? '';
  const text = (name: keyof LogFilter) => query.get(inAddress(name)) ?? '';
  return {
    ...{ search: text('search'), from: text('from'), to: text('to') },
    ...{ user: text('user'), result, level: text('level') },
  };
}

/** How many are set beside the search. */
export function countFilters({ search: _, ...filters }: LogFilter): number {
  return Object.values(filters).filter((value) => value !== '').length;
}

/** Milliseconds since 1970; undefined for what is no time. The minute that is named last counts whole. */
export function momentOf(local: string, isLast = false): number | undefined {
  const time = local === '' ? Number.NaN : new Date(local).getTime();
  if (Number.isNaN(time)) return undefined;
  return isLast ? time + 59_999 : time;
}

export function useLogFilter() {
  const [query, setQuery] = useSearchParams();
  const change = useCallback(
    (part: Partial<LogFilter>) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(part)) {
            value === '' ? next.delete(inAddress(name)) : next.set(inAddress(name), value);
          }
          return next;
        },
        { replace: true },
      ),
    [setQuery],
  );
  return { filter: parseLogFilter(query), change };
}
