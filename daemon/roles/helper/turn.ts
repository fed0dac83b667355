/** One operation at a time: each process of the helper waits for the lock, which it holds until it ends. */
import { dlopen, FFIType } from 'bun:ffi';
import { constants, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { HelperRefusal } from '../../appliance/helper/operations.ts';
import { timing } from '../../timing.ts';

const lockExclusive = 2;
const lockNonBlocking = 4;
const pauseMs = 10;

/** The kernel releases the lock when the process ends, however it ends. Throws HelperRefusal `busy`. */
export async function takeTurn(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
  // The descriptor stays open; children do not inherit it.
  const lock = openSync(join(folder, 'lock'), O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
  const { flock } = dlopen('libc.so.6', { flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } }).symbols;
  const deadline = performance.now() + timing.helper.turnMs;
  while (flock(lock, lockExclusive | lockNonBlocking) !== 0) {
    if (performance.now() > deadline) throw new HelperRefusal('busy', 'another operation runs; try again later');
    await Bun.sleep(pauseMs);
  }
}
