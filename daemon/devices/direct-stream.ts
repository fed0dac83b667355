/** A TCP connection to a port of a device that the hub reaches directly, with the interface of a link's stream. */
import type { Socket } from 'bun';
import { isOwnAddress, type Outgoing, OutgoingError } from '../lib/outgoing.ts';
import type { ByteStream } from '../link/byte-stream.ts';
import type { StreamCode } from '../link/codes.ts';
import type { StreamUser } from '../link/link-stream.ts';

export interface DirectPort {
  /** Name or address of the device, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether the port may be one of this machine. */
  readonly mayBeOwn: boolean;
}

interface DirectStreamOptions {
  readonly outgoing: Pick<Outgoing, 'resolve'>;
  /** Time limit for looking up the name and connecting. */
  readonly connectMs: number;
}

const unreachable = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN']);

/** Pausing and resuming cost a call of the system each, which small messages are not worth. */
const pauseBytes = 16 << 10;
/** An attempt that is not answered goes on for two minutes after its stream has given up, and holds a descriptor. */
export const maxAttempts = 256;
let attempts = 0;

/** Connects in the background; what is written meanwhile waits with the user. A failure closes the stream. */
export function openDirectStream(to: DirectPort, { outgoing, connectMs }: DirectStreamOptions): ByteStream {
  const stream = new DirectStream();
  const timer = setTimeout(() => stream.reset('timedOut'), connectMs);
  void connect(stream, to, outgoing).finally(() => clearTimeout(timer));
  return stream;
}

/** Tries the addresses of the host in order. Each was checked, and is connected to without another look-up. */
async function connect(
  stream: DirectStream,
  { host, port, mayBeOwn }: DirectPort,
  outgoing: Pick<Outgoing, 'resolve'>,
) {
  let code: StreamCode = 'notPermitted';
  try {
    for (const hostname of await outgoing.resolve({ host, port })) {
      if (stream.isClosed) return;
      if (!mayBeOwn && isOwnAddress(hostname)) continue;
      if (attempts >= maxAttempts) {
        stream.reset('busy');
        return;
      }
      attempts += 1;
      try {
        const socket = await Bun.connect({ hostname, port, data: stream, allowHalfOpen: true, socket: handlers });
        stream.join(socket);
        return;
      } catch (error) {
        code = unreachable.has(String((error as NodeJS.ErrnoException).code)) ? 'offline' : 'refused';
      } finally {
        attempts -= 1;
      }
    }
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    code = error.fault === 'notAllowed' ? 'notPermitted' : 'offline';
  }
  stream.reset(code);
}

export class DirectStream implements ByteStream {
  isClosed = false;
  isEnding = false;
  #socket: Socket<DirectStream> | undefined;
  #user: StreamUser | undefined;
  /** Read from the socket, which is paused while the user has not taken `pauseBytes`, or takes no more. */
  #received: Uint8Array | undefined;
  #hasEnded = false;
  /** The user has read everything and waits for more. */
  #isWanting = false;
  #isPaused = false;
  #code: StreamCode | undefined;

  attach(user: StreamUser): void {
    this.#user = user;
    if (this.isClosed) user.closed(this.#code);
    else if (this.#received !== undefined || this.#hasEnded) user.readable();
  }

  read(): Uint8Array | undefined {
    const bytes = this.#received;
    this.#received = undefined;
    if (bytes === undefined) {
      this.#isWanting = true;
      this.#pause(false);
    }
    return bytes;
  }

  get isAtEnd(): boolean {
    return this.#hasEnded && this.#received === undefined;
  }

  write(bytes: Uint8Array): number {
    if (this.isEnding || this.isClosed || this.#socket === undefined) return 0;
    return Math.max(0, this.#socket.write(bytes));
  }

  end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.#socket?.shutdown();
    this.#closeIfOver();
  }

  reset(code: StreamCode): void {
    if (this.isClosed) return;
    this.#received = undefined;
    this.#close(code);
    this.#socket?.terminate();
  }

  /** For `connect`. */
  join(socket: Socket<DirectStream>): void {
    if (this.isClosed) {
      socket.terminate();
      return;
    }
    this.#socket = socket;
    // Data may have come before.
    if (this.#isPaused) socket.pause();
    if (this.isEnding) socket.shutdown();
    else this.#user?.writable();
  }

  data(bytes: Uint8Array): void {
    // The socket may deliver what it has read before it was paused.
    this.#received = this.#received === undefined ? bytes : Buffer.concat([this.#received, bytes]);
    this.#isWanting = false;
    this.#user?.readable();
    if (this.#isWanting) return;
    // If the user has taken it all without asking for more, it cannot pass it on.
    const left: Uint8Array | undefined = this.#received;
    if (left === undefined || left.length >= pauseBytes) this.#pause(true);
  }

  /** Only a change costs a call of the system. */
  #pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#socket?.pause();
    else this.#socket?.resume();
  }

  drained(): void {
    if (!this.isEnding) this.#user?.writable();
  }

  ended(): void {
    if (this.isClosed) return;
    this.#hasEnded = true;
    this.#user?.readable();
    this.#closeIfOver();
  }

  /** The socket is closed. */
  over(hasFault: boolean): void {
    this.#socket = undefined;
    // A socket that was shut down closes at the end of the peer's data, without the event for that end.
    if (this.isEnding && !hasFault) this.ended();
    else this.reset('refused');
  }

  /** What was received can still be read. */
  #closeIfOver(): void {
    if (this.isEnding && this.#hasEnded && !this.isClosed) this.#close(undefined);
  }

  #close(code: StreamCode | undefined): void {
    this.isClosed = true;
    this.#code = code;
    this.#user?.closed(code);
  }
}

/** For a socket whose data is a DirectStream. */
export const handlers = {
  binaryType: 'buffer',
  data: ({ data: stream }: Socket<DirectStream>, bytes: Buffer) => stream.data(bytes),
  drain: ({ data: stream }: Socket<DirectStream>) => stream.drained(),
  end: ({ data: stream }: Socket<DirectStream>) => stream.ended(),
  close: ({ data: stream }: Socket<DirectStream>, fault?: Error) => stream.over(fault !== undefined),
  error: ({ data: stream }: Socket<DirectStream>) => stream.reset('refused'),
} as const;
