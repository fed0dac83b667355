import { lte } from 'drizzle-orm';
import { limits } from '../../contract/limits.ts';
import { type ResultName, results } from '../../contract/result.ts';
import type { Actor } from '../../http/route.ts';
import type { Queries } from '../../store/database.ts';
import { operationLog } from '../../store/schema.ts';

export interface AuditEntry {
  /** `noun.verb`, such as `channel.add`. */
  readonly action: string;
  /** Name of the object and what was changed; never a secret. */
  readonly detail: string;
  readonly result: ResultName;
}

export interface Audit {
  /** Part of the caller's transaction: a change and its entry are stored together or not at all. */
  record(tx: Queries, actor: Actor, entry: AuditEntry): void;
}

const longestDetail = 1000;

/** Keeps the newest `limits.logEntries` entries. */
export function createAudit(now: () => number): Audit {
  return {
    record(tx, actor, { action, detail, result }) {
      const { id } = tx
        .insert(operationLog)
        .values({
          time: now(),
          user: actor.name,
          ip: actor.ip,
          action,
          detail: detail.slice(0, longestDetail),
          result: results[result].code,
        })
        .returning({ id: operationLog.id })
        .get();
      // Ids only grow, so the oldest entries are the lowest ids.
      tx.delete(operationLog)
        .where(lte(operationLog.id, id - limits.logEntries))
        .run();
    },
  };
}
