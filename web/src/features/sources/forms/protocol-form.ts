/** What the form of one protocol knows: how its fields become an address and the other way round. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { InputConfig } from '../../../../../daemon/contract/inputs.ts';
import type { OutputConfig, ShownConfig } from '../../../../../daemon/contract/outputs.ts';
import type { FieldFaults } from '../../../lib/schema-form.ts';
import type { SourceValues } from '../source-values.ts';

/** Fits inputs and outputs alike. */
export type SourceConfig = Omit<InputConfig, 'type'> & Pick<OutputConfig, 'type' | 'port' | 'max-client-num'>;

export interface Known {
  /** A secret that is stored already need not be typed again. */
  readonly hasPassphrase: boolean;
  readonly hasPassword: boolean;
}

export interface ProtocolForm {
  /** Secrets come back empty, which leaves them as they are. */
  readonly read: (config: ShownConfig) => Partial<SourceValues>;
  readonly write: (values: SourceValues) => SourceConfig;
  /** The contract's rules, for what of the configuration they are about. */
  readonly schema: StandardSchemaV1;
  readonly ruled: (values: SourceValues) => object;
  /** Fields of the form by member of the request. */
  readonly fields: Readonly<Record<string, keyof SourceValues>>;
  /** What is missing although the contract lets it be left out. */
  readonly missing?: (values: SourceValues, known: Known) => FieldFaults;
  /**
   * The address as others would write it; undefined while parts are missing. Secrets are bullets. `hub`: how this
   * browser reaches the hub. `isInput`: what belongs to sending alone is left out.
   */
  readonly preview: (values: SourceValues, hub: string, isInput: boolean) => string | undefined;
}

export const dots = '••••••';

export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Fields of the form that hold a login. */
interface LoginFields {
  readonly auth: 'rtmpAuth' | 'pullAuth' | 'servedAuth';
  readonly user: 'rtmpUser' | 'pullUser' | 'servedUser';
  readonly password: 'rtmpPassword' | 'pullPassword' | 'servedPassword';
}

/** A password that wasn't typed is left out: the hub keeps what it has. */
export function loginOf(values: SourceValues, { auth, user, password }: LoginFields) {
  const isAsked = values[auth];
  const typed = values[password];
  return {
    'enable-auth': isAsked,
    ...(isAsked && { username: values[user], ...(typed !== '' && { password: typed }) }),
  };
}

export function loginFaults(values: SourceValues, { auth, user, password }: LoginFields, known: Known): FieldFaults {
  if (!values[auth]) return {};
  return {
    ...(values[user] === '' && { [user]: 'required' }),
    ...(values[password] === '' && !known.hasPassword && { [password]: 'required' }),
  };
}
