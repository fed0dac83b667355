/** Messages of the D-Bus wire format: header, fields and body. */
import { DBusError } from './dbus-error.ts';
import { type DBusValue, Reader, type Variant, variant, Writer } from './wire.ts';

export const messageTypes = { call: 1, return: 2, error: 3, signal: 4 } as const;

/** Numbers of the header fields. */
const fieldCodes = {
  ...{ path: 1, interface: 2, member: 3, errorName: 4, replySerial: 5, destination: 6, sender: 7, signature: 8 },
} as const;
const fieldTypes: Readonly<Record<keyof typeof fieldCodes, string>> = {
  ...{ path: 'o', interface: 's', member: 's', errorName: 's', replySerial: 'u', destination: 's', sender: 's' },
  signature: 'g',
};

export interface Message {
  readonly type: number;
  readonly serial: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly replySerial?: number;
  readonly destination?: string;
  readonly sender?: string;
  readonly signature?: string;
  readonly body: readonly DBusValue[];
  /** Whether a call may start a service that does not run. */
  readonly autoStarts?: boolean;
}

/** What a machine with hundreds of access points and containers reports at once is far below this. */
export const maxMessageBytes = 8 << 20;
const fixedBytes = 16;
const littleEndian = 'l'.charCodeAt(0);
const bigEndian = 'B'.charCodeAt(0);
const version = 1;
/** A flag of the header. */
const noAutoStart = 2;

export function encode(message: Message): Buffer {
  const { type, serial, signature = '', body, autoStarts = false } = message;
  const content = new Writer();
  content.values(signature, body);
  const names = Object.keys(fieldCodes) as (keyof typeof fieldCodes)[];
  const fields = names.flatMap((name): [number, Variant][] => {
    const value = message[name];
    return value === undefined || value === '' ? [] : [[fieldCodes[name], variant(fieldTypes[name], value)]];
  });
  const header = new Writer();
  header.values('yyyyuua(yv)', [
    littleEndian,
    type,
    autoStarts ? 0 : noAutoStart,
    version,
    content.bytes().length,
    serial,
    fields,
  ]);
  header.align(8);
  return Buffer.concat([header.bytes(), content.bytes()]);
}

/** Returns the size of the message that begins with these bytes; undefined while too few have arrived. */
export function sizeOf(bytes: Buffer): number | undefined {
  if (bytes.length < fixedBytes) return undefined;
  const isLittle = isLittleEndian(bytes);
  const read = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const size = fixedBytes + Math.ceil(read(12) / 8) * 8 + read(4);
  if (size > maxMessageBytes) throw new DBusError('invalidMessage', `a message of ${size} bytes is too large`);
  return size;
}

/** `bytes` are those of one message. */
export function decode(bytes: Buffer): Message {
  const isLittle = isLittleEndian(bytes);
  const reader = new Reader(bytes, { isLittle });
  const [, type, , , , serial, list] = reader.values('yyyyuua(yv)');
  const byCode = new Map(list as [number, Variant][]);
  const names = Object.keys(fieldCodes) as (keyof typeof fieldCodes)[];
  const fields = Object.fromEntries(
    names.flatMap((name) => {
      const field = byCode.get(fieldCodes[name]);
      return field?.signature === fieldTypes[name] ? [[name, field.value]] : [];
    }),
  ) as Partial<Message>;
  reader.align(8);
  return { ...fields, type: Number(type), serial: Number(serial), body: reader.values(fields.signature ?? '') };
}

function isLittleEndian(bytes: Buffer): boolean {
  const [mark] = bytes;
  if (mark === littleEndian) return true;
  if (mark === bigEndian) return false;
  throw new DBusError('invalidMessage', 'a message has no byte order');
}
