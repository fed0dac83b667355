/** Pipes for raw frames, which are too large to be copied through a JavaScript stream. */
import { dlopen } from 'bun:ffi';
import { closeSync } from 'node:fs';
import type { Address } from './memory.ts';

const libc = dlopen('libc.so.6', {
  pipe2: { args: ['ptr', 'i32'], returns: 'i32' },
  fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  write: { args: ['i32', 'ptr', 'usize'], returns: 'i64' },
  poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
}).symbols;

const closeOnExec = 0o2000000;
const setStatus = 4;
const nonBlocking = 0o4000;
const setPipeSize = 1031;
const writable = 4;
/** Error, hang-up or not open, of what `poll` returns. */
const broken = 0x8 | 0x10 | 0x20;
/** The most that the kernel permits without privileges. With 64 KB, both processes would wake up more often. */
const pipeBytes = 1 << 20;

/** Descriptors of a new pipe. A child process inherits one only if it is passed explicitly. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** Throws if there are no descriptors left. */
export function openPipe(): Pipe {
  const ends = new Int32Array(new ArrayBuffer(8));
  if (libc.pipe2(ends, closeOnExec) !== 0) throw new Error('no pipe could be opened');
  const [read = -1, write = -1] = ends;
  // If the limit of this user is reached, the pipe keeps its size.
  libc.fcntl(write, setPipeSize, pipeBytes);
  return { read, write };
}

export function closePipe({ read, write }: Pipe): void {
  closeSync(read);
  closeSync(write);
}

/** `closed`: there is no reader. `stuck`: the reader has taken nothing for as long as the writer waits. */
export type Written = 'all' | 'closed' | 'stuck';

/** Returns a function that writes all bytes to a pipe, and blocks this thread while the reader takes them. */
export function pipeWriter(descriptor: number, patienceMs: number) {
  // A write that blocked could not be given up.
  libc.fcntl(descriptor, setStatus, nonBlocking);
  const polled = new Int32Array(new ArrayBuffer(8));
  return (data: Address | Uint8Array<ArrayBuffer>, bytes: number): Written => {
    let takenAt = performance.now();
    for (let done = 0; done < bytes; ) {
      polled.set([descriptor, writable]);
      // A signal may end it early.
      libc.poll(polled, 1n, patienceMs);
      if (((polled[1] ?? 0) >>> 16) & broken) return 'closed';
      const from = typeof data === 'object' ? data.subarray(done) : ((Number(data) + done) as Address);
      const written = Number(libc.write(descriptor, from, bytes - done));
      if (written > 0) {
        done += written;
        takenAt = performance.now();
      } else if (performance.now() - takenAt >= patienceMs) return 'stuck';
    }
    return 'all';
  };
}
