import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { replaceFile } from '../lib/durable-file.ts';
import { DataFolderError } from './data-folder.ts';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v1.';

/** Encrypts data that must not be readable in the database or its copies. */
export type Secrets = ReturnType<typeof openSecrets>;

/** AES-256-GCM with the key in `keyFile`, which is created at the first start for the owner only. */
export function openSecrets(keyFile: string) {
  const key = readKey(keyFile) ?? createKey(keyFile);
  return {
    seal(clear: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()]);
      return version + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    /** Returns 32 bytes that depend only on the text and the key. */
    derive: (text: string): Buffer => createHmac('sha256', key).update(`derive:${text}`).digest(),
    /** Throws if the text was modified or sealed with another key. */
    open(sealed: string): string {
      if (!sealed.startsWith(version)) throw new Error('a stored secret has an unknown form');
      const bytes = Buffer.from(sealed.slice(version.length), 'base64');
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      cipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([cipher.update(bytes.subarray(nonceBytes + tagBytes)), cipher.final()]).toString('utf8');
    },
  };
}

function readKey(file: string): Buffer | null {
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (error) {
    const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new DataFolderError(`${file} can't be read (${code}); give it to the user that runs the hub`, {
      cause: error,
    });
  }
  if (key.length !== keyBytes) {
    const remedy = 'put the right file back, or remove it and set every passphrase and password again';
    throw new DataFolderError(`${file} is no key of ${keyBytes} bytes; ${remedy}`);
  }
  return key;
}

function createKey(file: string): Buffer {
  const key = randomBytes(keyBytes);
  replaceFile(file, key);
  return key;
}
