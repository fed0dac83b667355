/**
 * DNS messages, as far as mDNS needs them. The package for them, dns-packet, gives up a whole message for one record that
 * it cannot read, and embedded responders send such records; here the other records count.
 */
const types = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 } as const;
const anyType = 255;
const classOfInternet = 1;
const headerBytes = 12;
const maxNameBytes = 255;
const maxStringBytes = 255;
/** Bytes of one label of a name. */
export const maxLabelBytes = 63;
const maxRecords = 128;
const maxTexts = 64;
/** In one name. Programs use a few; a message has room for thousands, which each of its names could follow. */
const maxPointers = 32;

export interface DnsRecord {
  /** Labels of the name. */
  readonly name: readonly string[];
  readonly data:
    | { readonly type: 'A'; readonly address: string }
    | { readonly type: 'AAAA'; readonly address: string }
    | { readonly type: 'PTR'; readonly target: readonly string[] }
    | { readonly type: 'SRV'; readonly target: readonly string[]; readonly port: number }
    | { readonly type: 'TXT'; readonly texts: readonly string[] };
}

const decoder = new TextDecoder();

/** A question of another machine. */
export interface DnsQuestion {
  readonly name: readonly string[];
  readonly type: number;
}

export interface DnsQuery {
  readonly id: number;
  readonly questions: readonly DnsQuestion[];
  /** The answers that its sender knows. */
  readonly records: readonly DnsRecord[];
}

/** A message that asks for the PTR records of these names. */
export function encodeQuestions(names: readonly string[]): Uint8Array {
  const questions = names.map((name) => encodeQuestion({ name: name.split('.'), type: types.PTR }));
  return Buffer.concat([uint16(0, 0, names.length, 0, 0, 0), ...questions]);
}

interface Response {
  /** 0 in a message to the group. */
  readonly id: number;
  /** What it answers; none in a message to the group. */
  readonly questions: readonly DnsQuestion[];
  readonly records: readonly SentRecord[];
}

export interface SentRecord {
  readonly name: readonly string[];
  readonly data: Exclude<DnsRecord['data'], { type: 'AAAA' }>;
  /** How long other machines may cache it; 0 if it is no longer valid. */
  readonly seconds: number;
  /** Whether it replaces other records of this name and type. */
  readonly isOnly: boolean;
}

const authoritativeResponse = 0x8400;
const replacesOthers = 0x8000;

export function encodeResponse({ id, questions, records }: Response): Uint8Array {
  return Buffer.concat([
    uint16(id, authoritativeResponse, questions.length, records.length, 0, 0),
    ...questions.map(encodeQuestion),
    ...records.flatMap(({ name, data, seconds, isOnly }) => {
      const bytes = encodeData(data);
      const kind = uint16(types[data.type], classOfInternet | (isOnly ? replacesOthers : 0));
      return [encodeName(name), kind, uint32(seconds), uint16(bytes.length), bytes];
    }),
  ]);
}

/** Whether a question asks for a record. */
export function asksFor({ name, type }: DnsQuestion, record: Pick<SentRecord, 'name' | 'data'>): boolean {
  return (type === types[record.data.type] || type === anyType) && isSameName(name, record.name);
}

/** Names are compared without regard to case. */
export function isSameName(one: readonly string[], other: readonly string[]): boolean {
  const key = (labels: readonly string[]) => labels.join('.').toLowerCase();
  return one.length === other.length && key(one) === key(other);
}

const uint16 = (...values: readonly number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(2);
      bytes.writeUInt16BE(value);
      return bytes;
    }),
  );

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns the beginning of a text that fits into this many bytes of UTF-8, without a partial character. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes
    ? text
    : bytes
        .subarray(0, maxBytes)
        .toString()
        .replace(/\uFFFD+$/, '');
}

/** A string with its length before it. */
function encodeString(text: string): Buffer {
  const bytes = Buffer.from(cutText(text, maxStringBytes));
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

const encodeName = (labels: readonly string[]): Buffer => Buffer.concat([...labels.map(encodeString), Buffer.alloc(1)]);
const encodeQuestion = ({ name, type }: DnsQuestion): Buffer =>
  Buffer.concat([encodeName(name), uint16(type, classOfInternet)]);

function encodeData(data: SentRecord['data']): Buffer {
  switch (data.type) {
    case 'A':
      return Buffer.from(data.address.split('.').map(Number));
    case 'PTR':
      return encodeName(data.target);
    case 'SRV':
      // Of the same priority and weight as every other one.
      return Buffer.concat([uint16(0, 0, data.port), encodeName(data.target)]);
    case 'TXT':
      return Buffer.concat(data.texts.map(encodeString));
  }
}

/** Returns the records of a response that can be read, at most 128. */
export function readRecords(message: Uint8Array): readonly DnsRecord[] {
  return isResponse(message) ? readMessage(message).records : [];
}

/** Returns what can be read of a query, at most 128 questions and known answers; undefined if it is a response. */
export function readQuery(message: Uint8Array): DnsQuery | undefined {
  return message.length < headerBytes || isResponse(message) ? undefined : readMessage(message);
}

const isResponse = (message: Uint8Array): boolean => message.length >= headerBytes && ((message[2] ?? 0) & 0x80) !== 0;

function readMessage(message: Uint8Array): DnsQuery {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const questions: DnsQuestion[] = [];
  const records: DnsRecord[] = [];
  try {
    let at = headerBytes;
    for (let left = Math.min(view.getUint16(4), maxRecords); left > 0; left--) {
      const { labels: name, end } = readName(message, at);
      questions.push({ name, type: view.getUint16(end) });
      at = end + 4;
    }
    const count = view.getUint16(6) + view.getUint16(8) + view.getUint16(10);
    for (let left = Math.min(count, maxRecords); left > 0; left--) {
      const { labels: name, end } = readName(message, at);
      const [type, length] = [view.getUint16(end), view.getUint16(end + 8)];
      const from = end + 10;
      at = from + length;
      if (at > message.length) break;
      const data = readData(message, view, { type, from, to: at });
      if (data !== undefined) records.push({ name, data });
    }
  } catch (error) {
    // The rest is cut off, or cannot be found.
    if (!(error instanceof RangeError)) throw error;
  }
  return { id: view.getUint16(0), questions, records };
}

interface Span {
  readonly type: number;
  readonly from: number;
  readonly to: number;
}

function readData(message: Uint8Array, view: DataView, { type, from, to }: Span): DnsRecord['data'] | undefined {
  try {
    switch (type) {
      case types.A:
        return to - from === 4 ? { type: 'A', address: message.subarray(from, to).join('.') } : undefined;
      case types.AAAA:
        return to - from === 16 ? { type: 'AAAA', address: ipv6Of(view, from) } : undefined;
      case types.PTR:
        return { type: 'PTR', target: readName(message, from).labels };
      case types.SRV:
        return { type: 'SRV', port: view.getUint16(from + 4), target: readName(message, from + 6).labels };
      case types.TXT:
        return { type: 'TXT', texts: readTexts(message, from, to) };
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** In its usual form, such as `fd00::2`. */
function ipv6Of(view: DataView, from: number): string {
  const groups = Array.from({ length: 8 }, (_, at) => view.getUint16(from + at * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Throws RangeError for a name that is not valid. A pointer may only lead to an earlier place, so that none is a loop. */
function readName(message: Uint8Array, start: number): { readonly labels: string[]; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  let end: number | undefined;
  let earliest = start;
  let [bytes, pointers] = [0, 0];
  for (;;) {
    const length = message[at];
    if (length === undefined) throw new RangeError('a name is cut off');
    if (length >= 0xc0) {
      const low = message[at + 1];
      if (low === undefined) throw new RangeError('a pointer is cut off');
      end ??= at + 2;
      at = ((length & 0x3f) << 8) | low;
      if (at >= earliest) throw new RangeError('a pointer leads forward');
      if (++pointers > maxPointers) throw new RangeError('a name has too many pointers');
      earliest = at;
      continue;
    }
    if (length > 63) throw new RangeError('a label is of an unknown kind');
    if (length === 0) return { labels, end: end ?? at + 1 };
    bytes += length + 1;
    if (bytes > maxNameBytes || at + 1 + length > message.length) throw new RangeError('a name is too long');
    labels.push(decoder.decode(message.subarray(at + 1, at + 1 + length)));
    at += length + 1;
  }
}

function readTexts(message: Uint8Array, from: number, to: number): string[] {
  const texts: string[] = [];
  let at = from;
  while (at < to && texts.length < maxTexts) {
    const next = at + 1 + (message[at] ?? 0);
    if (next > to) break;
    texts.push(decoder.decode(message.subarray(at + 1, next)));
    at = next;
  }
  return texts;
}
