/**
 * Detects concurrent edits of an object. Editable objects have a revision, which increases with every entry of the
 * operation log about them; a change that is based on an older one is refused with the changes since.
 */
import { and, count, desc, eq, gt, max, type SQL, sql } from 'drizzle-orm';
import type { LaterChange } from '../contract/logs.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Queries } from './database.ts';
import { firewall, firewallRules } from './firewall-tables.ts';
import { forwards } from './forward-tables.ts';
import { ndiInputs, ndiOutputs, ndiRouter, ndiSalvos } from './ndi-router-tables.ts';
import {
  alarmRules,
  alarmWebhook,
  channels,
  deviceGroups,
  devices,
  edits,
  inputs,
  operationLog,
  outputs,
  schedules,
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
  schedule: { table: schedules, key: schedules.id },
  server: { table: servers, key: servers.id },
  device: { table: devices, key: devices.id },
  deviceGroup: { table: deviceGroups, key: deviceGroups.id },
  firewall: { table: firewall, key: firewall.id },
  firewallRule: { table: firewallRules, key: firewallRules.id },
  forward: { table: forwards, key: forwards.id },
  ndiRouter: { table: ndiRouter, key: ndiRouter.id },
  /** By their numbers. */
  ndiInput: { table: ndiInputs, key: ndiInputs.id },
  ndiOutput: { table: ndiOutputs, key: ndiOutputs.id },
  ndiSalvo: { table: ndiSalvos, key: ndiSalvos.id },
  /** By channel id. */
  alarmRules: { table: alarmRules, key: alarmRules.channelId },
  webhook: { table: alarmWebhook, key: alarmWebhook.id },
  /** By the name of the group. */
  settings: { table: settings, key: settings.name },
} as const;

/** The edited object: one with an id, or a group of settings by its name. */
export type Edited =
  | { readonly noun: Exclude<keyof typeof places, 'settings'>; readonly id: number }
  | { readonly noun: 'settings'; readonly id: string };

/** Revision of an object without a stored row, such as default settings. */
const firstRevision = 1;
/** Maximum number of later changes that are reported. */
const maxReported = 10;

export function revisionOf(db: Queries, { noun, id }: Edited): number {
  const { table, key } = places[noun];
  const [row] = db.values<[number]>(sql`SELECT revision FROM ${table} WHERE ${key} = ${id}`);
  return row?.[0] ?? firstRevision;
}

/** Call after storing a change that the entry describes. Does nothing if the same change deleted the object. */
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
 * User ids are reused: a new user continues the revisions of the previous one, whose edit forms may still be open, and
 * the changes of the previous one are not reported.
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

/** Throws `stateChanged` (1004) for a change based on another revision. A change without a revision overwrites. */
export function refuseStale(db: Queries, edited: Edited, name: string, basedOn: number | undefined): void {
  if (basedOn === undefined) return;
  const revision = revisionOf(db, edited);
  if (basedOn === revision) return;
  const later = changesSince(db, edited, basedOn);
  const [last] = later;
  const by = last ? ` by ${last.user}` : '';
  throw new HubError('stateChanged', `'${name}' was changed in the meantime${by}`, {
    params: { what: name, revision, ...(last && { by: last.user, change: last.detail }) },
    later,
    editors: editorsSince(db, edited, basedOn, revision),
  });
}

/** Returns undefined if the log no longer has each change between the two revisions. */
function editorsSince(db: Queries, edited: Edited, from: number, to: number): string[] | undefined {
  const rows = db
    .select({ user: operationLog.user, changes: count() })
    .from(edits)
    .innerJoin(operationLog, eq(edits.entryId, operationLog.id))
    .where(and(eq(edits.object, objectOf(edited)), gt(edits.revision, from)))
    .groupBy(operationLog.user)
    .all();
  const known = rows.reduce((sum, { changes }) => sum + changes, 0);
  return known === to - from ? rows.map(({ user }) => user) : undefined;
}

function changesSince(db: Queries, edited: Edited, revision: number): LaterChange[] {
  const { time, user, action, detail, subject, changes, result } = operationLog;
  const rows = db
    .select({ time, user, action, detail, subject, changes, result })
    .from(edits)
    .innerJoin(operationLog, eq(edits.entryId, operationLog.id))
    .where(and(eq(edits.object, objectOf(edited)), gt(edits.revision, revision)))
    .orderBy(desc(edits.revision))
    .limit(maxReported)
    .all();
  return rows.map(({ subject: of, changes: list, ...row }) => ({ ...row, subject: of ?? '', changes: list ?? [] }));
}

/** Selects the ids of the entries about the object. */
export function entriesAbout(edited: Edited): SQL {
  return sql`SELECT ${edits.entryId} FROM ${edits} WHERE ${edits.object} = ${objectOf(edited)}`;
}

function objectOf({ noun, id }: Edited): string {
  return `${noun} ${id}`;
}
