/** A file that arrives in one or more requests, is hashed on the way, and continues where the file on the disk ends. */
import { type FileHandle, open } from 'node:fs/promises';
import { HubError } from '../../lib/hub-error.ts';

type Chunk = Uint8Array<ArrayBufferLike>;

interface IncomingPart {
  /** Position of the first byte. */
  readonly from: number;
  /** Position after the last byte. */
  readonly end: number;
  readonly body: ReadableStream<Chunk>;
  /** Called with each chunk before it is written. Throws to refuse the rest. */
  readonly check: () => void;
}

interface IncomingFileOptions {
  /** An existing file. */
  readonly path: string;
  readonly size: number;
  readonly onProgress: (done: number) => void;
  readonly stallMs: number;
  readonly idleMs: number;
}

/** Memory for reading the file back, and the longest step of the hash in one go. */
const readBytes = 256 * 1024;

/**
 * How much may wait to be written to the disk itself. On ext4, a commit of the database waits for all of that, and the
 * hub with it: up to 340 ms at the end of an upload of 300 MB, about 40 ms with this.
 */
const unsyncedBytes = 16 * 1024 * 1024;

export class IncomingFile {
  readonly #options: IncomingFileOptions;
  readonly #whole = Promise.withResolvers<string>();
  readonly #abort = new AbortController();
  readonly #opened: Promise<FileHandle>;
  #hash = new Bun.CryptoHasher('sha256');
  #done = 0;
  #unsynced = 0;
  #isWhole = false;
  #receiving: Promise<void> | undefined;
  #idle: Timer | undefined;

  constructor(options: IncomingFileOptions) {
    this.#options = options;
    // Both are awaited by others, possibly later.
    this.#whole.promise.catch(() => {});
    this.#opened = this.#open();
    this.#opened.catch((error) => this.fail(isMissing(error) ? lost() : error));
  }

  /** Number of bytes on the disk. */
  get done(): number {
    return this.#done;
  }

  /** Resolves with the hash in hexadecimal once the file is complete and on the disk. */
  get whole(): Promise<string> {
    return this.#whole.promise;
  }

  /** Takes a part. What has arrived before an error stays; the next part continues there. */
  async receive(part: IncomingPart): Promise<void> {
    if (this.#receiving !== undefined)
      throw new HubError('inProgress', 'another connection is already sending this file');
    const receiving = this.#receive(part);
    this.#receiving = receiving.catch(() => {});
    try {
      await receiving;
    } finally {
      this.#receiving = undefined;
    }
  }

  /** Ends the transfer; `whole` rejects. */
  fail(reason: unknown): void {
    clearTimeout(this.#idle);
    this.#whole.reject(reason);
    this.#abort.abort(reason);
  }

  /** Resolves when nothing uses the file any more. */
  async close(): Promise<void> {
    await this.#receiving;
    await this.#opened.then((file) => file.close()).catch(() => {});
    clearTimeout(this.#idle);
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#options.path, 'r+');
    const buffer = Buffer.allocUnsafe(readBytes);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, readBytes, this.#done);
      if (bytesRead === 0 || this.#abort.signal.aborted) break;
      this.#hash.update(buffer.subarray(0, bytesRead));
      this.#done += bytesRead;
    }
    this.#options.onProgress(this.#done);
    this.#waitForMore();
    if (this.#done === this.#options.size) await this.#finish(file);
    return file;
  }

  async #receive({ from, end, body, check }: IncomingPart): Promise<void> {
    const file = await this.#opened;
    this.#abort.signal.throwIfAborted();
    this.#refuseOtherPart(from, end);
    const before = this.#hash.copy();
    const reader = this.#stoppable(body);
    try {
      for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
        check();
        if (this.#done + chunk.byteLength > end) {
          // Its sender has another file than the one it announced.
          await file.truncate(from);
          [this.#hash, this.#done] = [before, from];
          this.#options.onProgress(from);
          throw new HubError('tooLarge', `the body is longer than the ${end - from} bytes announced`);
        }
        await this.#write(file, chunk);
      }
    } finally {
      reader.stop();
      // Also if the connection broke after the last byte.
      if (this.#done === this.#options.size && !this.#abort.signal.aborted) await this.#finish(file);
    }
  }

  #refuseOtherPart(from: number, end: number): void {
    const { size } = this.#options;
    if (this.#isWhole) throw new HubError('wrongState', 'the file is already complete');
    if (end > size) throw new HubError('tooLarge', `the file was announced with ${size} bytes, not ${end}`);
    if (from === this.#done) return;
    const range = `Content-Range: bytes ${this.#done}-${size - 1}/${size}`;
    throw new HubError('rangeError', `the file continues at byte ${this.#done}, not ${from}: send ${range}`, {
      params: { done: this.#done },
    });
  }

  /** Reads chunks, each within the time limit, until the upload fails. */
  #stoppable(body: ReadableStream<Chunk>) {
    const { signal } = this.#abort;
    const reader = body.getReader();
    let isLate = false;
    const stop = () => void reader.cancel().catch(() => {});
    const late = () => {
      isLate = true;
      stop();
    };
    signal.addEventListener('abort', stop, { once: true });
    return {
      next: async (): Promise<Chunk | undefined> => {
        const timer = setTimeout(late, this.#options.stallMs);
        const { value } = await reader
          .read()
          .catch(() => {
            // The sender disconnected: the response will not arrive.
            throw new HubError('interrupted', 'the body is incomplete');
          })
          .finally(() => clearTimeout(timer));
        signal.throwIfAborted();
        if (isLate) throw new HubError('timeout', `no data was received for ${this.#options.stallMs / 1000} seconds`);
        return value;
      },
      stop: () => {
        signal.removeEventListener('abort', stop);
        stop();
      },
    };
  }

  async #write(file: FileHandle, chunk: Chunk): Promise<void> {
    try {
      for (let at = 0; at < chunk.byteLength; ) {
        at += (await file.write(chunk, at, chunk.byteLength - at, this.#done + at)).bytesWritten;
      }
    } catch (error) {
      await file.truncate(this.#done);
      throw error;
    }
    this.#hash.update(chunk);
    this.#done += chunk.byteLength;
    this.#unsynced += chunk.byteLength;
    release(chunk);
    if (this.#unsynced >= unsyncedBytes) {
      this.#unsynced = 0;
      await file.datasync();
    }
    this.#options.onProgress(this.#done);
    this.#waitForMore();
  }

  async #finish(file: FileHandle): Promise<void> {
    this.#isWhole = true;
    clearTimeout(this.#idle);
    try {
      await file.sync();
    } catch (error) {
      this.fail(error);
      throw error;
    }
    this.#whole.resolve(this.#hash.digest('hex'));
  }

  #waitForMore(): void {
    clearTimeout(this.#idle);
    const { idleMs } = this.#options;
    const fault = new HubError(
      'timeout',
      `no data was received for ${Math.round(idleMs / 60_000)} minutes; begin again`,
    );
    this.#idle = setTimeout(() => this.fail(fault), idleMs);
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Its noun had moved the file away, and the hub was killed before that was stored. */
function lost(): HubError {
  return new HubError(
    'interrupted',
    'the hub was stopped while it processed the file; check the result, or upload the file again',
  );
}

/** Frees the memory of a chunk. With 300 MB, the hub grows by 5 MB; left to the garbage collector, by 25. */
function release({ buffer, byteLength }: Chunk): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
