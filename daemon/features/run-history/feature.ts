/** Assembles the history of state changes for the composition root. */
import { calls, runExportPath } from '../../contract/calls.ts';
import { limits } from '../../contract/limits.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { lazyRoutes } from '../../http/route.ts';
import { byteOrderMark, csvHeaders } from '../../lib/csv.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Database } from '../../store/database.ts';
import { channelRows } from '../../store/rows.ts';
import { runHead, runLine } from './csv.ts';
import { createRunRecorder, type RecorderDeps } from './recorder.ts';
import { listRunEvents } from './store.ts';
import { shownRun } from './view.ts';

export function createRunHistory(deps: RecorderDeps) {
  const { db } = deps;
  const recorder = createRunRecorder(deps);
  return {
    ...recorder,
    plainRoutes: [exportRoute(db)],
    routes: [lazyRoutes(calls.runHistory, async () => (await import('./routes.ts')).runHistoryRoutes(db))],
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
      const text = [byteOrderMark + runHead, ...rows.map((row) => runLine(shownRun(row)))].join('');
      return new Response(text, { headers: csvHeaders(`history-${id}.csv`) });
    },
  };
}
