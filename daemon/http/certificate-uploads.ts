/** Certificates and keys that were uploaded and wait for the change of settings that installs them. */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldError, HubError } from '../lib/hub-error.ts';

const kinds = {
  cert: { ending: '.crt', fault: 'caCertificateInvalid', is: (pem: string) => new X509Certificate(pem) },
  key: { ending: '.pem', fault: 'caKeyInvalid', is: (pem: string) => createPrivateKey(pem) },
} as const;
type Kind = keyof typeof kinds;

const message = {
  cert: 'the file holds no certificate in PEM format',
  key: 'the file holds no private key in PEM format without a passphrase',
} as const;

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
      const { ending, fault, is } = kinds[kind];
      const pem = Buffer.from(bytes).toString('latin1');
      try {
        is(pem);
      } catch {
        throw new HubError(fault, message[kind]);
      }
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
