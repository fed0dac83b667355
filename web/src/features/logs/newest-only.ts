import type { InfiniteData } from '@tanstack/react-query';

/** A list without the older pages, which otherwise would be asked for again one after the other. */
export function newestOnly<Page, Param>(
  before: InfiniteData<Page, Param> | undefined,
): InfiniteData<Page, Param> | undefined {
  return before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) };
}
