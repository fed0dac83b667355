/** Log filters as stored in the URL. */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router-dom';

export interface LogFilter {
  readonly search: string;
  /** Local time as `2026-11-22T16:49`; '' for none. */
  readonly from: string;
  readonly to: string;
  readonly user: string;
  readonly result: '' | 'success' | 'failure';
  /** Levels of the system log, comma-separated; '' for all. */
  readonly level: string;
}

export const noFilter: LogFilter = { search: '', from: '', to: '', user: '', result: '', level: '' };

const results = ['success', 'failure'] as const;
/** The search uses the same query name as on the other pages. */
const inAddress = (name: string) => (name === 'search' ? 'q' : name);

export function parseLogFilter(query: URLSearchParams): LogFilter {
  const result = results.find((one) => one === query.get('result')) ?? '';
  const text = (name: keyof LogFilter) => query.get(inAddress(name)) ?? '';
  return {
    ...{ search: text('search'), from: text('from'), to: text('to') },
    ...{ user: text('user'), result, level: text('level') },
  };
}

/** Number of filters that are set, not counting the search. */
export function countFilters({ search: _, ...filters }: LogFilter): number {
  return Object.values(filters).filter((value) => value !== '').length;
}

/** Milliseconds since 1970; undefined for an invalid time. The last minute of a range is included completely. */
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
