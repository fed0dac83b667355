import { limits } from '../../contract/limits.ts';
import { runHistoryApi } from '../../contract/run-history.ts';
import { bind, type Route } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import { channelRows } from '../../store/rows.ts';
import { listRunEvents } from './store.ts';
import { shownRun } from './view.ts';

export function runHistoryRoutes(db: Database): Route[] {
  return [
    bind(runHistoryApi.list, ({ query: { id, what, cursor, count = limits.page.default } }) => {
      channelRows.existing(db, id);
      const rows = listRunEvents(db, { channelId: id, what, before: cursor, count: count + 1 });
      const list = rows.slice(0, count);
      const last = list.at(-1);
      return { list: list.map(shownRun), ...(rows.length > count && last && { next: last.id }) };
    }),
  ];
}
