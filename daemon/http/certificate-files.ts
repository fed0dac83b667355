/**
 * The certificate of HTTPS and its key on disk. A new pair is first stored complete under its id, then renamed. A hub
 * that ends between the two finishes or forgets it, as the settings say which pair applies.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { renameSynced, writeSynced } from '../lib/durable-file.ts';
import type { Certificate } from './certificate-chain.ts';

/** The id of a pair that no change of the settings installed. */
const original = 'original';
/** The pair that the hub makes itself. */
export const made = 'made';
const stored = /^(?:original|made|[0-9a-f]{16})\.(?:crt|pem|part)$/;

export type CertificateFiles = ReturnType<typeof openCertificateFiles>;

/** `dir`: of the hub's user alone. */
export function openCertificateFiles(dir: string) {
  const files = { cert: join(dir, 'hub.crt'), key: join(dir, 'hub.key') };
  const staged = (id: string) => ({
    cert: join(dir, `${id || original}.crt`),
    key: join(dir, `${id || original}.pem`),
  });
  const read = (): Certificate | null =>
    existsSync(files.cert) && existsSync(files.key)
      ? { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') }
      : null;

  /** Stores a pair under its id. Once the certificate has its name, the pair is complete. */
  const stage = (id: string, { cert, key }: Certificate): void => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const to = staged(id);
    const part = join(dir, `${id || original}.part`);
    writeSynced(to.key, key);
    writeSynced(part, cert);
    renameSynced(part, to.cert);
  };

  return {
    files,
    dir,
    read,
    stage,
    /** Puts the pair with this id in place, also the rest of one that was interrupted. Does nothing if there is none. */
    install(id: string): void {
      const from = staged(id);
      if (!existsSync(from.cert)) return;
      if (existsSync(from.key)) renameSync(from.key, files.key);
      renameSynced(from.cert, files.cert);
    },
    /** Keeps a copy of the present pair under this id. */
    keep(id: string): void {
      const pair = read();
      if (pair !== null) stage(id, pair);
    },
    /** Removes every pair that is not in place. */
    forget(): void {
      if (!existsSync(dir)) return;
      for (const name of readdirSync(dir)) if (stored.test(name)) rmSync(join(dir, name), { force: true });
    },
  };
}
