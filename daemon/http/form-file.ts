/** The part `file` of a form of any size, as published clients send files (RFC 7578), read as a stream. */
import { limits } from '../contract/limits.ts';
import { fieldError, HubError } from '../lib/hub-error.ts';
import { timing } from '../timing.ts';

type Chunk = Uint8Array<ArrayBufferLike>;

export interface FormFile {
  /** Without folders and control characters; clipped to the longest name that an upload may have. */
  readonly name: string;
  /**
   * Yields the bytes of the file. Throws `interrupted` if the form ends early, `timeout` if nothing arrives, and
   * `tooLarge`. The body is read no faster than this is.
   */
  readonly bytes: () => AsyncGenerator<Chunk, void>;
}

/** Of the headers of a part, and of all parts before the file. */
const maxHeaderBytes = 8 * 1024;
const maxOtherBytes = 256 * 1024;
const blankLine = Buffer.from('\r\n\r\n');

/** Reads up to the first byte of the file. */
export async function openFormFile(request: Request, maxBytes: number): Promise<FormFile> {
  const boundary = boundaryOf(request.headers.get('content-type') ?? '');
  if (boundary === undefined || request.body === null) throw notForm();
  const form = createFormReader(request.body, `\r\n--${boundary}`);
  // The first delimiter has no line break before it unless there is a preamble.
  form.unread(Buffer.from('\r\n'));
  await form.skipToDelimiter();
  for (;;) {
    const headers = await form.headers();
    if (headers === undefined) throw fieldError('file', 'required', 'a part named file is required');
    const part = dispositionOf(headers);
    if (part.name === 'file') return { name: fileName(part.fileName), bytes: () => form.part(maxBytes) };
    await form.skipToDelimiter();
  }
}

function createFormReader(body: ReadableStream<Chunk>, delimiterText: string) {
  const delimiter = Buffer.from(delimiterText, 'latin1');
  const reader = body.getReader();
  /** What has been read and not used. */
  let rest: Buffer = Buffer.alloc(0);
  let skipped = 0;
  const stop = () => void reader.cancel().catch(() => {});

  const more = async (): Promise<Buffer> => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, timing.uploads.stallMs);
    const { value } = await reader
      .read()
      .catch(() => ({ value: undefined }))
      .finally(() => clearTimeout(timer));
    if (isLate) throw new HubError('timeout', `no data was received for ${timing.uploads.stallMs / 1000} seconds`);
    if (value === undefined) throw new HubError('interrupted', 'the form is incomplete');
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  };

  /** Yields what comes before the next delimiter, which is used up. */
  async function* upToDelimiter(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const at = rest.indexOf(delimiter);
      const end = at < 0 ? Math.max(0, rest.length - delimiter.length + 1) : at;
      const found = rest.subarray(0, end);
      rest = rest.subarray(at < 0 ? end : at + delimiter.length);
      if (found.length > 0) yield found;
      if (at >= 0) return;
      const next = await more();
      // A delimiter that begins in the rest, which is shorter than it, ends in these bytes. To copy all would double the
      // memory that a file passes through.
      const seam = Buffer.concat([rest, next.subarray(0, delimiter.length - 1)]);
      const isSplit = next.length < delimiter.length || seam.includes(delimiter);
      if (!isSplit && rest.length > 0) yield rest;
      rest = isSplit ? Buffer.concat([rest, next]) : next;
    }
  }

  return {
    unread(bytes: Buffer): void {
      rest = Buffer.concat([bytes, rest]);
    },
    async skipToDelimiter(): Promise<void> {
      for await (const bytes of upToDelimiter()) {
        skipped += bytes.length;
        if (skipped > maxOtherBytes)
          throw refuse(
            stop,
            new HubError('tooLarge', 'the part named file must be nearer to the beginning of the form'),
          );
      }
    },
    /** Returns the headers of the part that begins here; undefined after the last part. */
    async headers(): Promise<string | undefined> {
      while (rest.length < 2) rest = Buffer.concat([rest, await more()]);
      if (rest.toString('latin1', 0, 2) === '--') return undefined;
      for (;;) {
        const end = rest.indexOf(blankLine);
        if (end >= 0 && end <= maxHeaderBytes) {
          const text = rest.toString('utf8', 0, end);
          // Its last line break may belong to the delimiter of an empty part.
          rest = rest.subarray(end + 2);
          return text;
        }
        if (rest.length > maxHeaderBytes) throw refuse(stop, notForm());
        rest = Buffer.concat([rest, await more()]);
      }
    },
    async *part(maxBytes: number): AsyncGenerator<Chunk, void> {
      let size = 0;
      // The line break that ends the headers.
      let lead = 2;
      try {
        for await (const bytes of upToDelimiter()) {
          const own = bytes.subarray(Math.min(lead, bytes.length));
          lead -= bytes.length - own.length;
          size += own.length;
          if (size > maxBytes)
            throw new HubError('tooLarge', `a file has at most ${maxBytes} bytes`, { params: { limit: maxBytes } });
          if (own.length > 0) yield own;
        }
        await drain();
      } finally {
        stop();
      }
    },
  };

  /** Reads what follows the file, so that the connection can be used again; not if it is long. */
  async function drain(): Promise<void> {
    try {
      for (let left = maxOtherBytes; left > 0; ) left -= (await more()).length;
    } catch {
      // The usual end.
    }
  }
}

function refuse(stop: () => void, error: HubError): HubError {
  stop();
  return error;
}

function notForm(): HubError {
  return new HubError('formatError', 'the body is not a form', { http: 400 });
}

/** RFC 2046: up to 70 characters. */
function boundaryOf(type: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(type) ?? [];
  return quoted ?? plain;
}

function dispositionOf(headers: string): { name: string; fileName: string } {
  const line = headers.split('\r\n').find((one) => /^content-disposition:/i.test(one)) ?? '';
  const value = (name: string) => {
    const [, quoted, plain] = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(line) ?? [];
    return quoted ?? plain;
  };
  const [, encoded] = /;\s*filename\*=utf-8''([^;\s]*)/i.exec(line) ?? [];
  return { name: value('name') ?? '', fileName: (encoded && decoded(encoded)) ?? value('filename') ?? '' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The name is only shown, and read for what it says about the file. */
function fileName(text: string): string {
  const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const plain = last.replaceAll(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '').replaceAll('%22', '"');
  return plain.toWellFormed().slice(0, limits.uploads.name);
}
