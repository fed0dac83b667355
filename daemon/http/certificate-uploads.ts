/** Certificates and keys that were uploaded and wait for the change of settings that installs them. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldError } from '../lib/hub-error.ts';
import { chainOf, keyOf } from './certificate-chain.ts';

/** Each check throws HubError for a file of another kind. */
const kinds = { cert: { ending: '.crt', check: chainOf }, key: { ending: '.pem', check: keyOf } } as const;
type Kind = keyof typeof kinds;

export type CertificateUploads = ReturnType<typeof openCertificateUploads>;

/** `dir`: of the hub's user alone. The newest file of each kind is kept. */
export function openCertificateUploads(dir: string) {
  const forget = (kind: Kind): void => {
    const names = readdirSync(dir).filter((name) => name.endsWith(kinds[kind].ending));
    for (const name of names) rmSync(join(dir, name), { force: true });
  };
  return {
    /** Returns the name by which the settings install the file. Throws HubError if it is of another kind. */
    keep(kind: Kind, bytes: Uint8Array): string {
      const { ending, check } = kinds[kind];
      const pem = Buffer.from(bytes).toString('latin1');
      check(pem);
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      forget(kind);
      const name = `${randomBytes(8).toString('hex')}${ending}`;
      writeFileSync(join(dir, name), pem, { mode: 0o600 });
      return name;
    },
    /** Returns the content of an uploaded file. Names are checked by the schema of the settings. */
    read(kind: Kind, name: string, path: string): string {
      try {
        return readFileSync(join(dir, name), 'latin1');
      } catch {
        throw fieldError(
          path,
          'exists',
          `there is no such file; send it with ${kind === 'cert' ? 'cert/upload' : 'cert/upload-key'}`,
        );
      }
    },
    clear: (): void => rmSync(dir, { recursive: true, force: true }),
  };
}
