import { and, desc, eq, lt, lte, ne, type SQL } from 'drizzle-orm';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { type ResultName, results } from '../../contract/result.ts';
import type { Actor } from '../../http/route.ts';
import { plainLine } from '../../lib/log.ts';
import { unlessNoSpace } from '../../lib/no-space.ts';
import type { Queries } from '../../store/database.ts';
import { type Edited, raiseRevision } from '../../store/revisions.ts';
import { operationLog } from '../../store/schema.ts';
import { detailText } from './detail.ts';

export interface AuditEntry {
  /** `noun.verb`, such as `channel.add`. */
  readonly action: string;
  /** Name of the object, or group of the settings; empty if there is none. */
  readonly subject: string;
  /** Never contains a secret. */
  readonly changes?: readonly OperationChange[];
  /** `success` if absent. */
  readonly result?: ResultName;
  /** The edited objects, whose revisions increase. */
  readonly edited?: readonly Edited[];
}

const dayMs = 24 * 60 * 60_000;
const longestDetail = 1000;
const longestValue = 500;

/** Makes the value one plain line of limited length, whatever a name or an address contains. */
function tidy({ word, value }: OperationChange): OperationChange {
  return value === undefined ? { word } : { word, value: plainLine(value).slice(0, longestValue) };
}

/** Failed attempts have a separate quota: unauthenticated peers can cause them, and must not displace the changes. */
const roomOfFailures = 1 / 10;

function trim(tx: Queries, kind: SQL, room: number): void {
  const surplus = tx
    .select({ id: operationLog.id })
    .from(operationLog)
    .where(kind)
    .orderBy(desc(operationLog.id))
    .limit(1)
    .offset(room)
    .get();
  if (surplus !== undefined)
    tx.delete(operationLog)
      .where(and(kind, lte(operationLog.id, surplus.id)))
      .run();
}

export type Audit = ReturnType<typeof createAudit>;

/** `keep` is the number of newest entries to keep, plus or minus a thousandth. */
export function createAudit(now: () => number, keep: number = limits.logEntries) {
  const trimEvery = Math.max(1, Math.floor(keep / 1000));
  const audit = {
    /** Runs in the caller's transaction: a change and its entry are stored together or not at all. */
    record(
      tx: Queries,
      actor: Actor,
      { action, subject: named, changes: given = [], result = 'success', edited = [] }: AuditEntry,
    ): void {
      const subject = plainLine(named);
      const changes = given.map(tidy);
      const { id } = tx
        .insert(operationLog)
        .values({
          time: now(),
          user: actor.name,
          ip: actor.ip,
          via: plainLine(actor.via ?? ''),
          action,
          detail: detailText(subject, changes).slice(0, longestDetail),
          result: results[result].code,
          subject,
          changes,
        })
        .returning({ id: operationLog.id })
        .get();
      for (const one of edited) raiseRevision(tx, one, id);
      if (id % trimEvery !== 0) return;
      trim(tx, eq(operationLog.result, results.success.code), keep);
      trim(tx, ne(operationLog.result, results.success.code), Math.floor(keep * roomOfFailures));
    },
    /** The same for events that take place even if they cannot be recorded. Returns false if there is no space. */
    note: (db: Queries, actor: Actor, entry: AuditEntry): boolean =>
      unlessNoSpace(() => audit.record(db, actor, entry)),
    /** Deletes entries beyond the retention period. */
    sweep(db: Queries): void {
      db.delete(operationLog)
        .where(lt(operationLog.time, now() - limits.logDays * dayMs))
        .run();
    },
  };
  return audit;
}
