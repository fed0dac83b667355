import type { RunEvent } from '../../contract/run-history.ts';
import type { RunRow } from './store.ts';

/** An entry as the API has it. */
export function shownRun(row: RunRow): RunEvent {
  return {
    ...{ id: row.id, time: row.time, what: row.what, name: row.name },
    ...(row.outputId !== 0 && { 'output-id': row.outputId }),
    ...{ from: row.fromState, to: row.toState },
    ...(row.reason !== '' && { reason: row.reason }),
    ...(row.afterMs !== 0 && { 'after-ms': row.afterMs }),
    ...(row.by !== '' && { by: row.by }),
  };
}
