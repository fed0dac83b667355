import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';

export interface Sort {
  readonly key: string;
  readonly isDescending: boolean;
}

export interface TableAddress {
  readonly search: string;
  /** Key of the chosen state; empty for all. */
  readonly state: string;
  readonly sort: Sort | undefined;
  /** From 0. */
  readonly page: number;
}

export function parseTableAddress(query: URLSearchParams): TableAddress {
  const sort = query.get('sort') ?? '';
  const page = Number(query.get('page') ?? 1);
  return {
    search: query.get('q') ?? '',
    state: query.get('state') ?? '',
    sort: sort === '' ? undefined : { key: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') },
    page: Number.isInteger(page) && page > 0 ? page - 1 : 0,
  };
}

/** Another search, state or order resets to the first page; defaults are omitted from the URL. */
export function changeTableAddress(query: URLSearchParams, change: Partial<TableAddress>): URLSearchParams {
  const next = new URLSearchParams(query);
  const put = (name: string, value: string) => (value === '' ? next.delete(name) : next.set(name, value));
  if (change.search !== undefined) put('q', change.search);
  if (change.state !== undefined) put('state', change.state);
  if ('sort' in change)
    put('sort', change.sort === undefined ? '' : `${change.sort.isDescending ? '-' : ''}${change.sort.key}`);
  put('page', change.page === undefined || change.page === 0 ? '' : String(change.page + 1));
  return next;
}

/** Search, state, order and page of a list are part of the URL, so that it can be shared and Back works. */
export function useTableAddress() {
  const [query, setQuery] = useSearchParams();
  const change = useCallback(
    (part: Partial<TableAddress>) => setQuery((before) => changeTableAddress(before, part), { replace: true }),
    [setQuery],
  );
  const address = useMemo(() => parseTableAddress(query), [query]);
  return { address, change };
}
