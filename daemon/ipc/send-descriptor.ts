/** Passes a file descriptor to another process (SCM_RIGHTS, unix(7)), for which Bun has no call. */
import { dlopen, FFIType, ptr } from 'bun:ffi';

const { i32, i64 } = FFIType;
const solSocket = 1;
const scmRights = 1;
/** Of Linux on 64-bit machines: struct msghdr, and the only control message with one descriptor. */
const messageBytes = 56;
const controlBytes = 24;
const controlLength = 20;
const noSignal = 0x4000;

let libc: ReturnType<typeof load> | undefined;

function load() {
  return dlopen('libc.so.6', { sendmsg: { args: [i32, FFIType.ptr, i32], returns: i64 } });
}

/** Bun's sockets have it, but its types do not. It is -1 once the socket is closed. */
export function descriptorOf(socket: object): number {
  return 'fd' in socket && typeof socket.fd === 'number' ? socket.fd : -1;
}

/**
 * Writes bytes to a unix stream socket, and the descriptor with the first of them. Returns how many bytes were written;
 * 0 if none, and then the descriptor was not passed either.
 */
export function sendWithDescriptor(socket: object, bytes: Uint8Array, passed: number): number {
  libc ??= load();
  const part = new BigUint64Array([BigInt(ptr(bytes)), BigInt(bytes.length)]);
  const control = new DataView(new ArrayBuffer(controlBytes));
  control.setBigUint64(0, BigInt(controlLength), true);
  control.setInt32(8, solSocket, true);
  control.setInt32(12, scmRights, true);
  control.setInt32(16, passed, true);
  const message = new BigUint64Array(messageBytes / 8);
  message.set([0n, 0n, BigInt(ptr(part)), 1n, BigInt(ptr(control.buffer)), BigInt(controlBytes), 0n]);
  return Math.max(0, Number(libc.symbols.sendmsg(descriptorOf(socket), message, noSignal)));
}
