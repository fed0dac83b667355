/** Heads and bodies of HTTP messages from a connection. */
import { type Framing, MessageFault, maxHeadBytes } from './http-message.ts';

interface ByteSource {
  /** Resolves with the next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
}

/** Size and extensions of a chunk, or a trailer. */
const maxLineBytes = 1024;
const maxTrailers = 32;
const newline = 10;

/** Resolves with the next bytes; undefined after the last ones. Rejects with a MessageFault. */
export type NextPart = () => Promise<Uint8Array | undefined>;

export type ByteReader = ReturnType<typeof createByteReader>;

/** `status`: of the faults in what is read. */
export function createByteReader(source: ByteSource, status: 400 | 502) {
  let rest: Uint8Array | undefined;
  let ahead: Promise<Uint8Array | undefined> | undefined;
  let isQuiet = false;
  const next = async (): Promise<Uint8Array | undefined> => {
    const bytes = rest ?? (await (ahead ?? source.read()));
    if (rest === undefined) ahead = undefined;
    isQuiet = false;
    rest = undefined;
    return bytes;
  };
  const keep = (bytes: Uint8Array) => {
    rest = bytes.length === 0 ? undefined : bytes;
  };
  const more = async (): Promise<Uint8Array> => {
    const bytes = await next();
    if (bytes === undefined) throw new MessageFault(status, 'the connection ended within a message');
    return bytes;
  };

  /** Reads up to where `endOf` finds an end, and returns the bytes before it; undefined at the end of the connection. */
  async function until(endOf: (bytes: Uint8Array) => number, maxBytes: number): Promise<Uint8Array | undefined> {
    let bytes = rest ?? (await next());
    rest = undefined;
    if (bytes === undefined) return undefined;
    for (;;) {
      const end = endOf(bytes.subarray(0, maxBytes));
      if (end >= 0) {
        keep(bytes.subarray(end));
        return bytes.subarray(0, end);
      }
      if (bytes.length >= maxBytes)
        throw new MessageFault(status === 400 ? 431 : status, 'the header section is too long');
      bytes = Buffer.concat([bytes, await more()]);
    }
  }

  async function line(): Promise<string> {
    const bytes = await until((given) => given.indexOf(newline) + 1 || -1, maxLineBytes);
    if (bytes === undefined) throw new MessageFault(status, 'the connection ended within a message');
    return Buffer.from(bytes)
      .toString('latin1')
      .replace(/\r?\n$/, '');
  }

  function ofLength(length: number): NextPart {
    let left = length;
    return async () => {
      if (left === 0) return undefined;
      const bytes = rest ?? (await more());
      const part = bytes.length <= left ? bytes : bytes.subarray(0, left);
      keep(bytes.subarray(part.length));
      left -= part.length;
      return part;
    };
  }

  function ofChunks(): NextPart {
    let chunk: NextPart | undefined;
    let hasEnded = false;
    return async () => {
      while (!hasEnded) {
        const part = await chunk?.();
        if (part !== undefined) return part;
        if (chunk !== undefined && (await line()) !== '')
          throw new MessageFault(status, 'a chunk is longer than its size');
        const size = await chunkSize();
        chunk = ofLength(size);
        hasEnded = size === 0;
        if (hasEnded) await trailers();
      }
      return undefined;
    };
  }

  async function chunkSize(): Promise<number> {
    const [, digits] = /^([0-9a-fA-F]{1,8})[ \t]*(;[^\r]*)?$/.exec(await line()) ?? [];
    if (digits === undefined) throw new MessageFault(status, 'the size of a chunk is not valid');
    return Number.parseInt(digits, 16);
  }

  /** They are not passed on. */
  async function trailers(): Promise<void> {
    for (let count = 0; (await line()) !== ''; count++) {
      if (count >= maxTrailers) throw new MessageFault(status, 'too many trailers');
    }
  }

  return {
    /** Returns a head without its last empty line; undefined if the connection ended before it. */
    async head(): Promise<string | undefined> {
      const bytes = await until(status === 400 ? endOfStrictHead : endOfHead, maxHeadBytes);
      return (
        bytes &&
        Buffer.from(bytes)
          .toString('latin1')
          .replace(/\r?\n\r?\n$/, '')
      );
    },
    /** The bytes of the body that follows, in parts. */
    body(framing: Framing): NextPart {
      if (framing.kind === 'close') return next;
      return framing.kind === 'chunked' ? ofChunks() : ofLength(framing.kind === 'length' ? framing.bytes : 0);
    },
    /** Whatever follows; undefined at the end. */
    next,
    /** Reads the next bytes now: while nothing is read from a connection, its end is not noticed. */
    readAhead(): void {
      if (rest !== undefined || ahead !== undefined) return;
      ahead = source.read();
      isQuiet = true;
      const heard = () => {
        isQuiet = false;
      };
      ahead.then(heard, heard);
    },
    /** Whether nothing has come since `readAhead`, and the connection has not ended. */
    isQuiet: (): boolean => isQuiet,
  };
}

function endOfStrictHead(bytes: Uint8Array): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf('\r\n\r\n');
  return at < 0 ? -1 : at + 4;
}

/** Position after the empty line that ends a head, whose lines may end with LF only; -1 if it is not there yet. */
function endOfHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    if (bytes[at + 1] === newline) return at + 2;
    if (bytes[at + 1] === 13 && bytes[at + 2] === newline) return at + 3;
  }
  return -1;
}
