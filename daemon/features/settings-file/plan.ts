/** What an import does: compares the objects of a file with those of the hub, and stores them. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { SectionPreview, SettingsDocument } from '../../contract/settings-file.ts';
import { invalidArgument } from '../../http/faults.ts';
import { HubError } from '../../lib/hub-error.ts';
import { tooMany } from '../../lib/refusals.ts';
import { type Item, inSection, type SecretMembers, type Section } from '../../settings-sections/section.ts';
import type { Queries } from '../../store/database.ts';
import type { Edited } from '../../store/revisions.ts';
import { type FileSecrets, secretName } from './file-secrets.ts';

/** The objects of one section as they will be stored; JSON. */
export interface PlannedSection {
  readonly name: string;
  /** New and changed ones, in the order of the file. */
  readonly put: readonly Item[];
  readonly removed: readonly string[];
}

export interface Plan {
  readonly sections: readonly PlannedSection[];
  readonly preview: readonly SectionPreview[];
  /** Names of users that only the root user may change in this way. */
  readonly rootNeeded: readonly string[];
}

/** Objects that a preview names, of each kind. */
const maxNamed = 100;
/** Of an object in the file: the names of its secrets. */
const secretsMember = 'secrets';

/** The sections of a document, and its secrets. */
export function toFile(sections: readonly Section[], db: Queries) {
  const [written, secrets]: [SettingsDocument['sections'], Record<string, SecretMembers>] = [{}, {}];
  for (const section of sections) {
    written[section.name] = section.read(db).map(({ value, secret }) => {
      const names = Object.keys(secret);
      if (names.length > 0) secrets[secretName(section.name, section.keyOf(value))] = secret;
      return { ...(value as object), ...(names.length > 0 && { [secretsMember]: names }) };
    });
  }
  return { sections: written, secrets };
}

/** Throws HubError that names section, object and member for one that the hub does not take. */
export function planImport(
  sections: readonly Section[],
  db: Queries,
  file: { readonly sections: SettingsDocument['sections']; readonly secrets: FileSecrets | undefined },
): Plan {
  const plans = sections
    .filter(({ name }) => file.sections[name] !== undefined)
    .map((section) => planSection(section, db, file.sections[section.name] ?? [], file.secrets));
  return {
    sections: plans.map(({ planned }) => planned),
    preview: plans.map(({ preview }) => preview),
    rootNeeded: plans.flatMap(({ rootNeeded }) => rootNeeded),
  };
}

function planSection(
  section: Section,
  db: Queries,
  objects: readonly Readonly<Record<string, unknown>>[],
  secrets: FileSecrets | undefined,
) {
  const { name, limit, keyOf } = section;
  if (objects.length > limit) throw tooMany(name, limit);
  const now = new Map(section.read(db).map((item) => [keyOf(item.value), item]));
  const seen = new Set<string>();
  const [put, added, changed, lacking, rootNeeded]: [
    Item[],
    string[],
    { name: string; members: string[] }[],
    string[],
    string[],
  ] = [[], [], [], [], []];
  for (const [at, object] of objects.entries()) {
    const { value: written, secretNames } = readObject(section, object, at);
    const key = keyOf(written);
    if (seen.has(key)) {
      throw inSection(name, key, new HubError('objectExists', 'it is there twice', { params: { what: key } }));
    }
    seen.add(key);
    const present = now.get(key);
    const given = secrets?.[secretName(name, key)];
    const value = normalOf(section, written, given ?? lostOf(section, secretNames));
    const { secret, isLost } = secretOf(section, {
      value,
      secretNames,
      present,
      given,
    });
    const item: Item = { value, secret };
    named(section, key, () => section.check?.(item));
    if (section.needsRoot?.(present, item)) rootNeeded.push(key);
    if (isLost) lacking.push(key);
    const members = present && changedMembers(present, item);
    if (members?.length === 0) continue;
    put.push(item);
    if (members) changed.push({ name: key, members });
    else added.push(key);
  }
  const removed = section.remove ? [...now.keys()].filter((key) => !seen.has(key) && !section.keeps?.(key)) : [];
  const preview: SectionPreview = {
    ...{ name, added: added.slice(0, maxNamed), 'added-num': added.length },
    ...{ changed: changed.slice(0, maxNamed), 'changed-num': changed.length },
    ...{ removed: removed.slice(0, maxNamed), 'removed-num': removed.length },
    ...{ 'unchanged-num': objects.length - put.length, 'lacks-secrets': lacking.slice(0, maxNamed) },
    effect: section.effect ?? 'restart',
  };
  return { planned: { name, put, removed }, preview, rootNeeded };
}

function readObject(section: Section, object: Readonly<Record<string, unknown>>, at: number) {
  const { [secretsMember]: names, ...members } = object;
  const checked = section.schema.safeParse(members);
  if (!checked.success) {
    const fault = invalidArgument(checked.error.issues as z.core.$ZodIssue[], members, section.schema);
    throw inSection(section.name, labelOf(members) ?? String(at + 1), fault);
  }
  const secretNames = Array.isArray(names) ? names.filter((name) => typeof name === 'string').slice(0, 16) : [];
  return { value: checked.data, secretNames };
}

/** The secrets of the file; otherwise those that the hub has; otherwise what takes the place of lost ones. */
function secretOf(
  section: Section,
  of: {
    readonly value: unknown;
    readonly secretNames: readonly string[];
    readonly present: Item | undefined;
    readonly given: SecretMembers | undefined;
  },
): { readonly secret: SecretMembers; readonly isLost: boolean } {
  const { value, secretNames, present, given } = of;
  if (given !== undefined) return { secret: given, isLost: false };
  const keeps = section.keepsSecret ?? hasSameConfig;
  if (present && keeps(present.value, value)) return { secret: present.secret, isLost: false };
  return { secret: lostOf(section, secretNames), isLost: secretNames.length > 0 };
}

function lostOf(section: Section, names: readonly string[]): SecretMembers {
  return section.lost?.(names) ?? Object.fromEntries(names.map((name) => [name, nobodyKnows(name)]));
}

/** A value that cannot be stored stays as it is; `check` says what is wrong with it. */
function normalOf(section: Section, value: unknown, secret: SecretMembers): unknown {
  try {
    return section.normal?.({ value, secret }) ?? value;
  } catch (error) {
    if (error instanceof HubError) return value;
    throw error;
  }
}

/** The query of a URL is lost as a whole. */
function nobodyKnows(name: string): string {
  return name === 'query' ? '' : randomUUID();
}

function hasSameConfig(now: unknown, next: unknown): boolean {
  return isDeepStrictEqual((now as { config?: unknown }).config, (next as { config?: unknown }).config);
}

function changedMembers(now: Item, next: Item): string[] {
  const [before, after] = [now.value, next.value] as Record<string, unknown>[];
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const members = [...names].filter((name) => !isDeepStrictEqual(plain(before?.[name]), plain(after?.[name])));
  return isDeepStrictEqual(plain(now.secret), plain(next.secret)) ? members : [...members, secretsMember];
}

/** As JSON: a member that is undefined is absent. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Stores a plan within the caller's transaction. Returns the objects that it has changed. */
export function storePlan(sections: readonly Section[], tx: Queries, plan: Pick<Plan, 'sections'>): Edited[] {
  const parts = sections.flatMap((section) => {
    const planned = plan.sections.find(({ name }) => name === section.name);
    return planned ? [{ section, planned }] : [];
  });
  const edited = parts.flatMap(({ section, planned }) =>
    planned.put.flatMap(({ value }) => section.edited?.(tx, section.keyOf(value)) ?? []),
  );
  for (const { section, planned } of parts.toReversed()) {
    for (const key of planned.removed) named(section, key, () => section.remove?.(tx, key));
  }
  for (const step of ['put', 'link'] as const) {
    for (const { section, planned } of parts) {
      for (const item of planned.put) named(section, section.keyOf(item.value), () => section[step]?.(tx, item));
    }
  }
  return edited;
}

/** Names the object in errors about it. */
function named<T>({ name }: Section, key: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof HubError ? inSection(name, key, error) : error;
  }
}

function labelOf(members: Readonly<Record<string, unknown>>): string | undefined {
  const label = members.name ?? members.sn;
  return typeof label === 'string' ? label.slice(0, 64) : undefined;
}
