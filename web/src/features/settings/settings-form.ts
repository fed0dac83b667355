/** Shared by the settings groups: numbers as typed text, checks by the contract, the field of an occupied port. */
import { Passphrase } from '../../../../daemon/contract/rules.ts';
import { SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { CallError } from '../../lib/call-error.ts';
import { type FieldFaults, faultsOf, numberOf } from '../../ui/form/schema-form.ts';

/** Maps form fields to paths of the request; '' for a field that is not sent as such. */
export type Paths<V extends object> = Readonly<Record<keyof V & string, string>>;

export function fieldOfPath(paths: Readonly<Record<string, string>>, path: string): string {
  // Members of a list belong to its field.
  return Object.keys(paths).find((field) => path === paths[field] || path.startsWith(`${paths[field]}.`)) ?? path;
}

/** Faults by field of the form. */
export function checkChange(change: SettingsChange, paths: Readonly<Record<string, string>>): FieldFaults {
  const faults: FieldFaults = {};
  const passphrase = change.srt?.passphrase;
  // The request also accepts a blank one, and a schema union cannot report which of its two rules was broken.
  const own = passphrase ? { 'srt.passphrase': faultsOf(Passphrase, passphrase)[''] } : {};
  for (const [path, rule] of Object.entries({ ...faultsOf(SettingsChange, change), ...own })) {
    if (rule !== undefined) faults[fieldOfPath(paths, path)] = rule;
  }
  return faults;
}

/** The field with the port that another program uses. */
export function occupiedField(
  error: unknown,
  values: object,
  paths: Readonly<Record<string, string>>,
): string | undefined {
  if (!(error instanceof CallError) || error.fault !== 'portOccupied') return undefined;
  const typed = new Map(Object.entries(values));
  return Object.keys(paths).find(
    (field) => paths[field]?.endsWith('port') === true && numberOf(String(typed.get(field))) === error.params.port,
  );
}
