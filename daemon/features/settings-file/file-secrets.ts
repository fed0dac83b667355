/** The secrets of a settings file, encrypted with a key that is derived from its passphrase. */
import { argon2, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SettingsDocument } from '../../contract/settings-file.ts';
import type { SecretMembers } from '../../settings-sections/section.ts';
import { refusal } from './document.ts';

/** By section and name of the object. */
export type FileSecrets = Readonly<Record<string, SecretMembers>>;

type Sealed = NonNullable<SettingsDocument['secrets']>;

/** The second choice of RFC 9106: 64 MiB. Guesses at the passphrase of a stolen file are limited only by the attacker's machine. */
const cost = { memory: 65_536, passes: 3, parallelism: 4 } as const;
/** What a file may ask of the hub. */
const most = { memory: 131_072, passes: 8, parallelism: 8 } as const;
const keyBytes = 32;
const tagBytes = 16;

export const secretName = (section: string, key: string): string => `${section}/${key}`;

export async function sealFileSecrets(secrets: FileSecrets, passphrase: string): Promise<Sealed> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', await deriveKey(passphrase, salt, cost), nonce);
  const data = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
  return {
    ...{ kdf: 'argon2id', ...cost, cipher: 'aes-256-gcm' },
    ...{ salt: salt.toString('base64'), nonce: nonce.toString('base64') },
    ...{ tag: cipher.getAuthTag().toString('base64'), data: data.toString('base64') },
  };
}

/** Returns undefined for a wrong passphrase. */
export async function openFileSecrets(sealed: Sealed, passphrase: string): Promise<FileSecrets | undefined> {
  const { memory, passes, parallelism } = sealed;
  const asks = { memory, passes, parallelism };
  for (const [member, value] of Object.entries(asks)) {
    if (value < 1 || value > most[member as keyof typeof most] || memory < 8 * parallelism) {
      throw refusal('formatError', 'damaged', `the file asks for ${member} ${value}, which this hub does not do`);
    }
  }
  const [salt, nonce, tag, data] = [sealed.salt, sealed.nonce, sealed.tag, sealed.data].map((text) =>
    Buffer.from(text, 'base64'),
  ) as [Buffer, Buffer, Buffer, Buffer];
  if (salt.length < 8 || salt.length > 64 || nonce.length !== 12 || tag.length !== tagBytes) {
    throw refusal('formatError', 'damaged', 'the secrets of the file are damaged');
  }
  const decipher = createDecipheriv('aes-256-gcm', await deriveKey(passphrase, salt, asks), nonce, {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(tag);
  let clear: string;
  try {
    clear = Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
  return JSON.parse(clear) as FileSecrets;
}

function deriveKey(
  passphrase: string,
  nonce: Buffer,
  { memory, passes, parallelism }: { readonly memory: number; readonly passes: number; readonly parallelism: number },
): Promise<Buffer> {
  const message = passphrase.normalize('NFC');
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, parallelism, tagLength: keyBytes, memory, passes }, (error, key) => {
      if (error) reject(error);
      else resolve(Buffer.from(key));
    });
  });
}
