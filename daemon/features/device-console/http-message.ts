/**
 * Heads of HTTP/1.1 messages, read strictly: what two programs could read differently is refused. Nothing is passed on as
 * it came; `header-rules.ts` decides what is sent, and `writeHead` writes it.
 */

/** The name is in lower case. */
export type Header11 = readonly [name: string, value: string];
/** In the order of arrival. */
export type Headers11 = readonly Header11[];

export interface RequestHead {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: Headers11;
}

export interface ResponseHead {
  readonly status: number;
  /** Whether the connection stays open after the response unless a header says otherwise. */
  readonly isPersistent: boolean;
  readonly headers: Headers11;
}

export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** Until the connection ends; of responses only. */
  | { readonly kind: 'close' };

/** A message that is not passed on. `status`: the HTTP status that answers a request of this kind. */
export class MessageFault extends Error {
  override readonly name = 'MessageFault';
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export const maxHeadBytes = 16 << 10;
const maxHeaders = 100;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Printable ASCII, tabs, and the bytes of other character sets. */
const badValue = /[^\t -~\x80-\xff]/;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Reads a request without its last empty line. Throws a MessageFault. */
export function readRequest(text: string): RequestHead {
  const end = endOfLine(text, '\r\n');
  const [, method = '', target = '', version] = /^(\S+) (\S+) HTTP\/(\d\.\d)$/.exec(text.slice(0, end)) ?? [];
  if (version === undefined || !token.test(method)) throw new MessageFault(400, 'the request is not valid HTTP');
  if (version !== '1.1') throw new MessageFault(505, 'only HTTP/1.1 is supported');
  if (!methods.has(method)) throw new MessageFault(501, `the method ${method} is not supported`);
  if (!target.startsWith('/')) throw new MessageFault(400, 'the target of a request must be a path');
  if (/[^\x21-\x7e]|#/.test(target)) throw new MessageFault(400, 'the target contains characters that are not allowed');
  // No other CR or LF is accepted within a header.
  const headers = readHeaders(text, end, '\r\n');
  if (valuesOf(headers, 'host').length !== 1)
    throw new MessageFault(400, 'a request must have exactly one Host header');
  return { method, target, headers };
}

/** Reads a response without its last empty line; devices may end lines with LF only. Throws a MessageFault. */
export function readResponse(text: string): ResponseHead {
  const end = endOfLine(text, '\n');
  const [, minor, status] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r]*)?\r?$/.exec(text.slice(0, end)) ?? [];
  if (status === undefined) throw new MessageFault(502, 'the response of the device is not valid HTTP');
  try {
    return { status: Number(status), isPersistent: minor === '1', headers: readHeaders(text, end, '\n') };
  } catch (error) {
    throw error instanceof MessageFault ? new MessageFault(502, `the device: ${error.message}`) : error;
  }
}

type LineEnd = '\r\n' | '\n';

function endOfLine(text: string, lineEnd: LineEnd, from = 0): number {
  const at = text.indexOf(lineEnd, from);
  return at < 0 ? text.length : at;
}

/** The lines after the one that ends at `start`. A line that ends with LF may have a CR before it. */
function readHeaders(text: string, start: number, lineEnd: LineEnd): Headers11 {
  const headers: Header11[] = [];
  for (let end = start; end < text.length; ) {
    if (headers.length === maxHeaders) throw new MessageFault(431, `at most ${maxHeaders} headers`);
    const at = end + lineEnd.length;
    end = endOfLine(text, lineEnd, at);
    const colon = text.indexOf(':', at);
    const name = colon < end ? text.slice(at, Math.max(at, colon)) : '';
    const value = withoutSpace(text, colon + 1, lineEnd === '\n' && text[end - 1] === '\r' ? end - 1 : end);
    // Includes folded lines, and a space before the colon.
    if (!token.test(name)) throw new MessageFault(400, 'the name of a header is not valid');
    if (badValue.test(value)) throw new MessageFault(400, 'the value of a header is not valid');
    headers.push([name.toLowerCase(), value]);
  }
  return headers;
}

/** A pattern for the end of the text would take long for one with many spaces. */
function withoutSpace(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isSpace = (code: number): boolean => code === 32 || code === 9;

const none: readonly string[] = [];

// A message is searched for a dozen names, most of which it does not have: that allocates nothing.
export function valuesOf(headers: Headers11, name: string): readonly string[] {
  let values: string[] | undefined;
  for (const header of headers) {
    if (header[0] !== name) continue;
    if (values === undefined) values = [header[1]];
    else values.push(header[1]);
  }
  return values ?? none;
}

/** The first value; undefined without one. */
export function headerOf(headers: Headers11, name: string): string | undefined {
  for (const header of headers) if (header[0] === name) return header[1];
  return undefined;
}

/** The members of a list, in lower case, whatever the number of its lines. */
export function listOf(headers: Headers11, name: string): readonly string[] {
  const values = valuesOf(headers, name);
  if (values.length === 0) return none;
  const all = values.join(',').toLowerCase();
  if (!all.includes(',')) return all === '' ? none : [all];
  const members = all.split(',').map((one) => one.trim());
  return members.filter((one) => one !== '');
}

/** Throws a MessageFault if the length of the body is not beyond doubt. */
export function requestFraming({ headers }: RequestHead): Framing {
  const [length, coding] = [valuesOf(headers, 'content-length'), valuesOf(headers, 'transfer-encoding')];
  if (length.length + coding.length > 1)
    throw new MessageFault(400, 'the request states the length of its body more than once');
  if (coding[0] !== undefined) return chunked(coding[0], 400);
  return length[0] === undefined ? { kind: 'none' } : { kind: 'length', bytes: readLength(length[0], 400) };
}

/** `method`: of the request. */
export function responseFraming({ status, headers }: Omit<ResponseHead, 'isPersistent'>, method: string): Framing {
  const [lengths, coding] = [valuesOf(headers, 'content-length'), valuesOf(headers, 'transfer-encoding')];
  const [text] = lengths;
  const isDoubtful = lengths.some((one) => one !== text) || coding.length > 1;
  if (isDoubtful || (text !== undefined && coding.length > 0)) {
    throw new MessageFault(502, 'the response of the device states its length more than once');
  }
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { kind: 'none' };
  if (coding[0] !== undefined) return chunked(coding[0], 502);
  return text === undefined ? { kind: 'close' } : { kind: 'length', bytes: readLength(text, 502) };
}

function chunked(coding: string, status: number): Framing {
  if (coding.toLowerCase() !== 'chunked') throw new MessageFault(status, 'the transfer coding is not supported');
  return { kind: 'chunked' };
}

function readLength(text: string, status: number): number {
  if (!/^\d{1,15}$/.test(text)) throw new MessageFault(status, 'the length of the body is not a number');
  return Number(text);
}

const nothing = new Uint8Array();

/**
 * Returns a head, followed by the bytes of its body. `first`: the request or status line. Names and values were read here
 * or are the hub's own.
 */
export function writeHead(first: string, headers: Headers11, body: Uint8Array = nothing): Uint8Array {
  let text = `${first}\r\n`;
  for (const header of headers) text += `${header[0]}: ${header[1]}\r\n`;
  text += '\r\n';
  const bytes = Buffer.allocUnsafe(text.length + body.length);
  bytes.write(text, 'latin1');
  bytes.set(body, text.length);
  return bytes;
}
