/** Slate images, stored as files that the engine can read. The hub chooses their names. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

export type SlateFiles = ReturnType<typeof createSlateFiles>;

export function createSlateFiles(folder: string) {
  const path = (name: string) => join(folder, name);
  return {
    folder,
    path,
    /** Returns the file name, which identifies the channel and the content: another image has another name. */
    async save(channelId: number, picture: Uint8Array, type: 'png' | 'jpeg'): Promise<string> {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const version = new Bun.CryptoHasher('sha256').update(picture).digest('hex').slice(0, 16);
      const name = `${channelId}-${version}.${type === 'png' ? 'png' : 'jpg'}`;
      await writeWhole(path(name), picture);
      return name;
    },
    /** Gives another channel the same image. Returns the file name. */
    copy(name: string, channelId: number): string {
      const copied = name.replace(/^\d+/, String(channelId));
      const bytes = readFileSync(path(name));
      writeFileSync(path(copied), bytes, { mode: 0o600, flush: true });
      return copied;
    },
    remove: (name: string): void => rmSync(path(name), { force: true }),
    /** Deletes files left behind by a hub that was interrupted. */
    keepOnly(names: ReadonlySet<string>): void {
      for (const name of listed(folder)) if (!names.has(name)) rmSync(path(name), { force: true });
    },
  };
}

/** Readers see the whole file or none, even after a power failure. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
