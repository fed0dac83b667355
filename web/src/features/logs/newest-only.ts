import type { InfiniteData } from '@tanstack/react-query';

/** Drops the older pages of a list, which would otherwise be refetched one by one. */
export function newestOnly<Page, Param>(
  before: InfiniteData<Page, Param> | undefined,
): InfiniteData<Page, Param> | undefined {
  return before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) };
}
