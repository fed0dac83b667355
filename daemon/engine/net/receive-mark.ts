/** The receive low-water mark of a TCP socket (SO_RCVLOWAT, socket(7)), for which Bun has no call. */
import { dlopen, FFIType } from 'bun:ffi';
import { descriptorOf } from '../../ipc/send-descriptor.ts';

const { i32, u32, ptr } = FFIType;
const solSocket = 1;
const soRcvLowat = 18;

let libc: ReturnType<typeof load> | undefined;
const value = new Int32Array(1);

function load() {
  return dlopen('libc.so.6', { setsockopt: { args: [i32, i32, i32, ptr, u32], returns: i32 } });
}

/**
 * Sets how many bytes must arrive before the socket is read; what the peer sent before it closed is read in any case.
 * If as many are waiting already, they are read at once. Does nothing if the socket is closed.
 */
export function setReceiveMark(socket: object, bytes: number): void {
  const descriptor = descriptorOf(socket);
  if (descriptor < 0) return;
  libc ??= load();
  value[0] = bytes;
  libc.symbols.setsockopt(descriptor, solSocket, soRcvLowat, value, value.byteLength);
}
