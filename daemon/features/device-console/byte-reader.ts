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
const nothing = new Uint8Array();
// They take any bytes. A Buffer of the same memory would cost more than either.
const { toString: textOf, indexOf: positionIn } = Buffer.prototype;

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

  /** Reads up to where `endOf` finds an end, and returns the text before it; undefined at the end of the connection. */
  async function until(endOf: EndOf, maxBytes: number): Promise<string | undefined> {
    let bytes = rest ?? (await next());
    rest = undefined;
    if (bytes === undefined) return undefined;
    for (;;) {
      const end = endOf(bytes);
      if (end !== undefined && end.after <= maxBytes) {
        keep(bytes.subarray(end.after));
        return textOf.call(bytes, 'latin1', 0, end.at);
      }
      if (bytes.length >= maxBytes)
        throw new MessageFault(status === 400 ? 431 : status, 'the header section is too long');
      bytes = Buffer.concat([bytes, await more()]);
    }
  }

  async function line(): Promise<string> {
    const text = await until(endOfLine, maxLineBytes);
    if (text === undefined) throw new MessageFault(status, 'the connection ended within a message');
    return text;
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
    head: (): Promise<string | undefined> => until(status === 400 ? endOfStrictHead : endOfHead, maxHeadBytes),
    /** The body that follows, if it has at most this size and all of it is here. Its bytes are read then. */
    whole(framing: Framing, maxBytes: number): Uint8Array | undefined {
      const bytes = framing.kind === 'none' ? 0 : framing.kind === 'length' ? framing.bytes : Number.POSITIVE_INFINITY;
      if (bytes === 0) return nothing;
      if (rest === undefined || bytes > rest.length || bytes > maxBytes) return undefined;
      const body = rest.subarray(0, bytes);
      keep(rest.subarray(bytes));
      return body;
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

/** Where the text ends, and where what follows it begins; undefined if its end is not there yet. */
type EndOf = (bytes: Uint8Array) => { readonly at: number; readonly after: number } | undefined;

const endOfLine: EndOf = (bytes) => {
  const at = bytes.indexOf(newline);
  return at < 0 ? undefined : { at: at > 0 && bytes[at - 1] === 13 ? at - 1 : at, after: at + 1 };
};

const endOfStrictHead: EndOf = (bytes) => {
  const at = positionIn.call(bytes, '\r\n\r\n');
  return at < 0 ? undefined : { at, after: at + 4 };
};

/** The empty line that ends a head, whose lines may end with LF only. */
const endOfHead: EndOf = (bytes) => {
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    const length = bytes[at + 1] === newline ? 1 : bytes[at + 1] === 13 && bytes[at + 2] === newline ? 2 : 0;
    if (length > 0) return { at: bytes[at - 1] === 13 ? at - 1 : at, after: at + 1 + length };
  }
  return undefined;
};
