/** Files that the published upload has sent: they wait for `firmware/add`, in memory of this run of the hub only. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../contract/limits.ts';
import type { FormFile } from '../../http/form-file.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { tooMany } from '../../lib/refusals.ts';
import { timing } from '../../timing.ts';
import type { ReceivedFile } from './library.ts';

interface WaitingOptions {
  /** Emptied when the hub starts. */
  readonly folder: string;
  /** Undefined while unknown. */
  readonly freeBytes: () => number | undefined;
}

interface Waiting extends ReceivedFile {
  readonly userId: number;
  readonly removal: Timer;
}

/** How much may wait to be written to the disk itself; a commit of the database waits for it, too. */
const unsyncedBytes = 16 * 1024 * 1024;

export type WaitingFiles = Awaited<ReturnType<typeof openWaitingFiles>>;

export async function openWaitingFiles({ folder, freeBytes }: WaitingOptions) {
  await rm(folder, { recursive: true, force: true });
  const waiting = new Map<string, Waiting>();
  let arriving = 0;

  const refuseWithoutRoom = (): void => {
    const free = freeBytes();
    const least = limits.firmware.freeBytes;
    if (free === undefined || free > least) return;
    throw new HubError('noSpace', `the data folder has ${free} bytes free, of which ${least} are reserved`, {
      params: { room: 0 },
    });
  };

  const write = async (path: string, file: FormFile): Promise<Pick<ReceivedFile, 'size' | 'sha256'>> => {
    const hash = new Bun.CryptoHasher('sha256');
    const handle = await open(path, 'wx', 0o600);
    let [size, unsynced] = [0, 0];
    try {
      for await (const bytes of file.bytes()) {
        hash.update(bytes);
        await handle.writeFile(bytes);
        size += bytes.length;
        unsynced += bytes.length;
        if (unsynced < unsyncedBytes) continue;
        unsynced = 0;
        await handle.datasync();
        refuseWithoutRoom();
      }
      if (size === 0) throw new HubError('needMoreData', 'the file is empty');
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { size, sha256: hash.digest('hex') };
  };

  const forget = async (name: string): Promise<void> => {
    const file = waiting.get(name);
    clearTimeout(file?.removal);
    waiting.delete(name);
    await rm(join(folder, name), { force: true });
  };

  return {
    /** Takes the file while it arrives. Returns the name under which it waits. */
    async receive(userId: number, file: FormFile): Promise<{ name: string; size: number }> {
      if (waiting.size + arriving >= limits.firmware.waiting)
        throw tooMany('uploaded firmware files that wait for firmware/add', limits.firmware.waiting);
      refuseWithoutRoom();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = randomUUID();
      const path = join(folder, name);
      arriving++;
      try {
        const written = await write(path, file);
        const removal = setTimeout(() => void forget(name), timing.firmware.waitMs);
        removal.unref();
        waiting.set(name, { path, name: file.name, userId, removal, ...written });
        return { name, size: written.size };
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      } finally {
        arriving--;
      }
    },
    /** Throws a field error unless this user has sent it. */
    find(userId: number, name: string): ReceivedFile {
      const file = waiting.get(name);
      if (file?.userId === userId) return file;
      throw fieldError('file-path', 'exists', 'there is no such file; send it with firmware/upload');
    },
    forget,
    close(): void {
      for (const { removal } of waiting.values()) clearTimeout(removal);
    },
  };
}
