/**
 * Groups of settings, each registered by its noun: shows, checks and stores them, one change after another. A change may
 * have to be confirmed; otherwise it is reverted when its time is over, or at the next start of the hub.
 */

import * as z from 'zod/mini';
import type { OperationChange } from '../../contract/logs.ts';
import { Revision } from '../../contract/rules.ts';
import { ConfirmWithin } from '../../contract/settings-fields.ts';
import { hubActor } from '../../http/actor.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { type Database, transaction } from '../../store/database.ts';
import { type Edited, refuseStale, revisionOf } from '../../store/revisions.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import {
  deleteGroup,
  deleteUnconfirmed,
  listUnconfirmed,
  readGroup,
  readUnconfirmed,
  writeGroup,
  writeUnconfirmed,
} from './store.ts';

/** What a change needs before it can be stored, such as an open port. */
export interface Preparation {
  /** Called once the change is stored. */
  commit(): void;
  /** Called if it cannot be stored. */
  abort(): void;
}

export interface SettingsGroup<Stored, Change> {
  /** As in the API. */
  readonly name: string;
  readonly schema: z.ZodMiniType<Change>;
  /** The value while nothing is stored. Its members complete a value that an older hub stored. */
  readonly initial: Stored;
  /** The stored value in the form that applies, for example with the port that is open instead of port 0. */
  readonly inEffect?: (stored: Stored) => Stored;
  /** The value as the API shows it; `mayEdit`: to users who may edit settings. */
  readonly show: (now: Stored, mayEdit: boolean) => unknown;
  /** Whether the change weakens sign-in, which requires permission to manage users. */
  readonly weakens?: (now: Stored, change: Change) => boolean;
  /** Returns the value after the change. Throws HubError for a value that breaks a rule. */
  readonly merge: (now: Stored, change: Change, actor: Actor) => Stored;
  /** For the operation log. */
  readonly describe: (next: Stored) => readonly OperationChange[];
  /** The members that the settings file has apart, in clear, under the names that a change has. */
  readonly secrets?: (stored: Stored) => Readonly<Record<string, string>>;
  /** `merge` for a settings file, without rules that depend on other groups: the file may change those as well. */
  readonly mergeFile?: (initial: Stored, change: Change) => Stored;
  /** Not part of the settings of the file: how this hub is reached. */
  readonly isOfThisHub?: true;
  /** Throws HubError if the value cannot take effect. */
  readonly prepare?: (next: Stored, now: Stored) => Promise<Preparation | undefined>;
  /** Whether a confirmation by this caller proves that the change works; absent: any confirmation does. */
  readonly proves?: (over: Pick<Actor, 'certificate'>) => boolean;
  /** Called after the value has changed. */
  readonly onChange?: () => void;
  /** Called once the stored value can no longer be reverted. */
  readonly onFinal?: (stored: Stored) => void;
}

/** Without its types, which `register` has checked. */
type AnyGroup = SettingsGroup<unknown, unknown>;

interface Registered {
  readonly group: AnyGroup;
  /** Returns a stored value in its present form, or the initial value. */
  readonly complete: (stored: unknown) => unknown;
  stored: unknown;
  /** The value in effect before the first change that waits to be confirmed. */
  confirmed?: unknown;
}

interface RegistryOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly log: Log;
  readonly now: () => number;
}

/** A body of `settings/set`: the change of one group. */
export interface AnyChange {
  readonly revision?: number | undefined;
  readonly 'confirm-within'?: number | undefined;
  readonly [group: string]: unknown;
}

/** A change that waits to be confirmed, for those that wait elsewhere: only one does at a time. */
export type ClaimConfirmation = (by: { readonly user: string; readonly seconds: number }) => Promise<() => void>;

/** The groups whose changes can cut off who makes them. */
const cutOff: ReadonlySet<string> = new Set(['web']);
const maxWaiting = 16;

export type SettingsRegistry = ReturnType<typeof createSettingsRegistry>;

export function createSettingsRegistry({ db, audit, log, now }: RegistryOptions) {
  const groups = new Map<string, Registered>();
  const reverts = new Map<string, Timer>();
  /** End the claims of changes that wait. */
  const claims = new Map<string, () => void>();
  /** Groups whose change waits as a part of a larger one, with which alone it is kept. */
  const parts = new Set<string>();
  let claim: ClaimConfirmation | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** One after another: a port that was found to be free must still be free when it is opened. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= maxWaiting) return Promise.reject(new HubError('tryAgain', 'too many changes are waiting'));
    waiting += 1;
    const turn = queue.then(work).finally(() => (waiting -= 1));
    queue = turn.catch(() => {});
    return turn;
  };
  const present = ({ group, stored }: Registered): unknown => (group.inEffect ? group.inEffect(stored) : stored);

  /** `deadline`: until when the change must be confirmed; null: it is final. `stored`: in place of the value itself. */
  const store = async (
    of: Registered,
    next: unknown,
    record: {
      readonly actor: Actor;
      readonly action: string;
      readonly deadline: number | null;
      /** Until it is reverted; from when it takes effect, whatever happens to the clock meanwhile. */
      readonly waitMs?: number;
      readonly stored?: unknown;
    },
  ): Promise<void> => {
    const { group } = of;
    const { name } = group;
    const { stored = next } = record;
    const before = present(of);
    const prepared = await group.prepare?.(next, before);
    try {
      transaction(db, (tx) => {
        if (record.deadline === null) deleteUnconfirmed(tx, name);
        else {
          // Of several such changes, the value before the first one is the one that was confirmed.
          const { previous } = readUnconfirmed(tx, name) ?? { previous: readGroup(tx, name) ?? null };
          writeUnconfirmed(tx, { name, previous, deadline: record.deadline });
        }
        writeGroup(tx, name, stored);
        const changes = [...group.describe(next)];
        audit.record(tx, record.actor, { action: record.action, subject: name, changes, edited: [editOf(name)] });
      });
    } catch (error) {
      prepared?.abort();
      throw error;
    }
    of.stored = stored;
    of.confirmed = record.deadline === null ? undefined : (of.confirmed ?? before);
    prepared?.commit();
    group.onChange?.();
    if (record.deadline === null) group.onFinal?.(stored);
    schedule(name, record.deadline, record.waitMs);
  };

  const schedule = (name: string, deadline: number | null, waitMs = 0): void => {
    clearTimeout(reverts.get(name));
    reverts.delete(name);
    if (deadline === null) {
      claims.get(name)?.();
      claims.delete(name);
      parts.delete(name);
      return;
    }
    const retry = () => schedule(name, deadline, timing.settings.revertRetryMs);
    const timer = setTimeout(() => void inTurn(() => revert(name, deadline)).catch(retry), waitMs);
    timer.unref();
    reverts.set(name, timer);
  };

  const revert = async (name: string, deadline: number): Promise<void> => {
    const [of, row] = [groups.get(name), readUnconfirmed(db, name)];
    // It was confirmed or changed again while this waited for its turn.
    if (!of || row?.deadline !== deadline) return;
    log.warn('a change of settings was not confirmed and is reverted', { group: name });
    try {
      const record = { actor: hubActor, action: 'settings.revert', deadline: null };
      await store(of, of.confirmed, { ...record, stored: of.complete(row.previous ?? undefined) });
    } catch (error) {
      log.error('the settings can’t be reverted yet', { group: name, reason: String(error) });
      throw error;
    }
  };

  /** Throws `stateChanged` while a change waits elsewhere. */
  const claimed = async (name: string, by: Parameters<ClaimConfirmation>[0], work: () => Promise<void>) => {
    // A further change of the same group replaces the one that waits.
    if (claim === undefined || !cutOff.has(name) || claims.has(name)) return work();
    const end = await claim(by);
    claims.set(name, end);
    try {
      await work();
    } catch (error) {
      claims.delete(name);
      end();
      throw error;
    }
  };

  /** Keeps a change that would be reverted otherwise. Throws `wrongState` if there is none. */
  const keep = (actor: Actor, name: string): void => {
    transaction(db, (tx) => {
      if (!readUnconfirmed(tx, name)) throw new HubError('wrongState', `no change of '${name}' waits to be confirmed`);
      deleteUnconfirmed(tx, name);
      audit.record(tx, actor, { action: 'settings.confirm', subject: name });
    });
    const of = groups.get(name);
    if (of) of.confirmed = undefined;
    schedule(name, null);
    of?.group.onFinal?.(of.stored);
  };

  // The run of the hub before ended while changes waited: nobody is there any more who could confirm them.
  for (const { name, previous } of listUnconfirmed(db)) {
    log.warn('a change of settings was not confirmed and is reverted', { group: name });
    transaction(db, (tx) => {
      deleteUnconfirmed(tx, name);
      if (previous === null) deleteGroup(tx, name);
      else writeGroup(tx, name, previous);
      audit.record(tx, hubActor, { action: 'settings.revert', subject: name, edited: [editOf(name)] });
    });
  }

  return {
    /** Returns a function that reads the value in effect. `repair` adjusts what is stored when it is read. */
    register<Stored, Change>(
      group: SettingsGroup<Stored, Change>,
      repair: (stored: Stored) => Stored = (stored) => stored,
    ): () => Stored {
      const { name, initial } = group;
      const complete = (stored: unknown) => {
        if (stored === undefined) return initial;
        return repair((typeof initial === 'object' ? { ...initial, ...(stored as object) } : stored) as Stored);
      };
      const registered = { group: group as unknown as AnyGroup, complete, stored: complete(readGroup(db, name)) };
      groups.set(name, registered);
      return () => present(registered) as Stored;
    },
    /** Changes that can cut off the caller are refused while one waits elsewhere, which learns of those that wait here. */
    shareConfirmation(share: ClaimConfirmation): void {
      claim = share;
    },
    /** The stored value, or the initial one. */
    stored: (name: string): unknown => groups.get(name)?.stored,
    /** Schema of a change: exactly one registered group. */
    changeSchema() {
      const shape = Object.fromEntries([...groups].map(([name, { group }]) => [name, z.optional(group.schema)]));
      return z
        .strictObject({ ...shape, revision: Revision, 'confirm-within': z.optional(ConfirmWithin) })
        .check(z.refine((value) => namesIn(value as AnyChange).length === 1, 'exactlyOne'));
    },
    /** Every group, its revision, and until when a change of it must be confirmed. */
    shown(mayEdit: boolean) {
      const all = [...groups.values()];
      const own = listUnconfirmed(db).filter(({ name }) => !parts.has(name));
      const unconfirmed = own.map(({ name, deadline }) => [name, deadline]);
      return {
        ...Object.fromEntries(all.map((of) => [of.group.name, of.group.show(present(of), mayEdit)])),
        revision: Object.fromEntries(all.map(({ group: { name } }) => [name, revisionOf(db, editOf(name))])),
        ...(unconfirmed.length > 0 && { unconfirmed: Object.fromEntries(unconfirmed) }),
      };
    },
    /** Returns the new revision. Throws `notPermitted` when the change weakens sign-in without `mayWeaken`. */
    change(actor: Actor, change: AnyChange, { mayWeaken }: { readonly mayWeaken: boolean }): Promise<number> {
      return inTurn(async () => {
        const [name = ''] = namesIn(change);
        const of = groupOf(name);
        refuseStale(db, editOf(name), name, change.revision);
        const { group } = of;
        const asked = change[name];
        if (!mayWeaken && group.weakens?.(present(of), asked)) {
          throw new HubError('notPermitted', 'weakening sign-in requires permission to manage users');
        }
        const waitMs = (change['confirm-within'] ?? 0) * 1000;
        const deadline = waitMs === 0 ? null : now() + waitMs;
        const next = group.merge(present(of), asked, actor);
        // The first value is stored even if it is the initial one, which may change. One that waits to be confirmed is
        // confirmed by being set again.
        const isKnown = readGroup(db, name) !== undefined && !readUnconfirmed(db, name);
        if (!isKnown || !Bun.deepEquals(next, of.stored, true)) {
          await claimed(name, { user: actor.name, seconds: waitMs / 1000 }, () =>
            store(of, next, { actor, action: 'settings.set', deadline, waitMs }),
          );
        }
        return revisionOf(db, editOf(name));
      });
    },
    /** Throws HubError if a change cannot take effect. */
    refuse: (actor: Actor, name: string, asked: unknown): Promise<void> =>
      inTurn(async () => {
        const of = groupOf(name);
        const now = present(of);
        (await of.group.prepare?.(of.group.merge(now, asked, actor), now))?.abort();
      }),
    /**
     * A change that is a part of a larger one, which is the only one that waits to be confirmed. Reverted after `waitMs`
     * unless it is kept; 0: it is final.
     */
    take: (actor: Actor, name: string, asked: unknown, waitMs: number): Promise<void> =>
      inTurn(async () => {
        const of = groupOf(name);
        const deadline = waitMs === 0 ? null : now() + waitMs;
        await store(of, of.group.merge(present(of), asked, actor), { actor, action: 'settings.set', deadline, waitMs });
        if (deadline !== null) parts.add(name);
      }),
    /** Keeps a change that `take` made. */
    keep,
    proves: (name: string, over: Pick<Actor, 'certificate'>): boolean => groups.get(name)?.group.proves?.(over) ?? true,
    isTried: (name: string): boolean => readUnconfirmed(db, name) !== undefined,
    /** Reverts a change that waits to be confirmed now. */
    undo: (name: string): Promise<void> =>
      inTurn(async () => {
        const row = readUnconfirmed(db, name);
        if (row) await revert(name, row.deadline);
      }),
    /** The groups as the settings file has them: as in the API, with the secrets apart. */
    exported() {
      return [...groups.values()]
        .filter(({ group }) => !group.isOfThisHub)
        .map((of) => {
          const { name, show, secrets } = of.group;
          const secret = secrets?.(of.stored) ?? {};
          return { value: { name, value: withoutSecrets(show(present(of), true), secret) }, secret };
        });
    },
    /** Returns the value to store of a group in the settings file. Throws HubError if it breaks a rule. */
    merged(name: string, value: unknown, secret: Readonly<Record<string, unknown>>): unknown {
      const group = groups.get(name)?.group;
      if (!group || group.isOfThisHub) throw fieldError(name, 'unknown', 'this hub has no such settings');
      const isObject = typeof value === 'object' && value !== null;
      const change = group.schema.safeParse(isObject ? { ...value, ...secret } : value);
      const [issue] = change.error?.issues ?? [];
      if (issue) throw fieldError([name, ...issue.path].map(String).join('.'), 'format', issue.message);
      return (group.mergeFile ?? group.merge)(group.initial, change.data, hubActor);
    },
    /** Returns a value of the settings file as `exported` returns it once it is stored. */
    normal(name: string, value: unknown, secret: Readonly<Record<string, unknown>>): unknown {
      const next = this.merged(name, value, secret);
      const group = groups.get(name)?.group;
      return group && withoutSecrets(group.show(next, true), group.secrets?.(next) ?? {});
    },
    /** Throws HubError if a value of `merged` cannot take effect, for example because its port is in use. */
    async refuseUnusable(name: string, next: unknown): Promise<void> {
      const of = groups.get(name);
      (await of?.group.prepare?.(next, present(of)))?.abort();
    },
    /**
     * Keeps a change that would be reverted otherwise. Throws `wrongState` if there is none, or if it is a part of a
     * larger one; `tryAgain` without proof.
     */
    confirm(actor: Actor, name: string): void {
      if (parts.has(name)) {
        throw new HubError('wrongState', `the change of '${name}' is a part of a larger one and is confirmed with it`);
      }
      if (groups.get(name)?.group.proves?.(actor) === false) {
        throw new HubError('tryAgain', 'this connection does not use the change yet; confirm it over a new one');
      }
      keep(actor, name);
    },
    close(): void {
      for (const timer of reverts.values()) clearTimeout(timer);
      reverts.clear();
    },
  };

  function groupOf(name: string): Registered {
    const of = groups.get(name);
    if (!of) throw new Error(`a change of the unknown settings '${name}'`);
    return of;
  }

  function namesIn(change: AnyChange): string[] {
    return [...groups.keys()].filter((name) => change[name] !== undefined);
  }
}

/** The file says which secrets there are in another way than by flags. */
function withoutSecrets(shown: unknown, secret: Readonly<Record<string, string>>): unknown {
  if (typeof shown !== 'object' || shown === null) return shown;
  const members = Object.entries(shown).filter(([name]) => !(name in secret) && !name.endsWith('-set'));
  return Object.fromEntries(members);
}

function editOf(group: string): Edited {
  return { noun: 'settings', id: group };
}
