/** Assembles the history of state changes for the composition root. */
import { runExportPath } from '../../contract/calls.ts';
import { limits } from '../../contract/limits.ts';
import { type RunEvent, runHistoryApi } from '../../contract/run-history.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { bind } from '../../http/route.ts';
import { byteOrderMark, csvHeaders } from '../../lib/csv.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Database } from '../../store/database.ts';
import { channelRows } from '../../store/rows.ts';
import { runHead, runLine } from './csv.ts';
import { createRunRecorder, type RecorderDeps } from './recorder.ts';
import { listRunEvents, type RunRow } from './store.ts';

export function createRunHistory(deps: RecorderDeps) {
  const { db } = deps;
  const recorder = createRunRecorder(deps);
  return {
    ...recorder,
    plainRoutes: [exportRoute(db)],
    routes: [
      bind(runHistoryApi.list, ({ query: { id, what, cursor, count = limits.page.default } }) => {
        channelRows.existing(db, id);
        const rows = listRunEvents(db, { channelId: id, what, before: cursor, count: count + 1 });
        const list = rows.slice(0, count);
        const last = list.at(-1);
        return { list: list.map(show), ...(rows.length > count && last && { next: last.id }) };
      }),
    ],
  };
}

function exportRoute(db: Database): PlainRoute {
  return {
    path: runExportPath,
    scope: 'channelView',
    summary: 'Run history of a channel as a table of comma-separated values, the newest entry first.',
    contentType: 'text/csv',
    query: { id: 'The id of the channel.' },
    respond(c) {
      const id = Number(new URL(c.req.url).searchParams.get('id'));
      if (!channelRows.find(db, id)) throw new HubError('notExist', 'there is no such channel', { http: 404 });
      const rows = listRunEvents(db, { channelId: id, what: undefined, before: undefined, count: limits.runEvents });
      const text = [byteOrderMark + runHead, ...rows.map((row) => runLine(show(row)))].join('');
      return new Response(text, { headers: csvHeaders(`history-${id}.csv`) });
    },
  };
}

function show(row: RunRow): RunEvent {
  return {
    ...{ id: row.id, time: row.time, what: row.what, name: row.name },
    ...(row.outputId !== 0 && { 'output-id': row.outputId }),
    ...{ from: row.fromState, to: row.toState },
    ...(row.reason !== '' && { reason: row.reason }),
    ...(row.afterMs !== 0 && { 'after-ms': row.afterMs }),
    ...(row.by !== '' && { by: row.by }),
  };
}
