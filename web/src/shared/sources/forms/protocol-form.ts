/** The form of one protocol: how its fields are converted to an address and back. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { InputConfig } from '../../../../../daemon/contract/inputs.ts';
import type { OutputConfig, ShownConfig } from '../../../../../daemon/contract/outputs.ts';
import type { FieldFaults } from '../../../ui/form/schema-form.ts';
import type { SourceValues } from '../source-values.ts';

/** Valid for both inputs and outputs. */
export type SourceConfig = Omit<InputConfig, 'type'> & Pick<OutputConfig, 'type' | 'port' | 'max-client-num'>;

export interface Known {
  /** Whether the secret is stored and need not be typed again. */
  readonly hasPassphrase: boolean;
  readonly hasPassword: boolean;
}

export interface ProtocolForm {
  /** Secrets are returned empty, which leaves them unchanged. */
  readonly read: (config: ShownConfig) => Partial<SourceValues>;
  readonly write: (values: SourceValues) => SourceConfig;
  /** The contract's rules for the part of the configuration that `ruled` returns. */
  readonly schema: StandardSchemaV1;
  readonly ruled: (values: SourceValues) => object;
  /** Maps members of the request to fields of the form. */
  readonly fields: Readonly<Record<string, keyof SourceValues>>;
  /** Faults for missing values that the contract treats as optional. */
  readonly missing?: (values: SourceValues, known: Known) => FieldFaults;
  /**
   * The address as a common URL; undefined while parts are missing. Secrets are shown as bullets. `hub`: host by which
   * this browser reaches the hub. `isInput`: options that apply only to sending are omitted.
   */
  readonly preview: (values: SourceValues, hub: string, isInput: boolean) => string | undefined;
}

export const dots = '••••••';

export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Form fields of a login. */
interface LoginNames {
  readonly auth: 'rtmpAuth' | 'pullAuth' | 'servedAuth';
  readonly user: 'rtmpUser' | 'pullUser' | 'servedUser';
  readonly password: 'rtmpPassword' | 'pullPassword' | 'servedPassword';
}

/** A password that was not typed is omitted, so the hub keeps the stored one. */
export function loginOf(values: SourceValues, { auth, user, password }: LoginNames) {
  const isAsked = values[auth];
  const typed = values[password];
  return {
    'enable-auth': isAsked,
    ...(isAsked && { username: values[user], ...(typed !== '' && { password: typed }) }),
  };
}

export function loginFaults(values: SourceValues, { auth, user, password }: LoginNames, known: Known): FieldFaults {
  if (!values[auth]) return {};
  return {
    ...(values[user] === '' && { [user]: 'required' }),
    ...(values[password] === '' && !known.hasPassword && { [password]: 'required' }),
  };
}
