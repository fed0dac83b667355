import { dlopen, FFIType, toArrayBuffer } from 'bun:ffi';

/**
 * Removes a secret from the environment of this process, including the memory that the kernel exposes as
 * /proc/PID/environ. Deleting it from process.env alone leaves it there.
 */
export function forgetVariable(name: string): void {
  delete process.env[name];
  const libc = dlopen('libc.so.6', {
    getenv: { args: [FFIType.cstring], returns: FFIType.ptr },
    strlen: { args: [FFIType.ptr], returns: FFIType.u64 },
  });
  try {
    const value = libc.symbols.getenv(Buffer.from(`${name}\0`));
    const length = value === null ? 0 : Number(libc.symbols.strlen(value));
    if (value !== null && length > 0) new Uint8Array(toArrayBuffer(value, 0, length)).fill(0);
  } finally {
    libc.close();
  }
}
