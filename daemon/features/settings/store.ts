import { eq } from 'drizzle-orm';
import type { PasswordRule } from '../../contract/password-rule.ts';
import type { Language } from '../../contract/rules.ts';
import type { MailEncryption, VideohubVersion } from '../../contract/settings-fields.ts';
import type { Queries } from '../../store/database.ts';
import { settings, unconfirmedSettings } from '../../store/schema.ts';

/** Settings changed in the console, by group; a group that was never changed is absent. */
export interface StoredSettings {
  rtmp: { readonly port: number };
  srt: {
    readonly port: number;
    readonly latencyMs: number;
    readonly keyLength: 0 | 16 | 24 | 32;
    /** Sealed; '' for none. */
    readonly passphrase: string;
  };
  web: {
    readonly httpPort: number;
    readonly isHttpsEnabled: boolean;
    readonly httpsPort: number;
    /** Whether pages over HTTP are redirected and calls over HTTP refused. */
    readonly isRedirected: boolean;
    /** `ended`: it was on, and browsers are told that it is off. */
    readonly hsts: 'never' | 'on' | 'ended';
    /** The id of the certificate that a change installed; '' for one that the hub made or found in its folder. */
    readonly certificate: string;
  };
  /** Minutes; -1 never. */
  'expired-time': number;
  'pwd-rule': PasswordRule;
  'sign-in': { readonly allowsMd5: boolean };
  security: { readonly isCodeNeeded: boolean; readonly code: string };
  language: Language;
  /** '' for the host name. */
  'hub-name': string;
  /** Mbit/s; 0: no limit. */
  'upgrade-rate': number;
  'ndi-discovery': {
    /** Lists with commas between, as in the API. */
    readonly servers: string;
    readonly extraIps: string;
    readonly sendGroups: string;
    readonly receiveGroups: string;
  };
  'hub-ndi-server': { readonly enabled: boolean; readonly port: number };
  videohub: {
    readonly enabled: boolean;
    /** '' while none was chosen. */
    readonly address: string;
    readonly port: number;
    readonly allow: readonly string[];
    readonly model: string;
    readonly version: VideohubVersion;
  };
  outgoing: { readonly privateMedia: boolean; readonly privateWebhook: boolean };
  mail: {
    readonly enabled: boolean;
    readonly host: string;
    readonly port: number;
    readonly encryption: MailEncryption;
    readonly user: string;
    /** Sealed; '' for none. */
    readonly password: string;
    readonly from: string;
    readonly to: readonly string[];
  };
}

export function readGroup<G extends keyof StoredSettings>(db: Queries, group: G): StoredSettings[G] | undefined;
export function readGroup(db: Queries, group: string): unknown;
export function readGroup(db: Queries, group: string): unknown {
  const row = db.select({ value: settings.value }).from(settings).where(eq(settings.name, group)).get();
  return row === undefined ? undefined : JSON.parse(row.value);
}

export function writeGroup(db: Queries, group: string, value: unknown): void {
  const row = { name: group, value: JSON.stringify(value) };
  db.insert(settings)
    .values(row)
    .onConflictDoUpdate({ target: settings.name, set: { value: row.value } })
    .run();
}

export function deleteGroup(db: Queries, group: string): void {
  db.delete(settings).where(eq(settings.name, group)).run();
}

export type UnconfirmedRow = typeof unconfirmedSettings.$inferSelect;

export function listUnconfirmed(db: Queries): UnconfirmedRow[] {
  return db.select().from(unconfirmedSettings).all();
}

export function readUnconfirmed(db: Queries, group: string): UnconfirmedRow | undefined {
  return db.select().from(unconfirmedSettings).where(eq(unconfirmedSettings.name, group)).get();
}

export function writeUnconfirmed(db: Queries, row: UnconfirmedRow): void {
  const { name: target } = unconfirmedSettings;
  db.insert(unconfirmedSettings).values(row).onConflictDoUpdate({ target, set: row }).run();
}

export function deleteUnconfirmed(db: Queries, group: string): void {
  db.delete(unconfirmedSettings).where(eq(unconfirmedSettings.name, group)).run();
}
