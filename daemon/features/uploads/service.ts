/**
 * Receives files for the nouns. The file is announced, and refused if it is too large, before its first byte is sent. A
 * task shows its progress, and hands it to its noun once it is complete.
 */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../../contract/calls.ts';
import { limits } from '../../contract/limits.ts';
import type { AnnouncedFile } from '../../contract/uploads.ts';
import { isGranted } from '../../http/access.ts';
import type { BodyPart } from '../../http/content-range.ts';
import type { Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { TaskRun, TaskWork } from '../tasks/running-task.ts';
import type { TaskService } from '../tasks/service.ts';
import { IncomingFile } from './incoming-file.ts';

/** What a noun does with the files that it takes. */
interface UploadKind<Details> {
  /** Of the task: `noun.verb`. */
  readonly kind: string;
  /** The scope of the call that begins the upload; each request with a part of the file needs it, too. */
  readonly scope: Scope;
  /** At most `limits.uploads.maxBytes`. */
  readonly maxBytes: number;
  /** Free space that its files leave to the rest of the hub. */
  readonly reservedBytes: number;
  /**
   * Runs within the task once the file is complete, and again after a hub that was killed meanwhile. The file is removed
   * afterwards, unless it was moved away. `details` are those with which the upload began.
   */
  use(file: UploadedFile, run: TaskRun, details: Details): Promise<void>;
}

export interface UploadedFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  /** In hexadecimal, lower case. */
  readonly sha256: string;
}

export interface UploadService {
  /**
   * To be called before the tasks start. Returns the function that begins an upload and returns the id of its task.
   * `details` are stored with the task as JSON.
   */
  register<Details>(
    kind: UploadKind<Details>,
  ): (session: Session, announced: AnnouncedFile, details: Details) => number;
  /** Takes a part of the file. Returns the number of bytes that have arrived, and of the whole file. */
  receive(session: Session, id: number, sent: SentPart): Promise<{ done: number; total: number }>;
  /** Removes the files of a previous run of the hub that no task continues. */
  sweep(): void;
}

interface SentPart {
  readonly part: BodyPart;
  readonly body: ReadableStream<Uint8Array<ArrayBufferLike>>;
  /** Returns the session as it is now; null if it has ended. */
  readonly sender: () => Session | null;
}

interface UploadOptions {
  readonly folder: string;
  readonly tasks: TaskService;
  readonly log: Log;
  /** Free space of the folder; undefined while unknown. */
  readonly freeBytes: () => number | undefined;
  readonly times: { readonly stallMs: number; readonly idleMs: number; readonly recheckMs: number };
}

/** Stored with the task, so that it continues after a restart. */
interface StoredUpload extends AnnouncedFile {
  /** Name of the file in the folder. */
  readonly file: string;
  /** Of its noun. */
  readonly details?: unknown;
}

interface Running {
  readonly kind: UploadKind<never>;
  readonly stored: StoredUpload;
  readonly incoming: IncomingFile;
}

export function createUploadService(options: UploadOptions): UploadService {
  const { folder, tasks, log, times } = options;
  const running = new Map<number, Running>();
  const pathOf = ({ file }: StoredUpload) => join(folder, file);

  const work = (kind: UploadKind<never>, stored: StoredUpload): TaskWork => {
    return async (run) => {
      const path = pathOf(stored);
      const { stallMs, idleMs } = times;
      const incoming = new IncomingFile({ path, size: stored.size, onProgress: run.progress, stallMs, idleMs });
      run.signal.addEventListener('abort', () => incoming.fail(run.signal.reason));
      running.set(run.id, { kind, stored, incoming });
      try {
        const sha256 = await incoming.whole;
        verify(stored, sha256);
        await kind.use({ path, name: stored.name, size: stored.size, sha256 }, run, stored.details as never);
      } finally {
        running.delete(run.id);
        await incoming.close();
        const continues = run.signal.aborted && (run.signal.reason as HubError).result === 'interrupted';
        if (!continues) await rm(path, { force: true });
      }
    };
  };

  const refuseWithoutRoom = (size: number, reservedBytes: number): void => {
    const all = [...running.values()];
    const waiting = all.reduce((sum, { stored }) => sum + stored.size, 0);
    if (waiting + size > limits.uploads.waitingBytes) {
      const message = `unfinished uploads may have ${limits.uploads.waitingBytes} bytes in total; wait until some have ended`;
      throw new HubError('noSpace', message);
    }
    const missing = all.reduce((sum, { stored, incoming }) => sum + stored.size - incoming.done, 0);
    const free = options.freeBytes();
    if (free !== undefined && missing + size + reservedBytes > free) {
      const room = Math.max(0, free - missing - reservedBytes);
      throw new HubError('noSpace', `size: ${size} bytes, but the data folder has space for ${room}`, {
        params: { room },
      });
    }
  };

  return {
    register(kind) {
      tasks.resume(kind.kind, (data) => work(kind, data as StoredUpload));
      return (session, { name, size, sha256 }, details) => {
        const limit = Math.min(kind.maxBytes, limits.uploads.maxBytes);
        if (size > limit) throw tooLarge(size, limit);
        refuseWithoutRoom(size, kind.reservedBytes);
        const stored = { name, size, ...(sha256 && { sha256 }), file: crypto.randomUUID(), details };
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        closeSync(openSync(pathOf(stored), 'wx', 0o600));
        try {
          return tasks.begin(
            session,
            { kind: kind.kind, subject: stored.name, unit: 'bytes', total: stored.size, data: stored },
            work(kind, stored),
          );
        } catch (error) {
          rmSync(pathOf(stored), { force: true });
          throw error;
        }
      };
    },
    async receive(session, id, { part, body, sender }) {
      const task = tasks.find(session, id);
      if (task.ownerId !== session.user.id) throw new HubError('notPermitted', 'another user started this upload');
      const upload = running.get(id);
      if (!upload) throw new HubError('wrongState', `task ${id} is not an upload that waits for data`);
      const { kind, stored, incoming } = upload;
      const total = stored.size;
      refuseSender(session, kind.scope);
      if (part.total !== undefined && part.total !== total) throw otherSize(part.total, total);
      let checkedAt = performance.now();
      const check = () => {
        if (performance.now() - checkedAt < times.recheckMs) return;
        checkedAt = performance.now();
        refuseSender(sender(), kind.scope);
      };
      await incoming.receive({ from: part.from, end: part.end ?? total, body, check });
      // The hash is wrong: the sender learns it at once, not only from the task.
      if (incoming.done === total) verify(stored, await incoming.whole);
      return { done: incoming.done, total };
    },
    sweep() {
      const known = new Set([...running.values()].map(({ stored }) => stored.file));
      for (const name of listed(folder)) {
        if (known.has(name)) continue;
        try {
          rmSync(join(folder, name), { force: true, recursive: true });
          log.info('an upload without a task is removed', { file: name });
        } catch (error) {
          // Of another user, for example: no reason for a hub not to start.
          log.warn('a file that is no upload cannot be removed', { file: name, reason: String(error) });
        }
      }
    },
  };
}

function verify({ sha256: announced }: StoredUpload, sha256: string): void {
  if (announced === undefined || announced.toLowerCase() === sha256) return;
  throw new HubError(
    'verifyFailed',
    `the SHA-256 of the file is ${sha256}, not ${announced.toLowerCase()} as announced`,
  );
}

function refuseSender(session: Session | null, scope: Scope): void {
  if (session === null) throw new HubError('notLoggedIn', 'the session has ended; sign in and resume');
  if (!isGranted(session, scope)) throw new HubError('notPermitted', `this requires the permission ${scope}`);
}

function tooLarge(size: number, limit: number): HubError {
  const message = `size: ${size} bytes, at most ${limit} are allowed`;
  return new HubError('tooLarge', message, { params: { limit }, fields: [{ path: 'size', rule: 'range', message }] });
}

function otherSize(total: number, announced: number): HubError {
  const message = `the file was announced with ${announced} bytes, not ${total}`;
  return new HubError(total > announced ? 'tooLarge' : 'mismatch', message);
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
