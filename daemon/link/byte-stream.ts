import type { StreamCode } from './codes.ts';
import type { StreamUser } from './link-stream.ts';

/** A connection to a port of a device: a stream of its link, or a socket that the hub opened (`devices/direct-stream.ts`). */
export interface ByteStream {
  /** Attaches the user, once. Reports what has happened before. */
  attach(user: StreamUser): void;
  /** Returns the next bytes, undefined when there are none at the moment: only then does the peer send more. */
  read(): Uint8Array | undefined;
  /** The peer has ended and all of its data was read. */
  readonly isAtEnd: boolean;
  readonly isClosed: boolean;
  /** `end` was called. */
  readonly isEnding: boolean;
  /** Takes as many of the bytes as there is room for and returns their number. */
  write(bytes: Uint8Array): number;
  /** No more data follows what was written; the peer may still send. */
  end(): void;
  /** Ends both directions at once. Queued and unread data is lost. */
  reset(code: StreamCode): void;
}
