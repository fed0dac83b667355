/** Assembles the history of state changes for the composition root. */
import { limits } from '../../contract/limits.ts';
import { type RunEvent, runHistoryApi } from '../../contract/run-history.ts';
import { bind } from '../../http/route.ts';
import { channelRows } from '../../store/rows.ts';
import { createRunRecorder, type RecorderDeps } from './recorder.ts';
import { listRunEvents, type RunRow } from './store.ts';

export function createRunHistory(deps: RecorderDeps) {
  const { db } = deps;
  const recorder = createRunRecorder(deps);
  return {
    ...recorder,
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

function show(row: RunRow): RunEvent {
  return {
    ...{ id: row.id, time: row.time, what: row.what, name: row.name },
    ...(row.outputId !== 0 && { 'output-id': row.outputId }),
    ...{ from: row.fromState, to: row.toState },
    ...(row.reason !== '' && { reason: row.reason }),
  };
}
