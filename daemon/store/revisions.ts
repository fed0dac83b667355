/**
 * Two people who edit the same thing. What can be edited has a revision, which grows with every entry of the operation
 * log that says it is about it; a change that was begun from an older one is refused with what happened since.
 */
import { and, desc, eq, gt, max, sql } from 'drizzle-orm';
import type { LaterChange } from '../contract/logs.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Queries } from './database.ts';
import {
  alarmRules,
  alarmWebhook,
  channels,
  edits,
  inputs,
  operationLog,
  outputs,
  servers,
  settings,
  userGroups,
  users,
} from './schema.ts';

const places = {
  user: { table: users, key: users.id },
  group: { table: userGroups, key: userGroups.id },
  channel: { table: channels, key: channels.id },
  input: { table: inputs, key: inputs.id },
  output: { table: outputs, key: outputs.id },
  server: { table: servers, key: servers.id },
  /** By the id of their channel. */
  alarmRules: { table: alarmRules, key: alarmRules.channelId },
  webhook: { table: alarmWebhook, key: alarmWebhook.id },
  /** By the name of their group. */
  settings: { table: settings, key: settings.name },
} as const;

/** What is edited: something with an id of its own, or a group of settings by its name. */
export type Edited =
  | { readonly noun: Exclude<keyof typeof places, 'settings'>; readonly id: number }
  | { readonly noun: 'settings'; readonly id: string };

/** Of what has been stored never, such as settings as they came, it is the first. */
export const firstRevision = 1;
/** The newest of what happened meanwhile that is told. */
const mostTold = 10;

export function revisionOf(db: Queries, { noun, id }: Edited): number {
  const { table, key } = places[noun];
  const [row] = db.values<[number]>(sql`SELECT revision FROM ${table} WHERE ${key} = ${id}`);
  return row?.[0] ?? firstRevision;
}

/** A change of it was stored, and this entry tells of it. Nothing when it is gone by the same change. */
export function raiseRevision(tx: Queries, edited: Edited, entryId: number): void {
  const { table, key } = places[edited.noun];
  const [row] = tx.values<[number]>(
    sql`UPDATE ${table} SET revision = revision + 1 WHERE ${key} = ${edited.id} RETURNING revision`,
  );
  if (!row) return;
  tx.insert(edits)
    .values({ object: objectOf(edited), revision: row[0], entryId })
    .run();
}

/**
 * Ids of people are used again: one that is new goes on after the one before, whose forms may still be open, and nobody
 * is told of that one.
 */
export function revisionOfNew(tx: Queries, edited: Edited): number {
  const isSame = eq(edits.object, objectOf(edited));
  const row = tx
    .select({ last: max(edits.revision) })
    .from(edits)
    .where(isSame)
    .get();
  tx.delete(edits).where(isSame).run();
  return (row?.last ?? 0) + firstRevision;
}

/** Refuses (1004) a change that was begun from another revision. Whoever names none overwrites. */
export function refuseStale(db: Queries, edited: Edited, name: string, begunFrom: number | undefined): void {
  if (begunFrom === undefined) return;
  const revision = revisionOf(db, edited);
  if (begunFrom === revision) return;
  const later = changesSince(db, edited, begunFrom);
  const [last] = later;
  const by = last ? ` by ${last.user}` : '';
  throw new HubError('stateChanged', `'${name}' was changed meanwhile${by}`, {
    params: { what: name, revision, ...(last && { by: last.user, change: last.detail }) },
    later,
  });
}

function changesSince(db: Queries, edited: Edited, revision: number): LaterChange[] {
  const { time, user, action, detail, subject, changes, result } = operationLog;
  const rows = db
    .select({ time, user, action, detail, subject, changes, result })
    .from(edits)
    .innerJoin(operationLog, eq(edits.entryId, operationLog.id))
    .where(and(eq(edits.object, objectOf(edited)), gt(edits.revision, revision)))
    .orderBy(desc(edits.revision))
    .limit(mostTold)
    .all();
  return rows.map(({ subject: of, changes: list, ...row }) => ({ ...row, subject: of ?? '', changes: list ?? [] }));
}

function objectOf({ noun, id }: Edited): string {
  return `${noun} ${id}`;
}
