/** What the queries of both logs have in common. */
import { useDebouncedValue } from '@mantine/hooks';
import { type InfiniteData, keepPreviousData, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** Pages follow a cursor of the hub, and the old list stays until a new one arrives. */
export const paging = {
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ next }: { readonly next: number }) => (next === 0 ? undefined : next),
  placeholderData: keepPreviousData,
};

/** The filters that are set, as query parameters. */
export function givenOf(asked: object): Record<string, string> {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Refetches the newest entries. Older pages are dropped; they would otherwise be refetched one by one. */
export function refreshNewest(client: QueryClient, queryKey: QueryKey): Promise<void> {
  client.setQueryData<InfiniteData<unknown>>(
    queryKey,
    (before) => before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
  );
  return client.refetchQueries({ queryKey, exact: true });
}

const pauseMs = 250;

/** Debounces the search text; clearing takes effect immediately. */
export function useQuietSearch(text: string): string {
  const [quiet] = useDebouncedValue(text, pauseMs);
  return text === '' ? text : quiet;
}
