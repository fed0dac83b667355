/** Connects a stream to a device with a socket, both ways, with backpressure and half-closed connections. */
import type { Socket, SocketHandler } from 'bun';
import type { ByteStream } from './byte-stream.ts';
import type { StreamCode } from './codes.ts';

/** State of one spliced socket. */
export interface Splice {
  readonly stream: ByteStream;
  /** The socket, once it is connected. */
  socket: SplicedSocket | undefined;
  /** Read from the socket, not yet taken by the stream. */
  unsent: Uint8Array | undefined;
  /** The socket is not read while this waits. */
  isPaused: boolean;
  /** Read from the stream, not yet taken by the socket. */
  unwritten: Uint8Array | undefined;
  /** The socket has ended its direction. */
  hasEnded: boolean;
  /** The stream has ended its direction, and the socket was told. */
  isShutDown: boolean;
  isOver: boolean;
  /** Why the stream broke, if it did. */
  fault: StreamCode | undefined;
  /** Bytes that the socket has taken, and that the stream has. */
  received: number;
  sent: number;
}

/** A socket delivers up to 512 KiB at a time, a link much less. */
const copyBytes = 128 << 10;

/** Without a splice, the socket is refused. */
export type SplicedSocket = Socket<Splice | undefined>;

export function createSplice(stream: ByteStream): Splice {
  const splice: Splice = {
    stream,
    socket: undefined,
    unsent: undefined,
    isPaused: false,
    unwritten: undefined,
    hasEnded: false,
    isShutDown: false,
    isOver: false,
    fault: undefined,
    received: 0,
    sent: 0,
  };
  stream.attach({
    readable: () => fromStream(splice),
    writable: () => fromSocket(splice),
    closed: (code) => {
      // After a clean end the socket may still have bytes to write.
      if (code === undefined || splice.isOver) return;
      splice.fault = code;
      over(splice, code);
    },
  });
  return splice;
}

/** The socket is connected: what has arrived for it is written. */
export function joinSocket(splice: Splice, socket: SplicedSocket): void {
  if (splice.isOver) {
    socket.terminate();
    return;
  }
  splice.socket = socket;
  fromStream(splice);
}

/** Ends both sides at once. */
export function over(splice: Splice, code: StreamCode): void {
  if (splice.isOver) return;
  splice.isOver = true;
  splice.stream.reset(code);
  splice.socket?.terminate();
}

export const spliceHandlers = {
  binaryType: 'buffer',
  data({ data: splice }, bytes) {
    if (splice === undefined) return;
    splice.unsent = splice.unsent === undefined ? bytes : Buffer.concat([splice.unsent, bytes]);
    fromSocket(splice);
  },
  drain({ data: splice }) {
    if (splice !== undefined) fromStream(splice);
  },
  end({ data: splice }) {
    if (splice === undefined) return;
    splice.hasEnded = true;
    fromSocket(splice);
  },
  close({ data: splice }, fault) {
    if (splice === undefined) return;
    splice.socket = undefined;
    // A socket that was shut down closes at the end of the peer's data, without the event for that end.
    if (splice.isShutDown && fault === undefined) splice.hasEnded = true;
    // Unless both directions ended in order, the socket broke.
    if (splice.hasEnded && splice.isShutDown) fromSocket(splice);
    else over(splice, 'refused');
  },
  error({ data: splice }) {
    if (splice !== undefined) over(splice, 'refused');
  },
} satisfies SocketHandler<Splice | undefined, 'buffer'>;

/** Passes bytes of the socket to the stream. The socket is paused while the stream takes none. */
function fromSocket(splice: Splice): void {
  const { stream, unsent } = splice;
  if (unsent !== undefined) {
    const taken = stream.write(unsent);
    splice.sent += taken;
    splice.unsent = taken === unsent.length ? undefined : unsent.subarray(taken);
    pause(splice, splice.unsent !== undefined);
  }
  if (splice.unsent === undefined && splice.hasEnded) stream.end();
}

/** Only a change costs a call of the system. */
function pause(splice: Splice, isPaused: boolean): void {
  if (splice.isPaused === isPaused) return;
  splice.isPaused = isPaused;
  if (isPaused) splice.socket?.pause();
  else splice.socket?.resume();
}

/** Passes bytes of the stream to the socket until it takes no more. */
function fromStream(splice: Splice): void {
  const { stream, socket } = splice;
  if (socket === undefined) return;
  for (;;) {
    const bytes = splice.unwritten ?? stream.read();
    if (bytes === undefined) break;
    const written = Math.max(0, socket.write(bytes));
    splice.received += written;
    if (written < bytes.length) {
      const rest = bytes.subarray(written);
      // What waits for a slow reader must not keep the whole piece in memory; it is copied at most once.
      splice.unwritten = splice.unwritten === undefined && bytes.length > copyBytes ? new Uint8Array(rest) : rest;
      return;
    }
    splice.unwritten = undefined;
  }
  if (!stream.isAtEnd || splice.isShutDown) return;
  splice.isShutDown = true;
  socket.shutdown();
}
