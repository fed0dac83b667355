/**
 * DNS messages, as far as mDNS needs them. The package for them, dns-packet, gives up a whole message for one record that
 * it cannot read, and embedded responders send such records; here the other records count.
 */
const types = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 } as const;
const classOfInternet = 1;
const headerBytes = 12;
const maxNameBytes = 255;
const maxRecords = 128;
const maxTexts = 64;

export interface DnsRecord {
  /** Labels of the name. */
  readonly name: readonly string[];
  readonly data:
    | { readonly type: 'A' | 'AAAA'; readonly address: string }
    | { readonly type: 'PTR'; readonly target: readonly string[] }
    | { readonly type: 'SRV'; readonly target: readonly string[]; readonly port: number }
    | { readonly type: 'TXT'; readonly texts: readonly string[] };
}

const decoder = new TextDecoder();

/** A message that asks for the PTR records of these names. */
export function encodeQuestions(names: readonly string[]): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(names.length, 4);
  const questions = names.map((name) => {
    const labels = name
      .split('.')
      .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
    return Buffer.concat([...labels, Buffer.from([0, 0, types.PTR, 0, classOfInternet])]);
  });
  return Buffer.concat([header, ...questions]);
}

/** Returns the records of a response that can be read, at most 128. */
export function readRecords(message: Uint8Array): readonly DnsRecord[] {
  if (message.length < headerBytes) return [];
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  if ((view.getUint16(2) & 0x8000) === 0) return [];
  const records: DnsRecord[] = [];
  try {
    let at = headerBytes;
    const questions = view.getUint16(4);
    for (let left = Math.min(questions, maxRecords); left > 0; left--) at = readName(message, at).end + 4;
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
  return records;
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
  let bytes = 0;
  for (;;) {
    const length = message[at];
    if (length === undefined) throw new RangeError('a name is cut off');
    if (length >= 0xc0) {
      const low = message[at + 1];
      if (low === undefined) throw new RangeError('a pointer is cut off');
      end ??= at + 2;
      at = ((length & 0x3f) << 8) | low;
      if (at >= earliest) throw new RangeError('a pointer leads forward');
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
