import { hostname } from 'node:os';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { SectionPreview, settingsFileApi } from '../../contract/settings-file.ts';
import type { Actor, Session } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { hubSettings } from '../../settings-sections/hub-settings.ts';
import type { Section } from '../../settings-sections/section.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import { version } from '../../version.ts';
import type { License } from '../license/license.ts';
import type { Audit } from '../logs/audit.ts';
import type { PowerService } from '../power/service.ts';
import type { SettingsService } from '../settings/service.ts';
import { canonical, fileFormat, formatVersion, product, readDocument, refusal, withChecksum } from './document.ts';
import { type FileSecrets, openFileSecrets, sealFileSecrets } from './file-secrets.ts';
import { type Plan, type PlannedSection, planImport, storePlan, toFile } from './plan.ts';
import { stage } from './staged.ts';

export interface SettingsFileDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly now: () => number;
  readonly license: License;
  readonly settings: Pick<SettingsService, 'exported' | 'merged' | 'normal' | 'refuseUnusable'>;
  readonly hubName: () => string;
  readonly power: PowerService;
  /** Delays wrong passphrases like wrong passwords. */
  readonly limitGuesses: <T>(
    at: { readonly name: string; readonly ip: string },
    attempt: () => Promise<T>,
    isFailure: (outcome: T) => boolean,
  ) => Promise<T>;
  readonly sections: () => Promise<readonly Section[]>;
}

type Asked = BodyOf<typeof settingsFileApi.import>;
type Document = ReturnType<typeof readDocument>;

/** Stands for the passphrases of files among the names of users. */
const guessedName = 'settings file';
const rootUserId = 1;

export type SettingsFileService = ReturnType<typeof createSettingsFileService>;

export function createSettingsFileService(deps: SettingsFileDeps) {
  const { db, secrets, audit, power, settings } = deps;
  // Each takes 64 MB of memory.
  const oneAtATime = createSemaphore({ atOnce: 1, longestLine: 8 });

  const openSecrets = async (
    actor: Actor,
    { secrets: sealed }: Document,
    passphrase: string | undefined,
  ): Promise<FileSecrets | undefined> => {
    if (sealed === undefined) return undefined;
    if (passphrase === undefined || passphrase === '') {
      throw fieldError('passphrase', 'required', 'the file contains secrets: its passphrase is required');
    }
    const place = { name: guessedName, ip: actor.ip };
    const attempt = () => oneAtATime(() => openFileSecrets(sealed, passphrase));
    const opened = await deps.limitGuesses(place, attempt, (outcome) => outcome === undefined);
    if (opened !== undefined) return opened;
    audit.note(db, actor, { action: 'settings.import', subject: 'all', result: 'authFailed' });
    const message = 'this is not the passphrase of the file';
    throw new HubError('authFailed', message, { fields: [{ path: 'passphrase', rule: 'passphraseWrong', message }] });
  };

  const plan = async (actor: Actor, asked: Asked, document: Document) => {
    const all = await deps.sections();
    const isChosen = (name: string) => asked.sections?.includes(name) ?? true;
    const chosen = Object.fromEntries(Object.entries(document.sections).filter(([name]) => isChosen(name)));
    const opened = await openSecrets(actor, document, asked.passphrase);
    const planned = planImport(all, db, { sections: chosen, secrets: opened });
    tryOut(deps, all, planned);
    const known = new Set(all.map(({ name }) => name));
    const ignored = Object.keys(document.sections).filter((name) => !known.has(name));
    return { planned, ignored };
  };

  /** The values of settings in the form in which they are stored. Throws for a port that is in use. */
  const prepare = async (sections: readonly PlannedSection[]): Promise<PlannedSection[]> => {
    const prepared: PlannedSection[] = [];
    for (const section of sections) {
      if (section.name !== hubSettings) {
        prepared.push(section);
        continue;
      }
      const put: PlannedSection['put'][number][] = [];
      for (const { value, secret } of section.put) {
        const { name, value: given } = value as { name: string; value: unknown };
        const next = settings.merged(name, given, secret);
        await settings.refuseUnusable(name, next);
        put.push({ value: { name, value: next }, secret: {} });
      }
      prepared.push({ ...section, put });
    }
    return prepared;
  };

  return {
    async export(actor: Actor, { passphrase, sections: asked }: BodyOf<typeof settingsFileApi.export>) {
      const all = (await deps.sections()).filter(({ name }) => asked?.includes(name) ?? true);
      const read = transaction(db, (tx) => toFile(all, tx));
      const sealed = passphrase && (await oneAtATime(() => sealFileSecrets(read.secrets, passphrase)));
      audit.note(db, actor, {
        action: 'settings.export',
        subject: 'all',
        changes: passphrase ? [{ word: 'withSecrets' }] : [],
      });
      const file = withChecksum({
        ...{ format: fileFormat, 'format-version': formatVersion, product, version },
        ...{ created: deps.now(), hub: deps.hubName() || hostname(), sections: read.sections },
        ...(sealed && { secrets: sealed }),
      });
      return { file };
    },

    async import(actor: Actor, session: Session, asked: Asked) {
      const document = readDocument(asked.file);
      const { planned, ignored } = await plan(actor, asked, document);
      const digest = digestOf(planned);
      const isEmpty = planned.sections.every(({ put, removed }) => put.length === 0 && removed.length === 0);
      const answer = {
        file: {
          ...{ version: document.version, created: document.created, hub: document.hub },
          ...{ 'has-secrets': document.secrets !== undefined, 'has-checksum': document.checksum !== undefined },
        },
        ...{ sections: [...planned.preview], ignored, 'root-needed': [...planned.rootNeeded], digest },
      };
      if (asked.preview) return { ...answer, restarts: false, 'estimate-sec': 0 };
      if (planned.rootNeeded.length > 0 && !isRoot(session)) {
        throw new HubError(
          'notPermitted',
          `only Admin may do that with the administrators ${planned.rootNeeded.join(', ')}`,
        );
      }
      if (asked.digest !== undefined && asked.digest !== digest) {
        throw new HubError('stateChanged', 'the settings have changed since the preview', {
          params: { what: 'settings' },
        });
      }
      if (isEmpty) return { ...answer, restarts: false, 'estimate-sec': 0 };
      const work = power.begin('importing');
      try {
        const sections = await prepare(planned.sections);
        const changes = planned.preview.flatMap(changeOf);
        transaction<void>(db, (tx) => stage(tx, secrets, { actor, sections, changes }));
      } catch (error) {
        work.end();
        throw error;
      }
      return { ...answer, restarts: true, 'estimate-sec': work.restart('settings were imported') };
    },
  };
}

/** Everything that only the database can refuse, or the license. */
function tryOut({ db, license }: SettingsFileDeps, sections: readonly Section[], planned: Plan): void {
  const undo = new Error('undo');
  try {
    transaction<void>(db, (tx: Queries) => {
      license.within(tx, () => storePlan(sections, tx, planned));
      throw undo;
    });
  } catch (error) {
    if (error === undo) return;
    if (error instanceof HubError) throw error;
    throw refusal('formatError', 'contradictory', `the file contradicts itself: ${reasonOf(error)}`);
  }
}

/** A rule of the database, such as a key that two channels have. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : '';
  const [, column = ''] = /constraint failed: (\S+)/.exec(reason) ?? [];
  if (column === '') throw error;
  return `two objects have the same ${column}`;
}

function digestOf({ preview, rootNeeded, sections }: Plan): string {
  const facts = {
    preview,
    rootNeeded,
    puts: sections.map(({ name, put, removed }) => [name, put.map(({ value }) => value), removed]),
  };
  return new Bun.CryptoHasher('sha256').update(canonical(facts)).digest('hex').slice(0, 32);
}

function isRoot({ user, token }: Session): boolean {
  return user.id === rootUserId && token === undefined;
}

function changeOf(section: SectionPreview): OperationChange[] {
  const counts = [section['added-num'], section['changed-num'], section['removed-num']];
  if (counts.every((count) => count === 0)) return [];
  const [added, changed, removed] = counts;
  return [{ word: 'importedSection', value: `${section.name} +${added} ~${changed} -${removed}` }];
}
