/** Open Sound Control 1.0: messages and bundles in datagrams. Pure. Arguments of other types are skipped. */

export interface OscMessage {
  /** Begins with a slash. */
  readonly address: string;
  readonly args: readonly OscArgument[];
}

/** A number that is sent is a whole one of 32 bits. */
export type OscArgument = string | number | boolean;

const maxMessages = 64;
const maxArguments = 64;
const maxDepth = 4;
const bundleMark = '#bundle\0';

/** Throws for a text with NUL, which ends texts, and for numbers that are not whole or too large. */
export function encodeOsc(address: string, args: readonly (string | number)[]): Uint8Array {
  const tags = args.map((arg) => (typeof arg === 'string' ? 's' : 'i')).join('');
  const values = args.map((arg) => (typeof arg === 'string' ? padded(arg) : wholeNumber(arg)));
  return Buffer.concat([padded(address), padded(`,${tags}`), ...values]);
}

/** Returns undefined for a datagram that is not OSC. */
export function decodeOsc(datagram: Uint8Array): OscMessage[] | undefined {
  const found: OscMessage[] = [];
  return readPacket(Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength), 0, found)
    ? found
    : undefined;
}

function padded(text: string): Buffer {
  if (text.includes('\0')) throw new Error('a text of OSC has no NUL');
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes, Buffer.alloc(4 - (bytes.length % 4))]);
}

function wholeNumber(value: number): Buffer {
  if (!Number.isInteger(value)) throw new Error('a number of OSC is a whole one here');
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function readPacket(packet: Buffer, depth: number, found: OscMessage[]): boolean {
  if (packet.length % 4 !== 0 || packet.length < 8) return false;
  if (packet.toString('latin1', 0, bundleMark.length) !== bundleMark) {
    const message = readMessage(packet);
    if (message === undefined) return false;
    found.push(message);
    return true;
  }
  if (depth === maxDepth) return false;
  // The mark and a time tag.
  let at = 16;
  if (packet.length < at) return false;
  while (at < packet.length && found.length < maxMessages) {
    const size = packet.readInt32BE(at);
    at += 4;
    if (size < 0 || size > packet.length - at || !readPacket(packet.subarray(at, at + size), depth + 1, found))
      return false;
    at += size;
  }
  return true;
}

function readMessage(packet: Buffer): OscMessage | undefined {
  const address = readText(packet, 0);
  if (address?.text.startsWith('/') !== true) return undefined;
  const tags = readText(packet, address.end);
  // Old senders leave out the types of a message without arguments.
  if (tags === undefined) return address.end === packet.length ? { address: address.text, args: [] } : undefined;
  if (!tags.text.startsWith(',')) return undefined;
  const args: OscArgument[] = [];
  let at = tags.end;
  for (const tag of tags.text.slice(1, 1 + maxArguments)) {
    const argument = readArgument(packet, at, tag);
    if (argument === undefined) return undefined;
    if (argument.value !== undefined) args.push(argument.value);
    at = argument.end;
  }
  return { address: address.text, args };
}

/** Returns undefined if the packet ends before the argument does, or its length is not known. */
function readArgument(packet: Buffer, at: number, tag: string) {
  const has = (bytes: number) => at + bytes <= packet.length;
  switch (tag) {
    case 's':
    case 'S': {
      const read = readText(packet, at);
      return read && { value: read.text, end: read.end };
    }
    case 'i':
      return has(4) ? { value: packet.readInt32BE(at), end: at + 4 } : undefined;
    case 'f':
      return has(4) ? { value: packet.readFloatBE(at), end: at + 4 } : undefined;
    case 'd':
      return has(8) ? { value: packet.readDoubleBE(at), end: at + 8 } : undefined;
    case 'T':
    case 'F':
      return { value: tag === 'T', end: at };
    case 'N':
    case 'I':
      return { value: undefined, end: at };
    case 'h':
    case 't':
      return has(8) ? { value: undefined, end: at + 8 } : undefined;
    case 'c':
    case 'r':
    case 'm':
      return has(4) ? { value: undefined, end: at + 4 } : undefined;
    case 'b': {
      const size = has(4) ? packet.readInt32BE(at) : -1;
      return size >= 0 && size <= packet.length - at - 4
        ? { value: undefined, end: at + 4 + Math.ceil(size / 4) * 4 }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** A text ends with one to four NUL. */
function readText(packet: Buffer, at: number): { readonly text: string; readonly end: number } | undefined {
  const end = at < packet.length ? packet.indexOf(0, at) : -1;
  if (end < 0) return undefined;
  return { text: packet.toString('utf8', at, end), end: end + 4 - (end % 4) };
}
