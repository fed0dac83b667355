/**
 * A section of the settings file: how one kind of objects is written into the file, and stored from it. `list.ts` has
 * all of them.
 */
import type * as z from 'zod/mini';
import type { Asker } from '../appliance/helper/operations.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Queries } from '../store/database.ts';
import type { Edited } from '../store/revisions.ts';
import type { Secrets } from '../store/secrets.ts';

/** Passwords, keys and passphrases of one object, by name. */
export type SecretMembers = Readonly<Record<string, unknown>>;

export interface Item<Value = unknown> {
  /** What the file shows; JSON. */
  readonly value: Value;
  readonly secret: SecretMembers;
}

export interface SectionContext {
  readonly secrets: Secrets;
  readonly now: () => number;
}

export interface Section<Value = unknown> {
  /** As in the file. */
  readonly name: string;
  /** How changes of a section of a SystemArea take effect, as the preview shows it. */
  readonly effect?: 'now' | 'confirm';
  /** The largest number of objects. */
  readonly limit: number;
  readonly schema: z.ZodMiniType<Value>;
  /** Of the object, unique in the section, and how it is shown. */
  readonly keyOf: (value: Value) => string;
  /** All objects, with their secrets in clear. */
  readonly read: (db: Queries) => Item<Value>[];
  /** Returns the value as `read` returns it once it is stored, with the members that a file by hand leaves out. */
  readonly normal?: (item: Item<Value>) => Value;
  /** Throws a HubError that names the member for a value that the schema accepts and the hub does not. */
  readonly check?: (item: Item<Value>) => void;
  /**
   * Replaces secrets that the file leaves out, by default with random ones: the other side then refuses the hub, which
   * shows that, and no known secret grants access.
   */
  readonly lost?: (names: readonly string[]) => SecretMembers;
  /**
   * Whether an object keeps its secrets if the file leaves them out; default: if its `config` is the same. They must
   * not go to another address.
   */
  readonly keepsSecret?: (now: Value, next: Value) => boolean;
  /** Whether only the root user may make this change; `now` is undefined for a new object. */
  readonly needsRoot?: (now: Item<Value> | undefined, next: Item<Value>) => boolean;
  /** Adds or changes an object. References to objects of later sections are stored by `link`. Absent in a SystemArea. */
  readonly put?: (tx: Queries, item: Item<Value>) => void;
  /** Called when the objects of all sections are stored. */
  readonly link?: (tx: Queries, item: Item<Value>) => void;
  /** Absent: objects that the file lacks stay as they are. */
  readonly remove?: (tx: Queries, key: string) => void;
  /** Objects that stay, although the file lacks them. */
  readonly keeps?: (key: string) => boolean;
  /** For the revision of a changed object. */
  readonly edited?: (db: Queries, key: string) => Edited | undefined;
}

/** The objects of the sections after the import; unchanged sections are absent. */
export type After = ReadonlyMap<string, readonly Item[]>;

/** Sections whose data is not only in the database: one change, which can be undone, stores all of them. */
export interface SystemArea {
  /** The name of this change as a part of a larger one. */
  readonly part: string;
  readonly names: readonly string[];
  /** Reads the current state. Throws MissingPart if a part of the system that this needs is missing. */
  open(): Promise<OpenArea>;
}

export interface OpenArea {
  readonly sections: readonly Section[];
  /** Returns the change. Throws HubError with section, object and member if the machine cannot have these settings. */
  changeTo(after: After, by: Asker): PlannedChange;
}

export interface PlannedChange {
  readonly change: unknown;
  /** The addresses that the hub will have, as far as they are known. */
  readonly addresses: readonly string[];
}

/** Checks types where a section is defined; the list of sections does not need them. */
export function defineSection<Value>(section: Section<Value>): Section {
  return section as unknown as Section;
}

/** The name of an object in error messages. */
export function inSection(section: string, key: string, { result, message, params, fields = [] }: HubError): HubError {
  const path = (member: string) => `${section}/${key}/${member}`;
  const rest = fields.map((field) => ({ ...field, path: path(field.path) }));
  return new HubError(result, `${section}/${key}: ${message}`, { ...(params && { params }), fields: rest });
}
