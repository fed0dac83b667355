import { hostname } from 'node:os';
import { importPart } from '../../appliance/confirmed-change/several-parts.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { defaultConfirmSeconds } from '../../contract/network-fields.ts';
import type { SectionPreview, settingsFileApi } from '../../contract/settings-file.ts';
import type { Actor, Session } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { hubSettings } from '../../settings-sections/hub-settings.ts';
import { ofStartingHub } from '../../settings-sections/list.ts';
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
import { createImportPart } from './import-part.ts';
import { type Plan, type PlannedSection, planImport, storePlan, toFile } from './plan.ts';
import { type Staged, stage } from './staged.ts';
import {
  noAreas,
  type OpenedAreas,
  openAreas,
  planParts,
  type SystemPlan,
  type SystemSettings,
} from './system-parts.ts';

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
  readonly log: Log;
  /** Undefined on a hub that is not an appliance. */
  readonly system: () => SystemSettings | undefined;
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

  const opened = (isWanted: (name: string) => boolean): Promise<OpenedAreas> | OpenedAreas => {
    const system = deps.system();
    return system === undefined ? noAreas : system.areas().then((areas) => openAreas(areas, isWanted));
  };

  const plan = async (actor: Actor, asked: Asked, document: Document) => {
    const inDatabase = await deps.sections();
    const isChosen = (name: string) => asked.sections?.includes(name) ?? true;
    const chosen = Object.fromEntries(Object.entries(document.sections).filter(([name]) => isChosen(name)));
    const areas = await opened((name) => chosen[name] !== undefined);
    const all = [...inDatabase, ...areas.sections];
    const secretMembers = await openSecrets(actor, document, asked.passphrase);
    const planned = planImport(all, db, { sections: chosen, secrets: secretMembers });
    tryOut(deps, inDatabase, planned);
    const known = new Set(all.map(({ name }) => name));
    const ignored = Object.keys(document.sections).filter((name) => isChosen(name) && !known.has(name));
    const stored = planned.sections.filter(({ name }) => inDatabase.some((section) => section.name === name));
    const edited = planned.sections.flatMap(({ name, put }) => {
      const section = areas.sections.find((one) => one.name === name);
      return put.flatMap(({ value }) => section?.edited?.(db, section.keyOf(value)) ?? []);
    });
    return { planned, stored, edited, ignored, system: planParts(areas, planned.sections, { actor, db }) };
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

  const part = createImportPart({
    ...{ db, secrets, audit, power, log: deps.log },
    tryOut: async ({ sections }) => tryOut(deps, ofStartingHub({ secrets, now: deps.now }), { sections }),
  });

  /** Applies all parts at once. Resolves when the change waits to be confirmed, or is final. */
  const begin = async (
    { parts, isRisky }: SystemPlan,
    { staged, asked, session }: { readonly staged: Staged; readonly asked: Asked; readonly session: Session },
  ) => {
    const { 'confirm-within': within, 'accept-risk': acceptsRisk } = asked;
    const seconds = within ?? (isRisky ? defaultConfirmSeconds : 0);
    if (isRisky && seconds === 0 && acceptsRisk !== true) {
      throw fieldError('accept-risk', 'required', 'the import may cut you off permanently; set accept-risk');
    }
    const changes = await deps.system()?.changes();
    if (changes === undefined) throw new Error('only an appliance has such sections');
    const work = power.begin('importing');
    try {
      const sections = await prepare(staged.sections);
      const all = [...parts, { part: importPart, change: { ...staged, sections } }];
      const userId = session.token ? null : session.user.id;
      const token = await changes.begin({ kind: 'settings', change: all, user: staged.actor.name, userId, seconds });
      if (seconds > 0 || isRisky) return { ...(token !== '' && { token }), 'confirm-by-s': seconds };
    } finally {
      // Users may use the console while the import waits to be confirmed.
      work.end();
    }
    if ((await part.outcome()) === 'stored') return { 'confirm-by-s': 0 };
    throw new HubError('ioFailed', 'the system did not accept the settings; the previous settings apply again');
  };

  return {
    /** The part of the database in a change of the appliance. */
    part: part.kind,
    async export(actor: Actor, { passphrase, sections: asked }: BodyOf<typeof settingsFileApi.export>) {
      const isAsked = (name: string) => asked?.includes(name) ?? true;
      const areas = await opened(isAsked);
      const all = [...(await deps.sections()).filter(({ name }) => isAsked(name)), ...areas.sections];
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
      return { file, 'left-out': [...areas.missing] };
    },

    async import(actor: Actor, session: Session, asked: Asked) {
      const document = readDocument(asked.file);
      const { planned, stored, edited, ignored, system } = await plan(actor, asked, document);
      const digest = digestOf(planned);
      const isEmpty = planned.sections.every(isUnchanged);
      const answer = {
        file: {
          ...{ version: document.version, created: document.created, hub: document.hub },
          ...{ 'has-secrets': document.secrets !== undefined, 'has-checksum': document.checksum !== undefined },
        },
        ...{ sections: [...planned.preview], ignored, 'root-needed': [...planned.rootNeeded], digest },
        ...{ 'confirm-by-s': 0, addresses: [...system.addresses] },
        ...{ restarts: false, 'estimate-sec': 0 },
      };
      if (asked.preview) return answer;
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
      if (isEmpty) return answer;
      const changes = planned.preview.flatMap(changeOf);
      const restarts = stored.some((section) => !isUnchanged(section));
      if (system.parts.length > 0) {
        const staged = { actor, changes, edited, sections: restarts ? stored : [] };
        const started = await begin(system, { staged, asked, session });
        const isNow = restarts && started['confirm-by-s'] === 0;
        return { ...answer, ...started, restarts: isNow, 'estimate-sec': isNow ? power.restartSeconds : 0 };
      }
      const work = power.begin('importing');
      try {
        const sections = await prepare(stored);
        transaction<void>(db, (tx) => stage(tx, secrets, { actor, sections, changes }));
      } catch (error) {
        work.end();
        throw error;
      }
      return { ...answer, restarts: true, 'estimate-sec': work.restart('settings were imported') };
    },
  };
}

function isUnchanged({ put, removed }: PlannedSection): boolean {
  return put.length === 0 && removed.length === 0;
}

/** Everything that only the database can refuse, or the license. */
function tryOut(
  { db, license }: SettingsFileDeps,
  sections: readonly Section[],
  planned: Pick<Plan, 'sections'>,
): void {
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
