import { and, desc, eq, like } from 'drizzle-orm';
import { HubError } from '../lib/hub-error.ts';
import type { Queries } from './database.ts';
import { operationLog } from './schema.ts';

export interface Edited {
  /** Noun of the actions in the log, such as `user`. */
  readonly noun: string;
  /** Name of the object, as the log has it. */
  readonly subject: string;
  readonly revision: number;
}

/**
 * Refuses (1004) a change that was begun from an older revision, and says who was faster with what. Whoever sends no
 * revision overwrites.
 */
export function refuseStale(tx: Queries, { noun, subject, revision }: Edited, begunFrom: number | undefined): void {
  if (begunFrom === undefined || begunFrom === revision) return;
  const last = tx
    .select({ by: operationLog.user, change: operationLog.detail, words: operationLog.changes })
    .from(operationLog)
    .where(and(eq(operationLog.subject, subject), like(operationLog.action, `${noun}.%`), eq(operationLog.result, 0)))
    .orderBy(desc(operationLog.id))
    .limit(1)
    .get();
  const by = last ? ` by ${last.by}` : '';
  // `change` is English; the words are for the reader's language.
  const said = last && { by: last.by, change: last.change, words: JSON.stringify(last.words ?? []) };
  throw new HubError('stateChanged', `'${subject}' was changed meanwhile${by}`, {
    params: { what: subject, revision, ...said },
  });
}
