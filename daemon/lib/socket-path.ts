import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** sockaddr_un has 108 bytes including the terminator. */
const longestPath = 100;

/**
 * Returns the path of a unix socket of this hub: in the data folder, or, if that path would be too long for a socket
 * address, in a private folder named after it. The folder is created for the owner only.
 */
export function socketPath(dataDir: string, name: string): string {
  const run = join(resolve(dataDir), 'run');
  const direct = join(run, `${name}.sock`);
  if (Buffer.byteLength(direct) <= longestPath) {
    mkdirSync(run, { recursive: true, mode: 0o700 });
    return direct;
  }
  const digest = createHash('sha256').update(run).digest('hex').slice(0, 16);
  const short = join(tmpdir(), `signalbox-${process.getuid?.() ?? 0}-${digest}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  checkPrivate(short);
  return join(short, `${name}.sock`);
}

/** Every user can create folders there: one that another user created first would expose our keys to that user. */
function checkPrivate(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const isOurs = uid === (process.getuid?.() ?? 0) && (mode & 0o170077) === 0o040000;
  if (!isOurs)
    throw new Error(`${folder} is not a private folder of this user; remove it, or choose a shorter data folder`);
}
