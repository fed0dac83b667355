/** The database as a part of a change of the appliance: its sections are stored once the other parts are kept. */
import type { ChangeKind } from '../../appliance/confirmed-change/kind.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { type Database, transaction } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { Audit } from '../logs/audit.ts';
import type { PowerService } from '../power/service.ts';
import { recordImport, type Staged, stage } from './staged.ts';

interface Deps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly log: Log;
  readonly power: Pick<PowerService, 'begin'>;
  /** Throws HubError if the sections no longer fit the database. */
  readonly tryOut: (staged: Staged) => Promise<void>;
}

export type Outcome = 'stored' | 'undone';

export function createImportPart({ db, secrets, audit, log, power, tryOut }: Deps) {
  let onEnd: ((outcome: Outcome) => void) | undefined;
  const end = (outcome: Outcome): void => {
    onEnd?.(outcome);
    onEnd = undefined;
  };
  const open = (sealed: string) => JSON.parse(secrets.open(sealed)) as Staged;
  const restart = (): void => {
    try {
      power.begin('importing').restart('settings were imported');
    } catch (error) {
      // Any other restart stores the sections, too.
      if (!(error instanceof HubError && error.result === 'inProgress')) throw error;
    }
  };
  /** Encrypts the data for the journal, because it contains all secrets of the file. */
  const kind: ChangeKind<Staged, string> = {
    prepare: async (imported) => secrets.seal(JSON.stringify(imported)),
    apply: async () => {},
    /** Checks again, because other users may have changed settings in the meantime. */
    async seal(sealed) {
      try {
        await tryOut(open(sealed));
        return true;
      } catch (error) {
        if (!(error instanceof HubError)) throw error;
        log.warn('the settings of the file no longer fit; the import is undone', { reason: error.message });
        return false;
      }
    },
    async save(sealed) {
      const staged = open(sealed);
      const needsRestart = staged.sections.length > 0;
      transaction<void>(db, (tx) => {
        // The hub records the import when it stores it at its next start.
        if (needsRestart) stage(tx, secrets, staged);
        else recordImport(tx, audit, staged);
      });
      if (needsRestart) restart();
      end('stored');
    },
    revert: async () => end('undone'),
  };
  return {
    kind,
    /** Resolves with the outcome of the import that has just started. */
    outcome: () =>
      new Promise<Outcome>((resolve) => {
        onEnd = resolve;
      }),
  };
}
