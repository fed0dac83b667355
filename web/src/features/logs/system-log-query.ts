import { type InfiniteData, infiniteQueryOptions, keepPreviousData, type QueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../daemon/contract/endpoint.ts';
import type { SystemLogEvent } from '../../../../daemon/contract/events.ts';
import { type SystemLogLine, systemLogApi } from '../../../../daemon/contract/system-log.ts';
import { call } from '../../api/client.ts';

export interface SystemLogQuery {
  readonly level: string;
  readonly key: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const root = ['syslog'] as const;
/** Few enough to be drawn between two pictures of the screen. */
const pageSize = 40;
/** Lines that are kept of a list; beyond these the oldest ones are asked for again when somebody goes there. */
const mostKept = 20_000;
type Page = AnswerOf<typeof systemLogApi.list>;
type Pages = InfiniteData<Page, number | undefined>;

/** Id of the newest line that was heard of. */
let lastHeard = 0;

export function givenOf({ level, key, from, to }: SystemLogQuery) {
  return { level: level || undefined, key: key || undefined, from, to };
}

export function systemLogQuery(query: SystemLogQuery) {
  return infiniteQueryOptions({
    queryKey: [...root, query],
    queryFn: async ({ signal, pageParam }) => {
      const asked = { ...givenOf(query), before: pageParam, count: pageSize };
      const page = await call(systemLogApi.list, { query: asked, signal });
      // A line that came while this was on its way found no list to be put into.
      if (pageParam !== undefined || page.last >= lastHeard) return page;
      return call(systemLogApi.list, { query: asked, signal });
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => (next === 0 ? undefined : next),
    staleTime: Number.POSITIVE_INFINITY,
    // Of what nobody looks at any longer no list is kept up.
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
}

export function matches({ level, key, from, to }: SystemLogQuery, line: SystemLogLine): boolean {
  if (level !== '' && !level.split(',').includes(line.level)) return false;
  if (from !== undefined && line.time < from) return false;
  if (to !== undefined && line.time > to) return false;
  const sought = key.toLowerCase();
  return sought === '' || line.scope.toLowerCase().includes(sought) || line.text.toLowerCase().includes(sought);
}

/** Puts new lines on top of every list that they match; a list that has missed some is asked for again. */
export function keepSystemLog(client: QueryClient, event: SystemLogEvent): void {
  lastHeard = event.last;
  for (const [queryKey, before] of client.getQueriesData<Pages>({ queryKey: root })) {
    const first = before?.pages[0];
    if (before === undefined || first === undefined) continue;
    const lines = event.lines.filter(({ id }) => id > first.last);
    const next = lines[0]?.id ?? event.last + 1;
    if (next > first.last + 1) void client.invalidateQueries({ queryKey, exact: true });
    else if (lines.length > 0) {
      const added = lines.filter((line) => matches(queryKey[1] as SystemLogQuery, line));
      client.setQueryData<Pages>(queryKey, onTop(before, first, { lines: added.toReversed(), last: event.last }));
    }
  }
}

/** A first page that is full stays as it is, so that no part of a long list is ever drawn anew. */
function onTop(before: Pages, first: Page, { lines, last }: SystemLogEvent): Pages {
  const { pages, pageParams } = before;
  const total = first.total + lines.length;
  if (first.list.length + lines.length <= pageSize * 2) {
    const list = lines.length === 0 ? first.list : [...lines, ...first.list];
    return { pageParams, pages: [{ ...first, total, last, list }, ...pages.slice(1)] };
  }
  const next = lines.at(-1)?.id ?? 0;
  const most = Math.floor(mostKept / pageSize);
  return {
    pages: [{ start: 0, total, last, next, list: lines }, ...pages].slice(0, most),
    pageParams: [undefined, next, ...pageParams.slice(1)].slice(0, most),
  };
}
