/** Assembles the history of state changes for the composition root. */
import { limits } from '../../contract/limits.ts';
import { type RunEvent, runHistoryApi } from '../../contract/run-history.ts';
import { bind, type Route } from '../../http/route.ts';
import { notExist } from '../../lib/refusals.ts';
import { createRunRecorder, type RecorderDeps, type RunRecorder } from './recorder.ts';
import { channelExists, listRunEvents, type RunRow } from './store.ts';

export interface RunHistory extends RunRecorder {
  readonly routes: Route[];
}

const lookEveryMs = 100;

export function createRunHistory(deps: Omit<RecorderDeps, 'lookEveryMs'>): RunHistory {
  const { db } = deps;
  const recorder = createRunRecorder({ ...deps, lookEveryMs });
  return {
    ...recorder,
    routes: [
      bind(runHistoryApi.list, ({ query: { id, what, cursor, count = limits.page.default } }) => {
        if (!channelExists(db, id)) throw notExist('channel', id);
        const size = Math.floor(count);
        const rows = listRunEvents(db, { channelId: id, what, before: cursor, count: size + 1 });
        const list = rows.slice(0, size);
        const last = list.at(-1);
        return { list: list.map(show), ...(rows.length > size && last && { next: last.id }) };
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
