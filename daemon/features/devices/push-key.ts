/** The key with which a device publishes. */
import { randomBytes } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { StreamKey } from '../../contract/rules.ts';

const keyPrefix = '[MGDEV]-';
const keyRandomBytes = 8;

/** Of the published form, with a longer random part. Characters that a key may not have are left out. */
export function newPushKey(sn: string): string {
  const end = `-${randomBytes(keyRandomBytes).toString('hex')}`;
  const room = limits.key.max - keyPrefix.length - end.length;
  const readable = [...sn].filter((char) => StreamKey.safeParse(char).success).join('');
  return `${keyPrefix}${readable.slice(0, room)}${end}`;
}
