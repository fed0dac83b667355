/**
 * An import that was checked and waits for the next start of the hub, which stores it before anything else is read: in
 * one transaction, together with its entry in the operation log and the end of the wait. So a hub that is killed at any
 * moment has the settings of before or after, and nothing that runs has half of them in memory.
 */
import type { OperationChange } from '../../contract/logs.ts';
import type { Actor } from '../../http/route.ts';
import type { Log } from '../../lib/log.ts';
import type { Section } from '../../settings-sections/section.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import type { Edited } from '../../store/revisions.ts';
import type { Secrets } from '../../store/secrets.ts';
import { deleteStaged, readStaged, writeStaged } from '../../store/staged-import.ts';
import type { Audit } from '../logs/audit.ts';
import { type PlannedSection, storePlan } from './plan.ts';

export interface Staged {
  readonly actor: Actor;
  readonly sections: readonly PlannedSection[];
  readonly changes: readonly OperationChange[];
  /** Objects outside of the database that the import has changed. */
  readonly edited?: readonly Edited[];
}

/** Sealed, because it contains every secret of the file. */
export function stage(tx: Queries, secrets: Pick<Secrets, 'seal'>, staged: Staged): void {
  writeStaged(tx, secrets.seal(JSON.stringify(staged)));
}

interface ApplyDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly log: Log;
  readonly sections: readonly Section[];
}

/** Stores the import that waits. One that cannot be stored is given up: the settings stay as they were. */
export function applyStaged({ db, secrets, audit, log, sections }: ApplyDeps): void {
  const sealed = readStaged(db);
  if (sealed === undefined) return;
  try {
    const staged = JSON.parse(secrets.open(sealed)) as Staged;
    transaction<void>(db, (tx) => {
      const edited = storePlan(sections, tx, staged);
      deleteStaged(tx);
      recordImport(tx, audit, staged, edited);
    });
    log.info('the imported settings are stored', { by: staged.actor.name });
  } catch (error) {
    log.error('the imported settings can’t be stored; the previous ones apply', { reason: String(error) });
    transaction<void>(db, deleteStaged);
  }
}

export function recordImport(tx: Queries, audit: Audit, staged: Staged, stored: readonly Edited[] = []): void {
  const edited = [...stored, ...(staged.edited ?? [])];
  audit.record(tx, staged.actor, { action: 'settings.import', subject: 'all', changes: staged.changes, edited });
}
