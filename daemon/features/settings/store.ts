import { eq } from 'drizzle-orm';
import type { PasswordRule } from '../../contract/password-rule.ts';
import type { Language } from '../../contract/rules.ts';
import type { SettingsGroup } from '../../contract/settings-fields.ts';
import type { Queries } from '../../store/database.ts';
import { settings } from '../../store/schema.ts';

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
  };
  /** Minutes; -1 never. */
  'expired-time': number;
  'pwd-rule': PasswordRule;
  'sign-in': { readonly allowsMd5: boolean };
  security: { readonly isCodeNeeded: boolean; readonly code: string };
  language: Language;
  outgoing: { readonly privateMedia: boolean; readonly privateWebhook: boolean };
}

export function readGroup<G extends SettingsGroup>(db: Queries, group: G): StoredSettings[G] | undefined {
  const row = db.select({ value: settings.value }).from(settings).where(eq(settings.name, group)).get();
  return row === undefined ? undefined : (JSON.parse(row.value) as StoredSettings[G]);
}

export function writeGroup<G extends SettingsGroup>(db: Queries, group: G, value: StoredSettings[G]): void {
  const row = { name: group, value: JSON.stringify(value) };
  db.insert(settings)
    .values(row)
    .onConflictDoUpdate({ target: settings.name, set: { value: row.value } })
    .run();
}
