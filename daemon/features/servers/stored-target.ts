/** The stored form of a server: its address, with its secrets sealed. */
import type { servers } from '../../store/schema.ts';
import type { Secrets } from '../../store/secrets.ts';
import { openMembers, readMembers } from '../../store/stored-address.ts';
import { type ServerTarget, typeOf } from './target.ts';

type ServerRow = typeof servers.$inferSelect;
type Stored = Pick<ServerRow, 'type' | 'config' | 'secret'>;
type SecretPart = Pick<ServerTarget, 'keys'> & { readonly password?: string; readonly passphrase?: string };

export function sealTarget(secrets: Pick<Secrets, 'seal'>, target: ServerTarget): Stored {
  const { keys, ...address } = target;
  const hidden: SecretPart =
    address.protocol === 'rtmp' ? { keys, password: address.password } : { keys, passphrase: address.passphrase };
  const clear = Object.entries(address).filter(([name]) => !(name in hidden));
  return {
    type: typeOf(target),
    config: JSON.stringify(Object.fromEntries(clear)),
    secret: secrets.seal(JSON.stringify(hidden)),
  };
}

/** Secrets that the current key cannot open are empty, as those of inputs and outputs. */
export function openTarget(secrets: Secrets, row: Pick<ServerRow, 'config' | 'secret'>): ServerTarget {
  const blank = { keys: { main: '', sub: null }, password: '', passphrase: '' };
  const { keys, password, passphrase } = { ...blank, ...openMembers<SecretPart>(secrets, row.secret) };
  const address = readMembers<ServerTarget>(row.config);
  return address.protocol === 'rtmp' ? { ...address, keys, password } : { ...address, keys, passphrase };
}
