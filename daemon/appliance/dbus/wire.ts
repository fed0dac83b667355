/**
 * Values of the D-Bus wire format. Numbers of all widths are numbers, arrays are arrays, dictionaries are objects by key,
 * structures are arrays, and a variant is `{ signature, value }`, so that what was read can be sent back. All of it is
 * JSON.
 */
import { DBusError } from './dbus-error.ts';
import { type DBusType, typeOf, typesOf } from './signature.ts';

export type DBusValue = string | number | boolean | readonly DBusValue[] | DBusDictionary | Variant;
export interface DBusDictionary {
  readonly [key: string]: DBusValue;
}
export interface Variant {
  readonly signature: string;
  readonly value: DBusValue;
}

interface BasicTypes extends Readonly<Record<'s' | 'o' | 'g', string>>, Readonly<Record<'y' | 'n' | 'q', number>> {
  readonly b: boolean;
  readonly i: number;
  readonly u: number;
  readonly x: number;
  readonly t: number;
  readonly d: number;
  readonly v: Variant;
}
/** The values of a signature that is known to the compiler, such as `a{sv}`: objects whose members are variants. */
export type ValueOf<Signature extends string> = Signature extends keyof BasicTypes
  ? BasicTypes[Signature]
  : Signature extends `a{s${infer Value}}`
    ? Readonly<Record<string, ValueOf<Value>>>
    : Signature extends `a${infer Item}`
      ? readonly ValueOf<Item>[]
      : DBusValue;

/** The compiler compares the value with the signature. */
export function variant<const Signature extends string>(
  signature: Signature,
  value: ValueOf<Signature> & DBusValue,
): Variant {
  return { signature, value };
}

/** Returns a value that was read as what its signature says. Throws DBusError for a value of another one. */
export function valueAs<const Signature extends string>(
  signature: Signature,
  value: DBusValue | undefined,
): ValueOf<Signature> {
  if (value === undefined || !isOf(typeOf(signature), value)) {
    throw new DBusError('invalidMessage', `a value is not of the type '${signature}'`);
  }
  return value as ValueOf<Signature>;
}

function isOf({ code, items }: DBusType, value: DBusValue): boolean {
  const [item] = items;
  if (code === 'b') return typeof value === 'boolean';
  if (code in numbers) return typeof value === 'number';
  if (typeof value !== 'object') return ['s', 'o', 'g'].includes(code) && typeof value === 'string';
  if (code === 'v') return isVariant(value);
  if (code === '(') return Array.isArray(value) && items.every((one, at) => isOf(one, value[at]));
  if (code !== 'a' || item === undefined) return false;
  if (item.code !== '{') return Array.isArray(value) && value.every((one) => isOf(item, one));
  const [, ofValue] = item.items;
  return ofValue !== undefined && !Array.isArray(value) && Object.values(value).every((one) => isOf(ofValue, one));
}

/** The value of a variant without the signature, at every depth. */
export function plain(value: DBusValue | undefined): unknown {
  if (value === undefined || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plain);
  if (isVariant(value)) return plain(value.value);
  return Object.fromEntries(Object.entries(value as DBusDictionary).map(([key, one]) => [key, plain(one)]));
}

function isVariant(value: object): value is Variant {
  return 'signature' in value && 'value' in value && typeof value.signature === 'string';
}

const alignments: Readonly<Record<string, number>> = {
  ...{ y: 1, g: 1, v: 1, n: 2, q: 2, b: 4, i: 4, u: 4, s: 4, o: 4, a: 4, x: 8, t: 8, d: 8, '(': 8, '{': 8 },
};
const alignmentOf = ({ code }: DBusType) => alignments[code] ?? 1;

type WriteNumber = (bytes: Buffer, value: number, at: number) => unknown;
/** How numbers are written in little-endian order. */
const numbers: Readonly<Record<string, { readonly width: number; readonly into: WriteNumber }>> = {
  y: { width: 1, into: (bytes, value, at) => bytes.writeUInt8(value, at) },
  b: { width: 4, into: (bytes, value, at) => bytes.writeUInt32LE(value ? 1 : 0, at) },
  n: { width: 2, into: (bytes, value, at) => bytes.writeInt16LE(value, at) },
  q: { width: 2, into: (bytes, value, at) => bytes.writeUInt16LE(value, at) },
  i: { width: 4, into: (bytes, value, at) => bytes.writeInt32LE(value, at) },
  u: { width: 4, into: (bytes, value, at) => bytes.writeUInt32LE(value, at) },
  x: { width: 8, into: (bytes, value, at) => bytes.writeBigInt64LE(BigInt(value), at) },
  t: { width: 8, into: (bytes, value, at) => bytes.writeBigUInt64LE(BigInt(value), at) },
  d: { width: 8, into: (bytes, value, at) => bytes.writeDoubleLE(value, at) },
};

/** Appends values in little-endian order. */
export class Writer {
  #bytes = Buffer.alloc(256);
  #size = 0;

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  align(to: number): void {
    this.#room((to - (this.#size % to)) % to);
  }

  values(signature: string, values: readonly DBusValue[]): void {
    const types = typesOf(signature);
    if (types.length !== values.length) throw new TypeError(`'${signature}' is not for ${values.length} values`);
    for (const [at, type] of types.entries()) this.#value(type, values[at] as DBusValue);
  }

  #value(type: DBusType, value: DBusValue): void {
    this.align(alignmentOf(type));
    const write = numbers[type.code];
    if (write) {
      const at = this.#room(write.width);
      write.into(this.#bytes, Number(value), at);
    } else if (type.code === 's' || type.code === 'o') this.#text(String(value), 4);
    else if (type.code === 'g') this.#text(String(value), 1);
    else if (type.code === 'a') this.#array(type.items[0] as DBusType, value);
    else if (type.code === 'v') {
      const { signature, value: inner } = value as Variant;
      this.#text(signature, 1);
      this.#value(typeOf(signature), inner);
    } else {
      for (const [at, item] of type.items.entries())
        this.#value(item, (value as readonly DBusValue[])[at] as DBusValue);
    }
  }

  #array(item: DBusType, value: DBusValue): void {
    const lengthAt = this.#room(4);
    this.align(alignmentOf(item));
    const start = this.#size;
    const items = item.code === '{' ? Object.entries(value as DBusDictionary) : (value as readonly DBusValue[]);
    for (const one of items) this.#value(item, one as DBusValue);
    this.#bytes.writeUInt32LE(this.#size - start, lengthAt);
  }

  /** A length of `width` bytes, the text, and a zero byte. */
  #text(text: string, width: 1 | 4): void {
    const length = Buffer.byteLength(text);
    const at = this.#room(width + length + 1);
    if (width === 4) this.#bytes.writeUInt32LE(length, at);
    else this.#bytes.writeUInt8(length, at);
    this.#bytes.write(text, at + width);
  }

  /** Returns where the next `count` bytes, which are zero, begin. They may be in other memory than before. */
  #room(count: number): number {
    const at = this.#size;
    this.#size += count;
    if (this.#size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(this.#size, 2 * this.#bytes.length));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    return at;
  }
}

const maxDepth = 64;

/** Reads values. Throws DBusError for anything that the specification does not allow, or that exceeds the bytes. */
export class Reader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #isLittle: boolean;
  #at: number;

  constructor(bytes: Buffer, { isLittle, at = 0 }: { readonly isLittle: boolean; readonly at?: number }) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#isLittle = isLittle;
    this.#at = at;
  }

  values(signature: string): DBusValue[] {
    return typesOf(signature).map((type) => this.#value(type, 0));
  }

  /** Where the next value begins, once aligned. */
  align(to: number): number {
    return this.#take(0, to);
  }

  #value(type: DBusType, depth: number): DBusValue {
    if (depth > maxDepth) throw malformed('is nested too deeply');
    const [view, isLittle] = [this.#view, this.#isLittle];
    switch (type.code) {
      case 'y':
        return view.getUint8(this.#take(1));
      case 'b':
        return view.getUint32(this.#take(4, 4), isLittle) !== 0;
      case 'n':
        return view.getInt16(this.#take(2, 2), isLittle);
      case 'q':
        return view.getUint16(this.#take(2, 2), isLittle);
      case 'i':
        return view.getInt32(this.#take(4, 4), isLittle);
      case 'u':
        return view.getUint32(this.#take(4, 4), isLittle);
      case 'x':
        return Number(view.getBigInt64(this.#take(8, 8), isLittle));
      case 't':
        return Number(view.getBigUint64(this.#take(8, 8), isLittle));
      case 'd':
        return view.getFloat64(this.#take(8, 8), isLittle);
      case 's':
      case 'o':
        return this.#text(view.getUint32(this.#take(4, 4), isLittle));
      case 'g':
        return this.#text(view.getUint8(this.#take(1)));
      case 'v': {
        const signature = this.#text(view.getUint8(this.#take(1)));
        return { signature, value: this.#value(typeOf(signature), depth + 1) };
      }
      case 'a':
        return this.#array(type.items[0] as DBusType, depth);
      default:
        this.align(8);
        return type.items.map((item) => this.#value(item, depth + 1));
    }
  }

  #array(item: DBusType, depth: number): DBusValue {
    const length = this.#view.getUint32(this.#take(4, 4), this.#isLittle);
    const end = this.align(alignmentOf(item)) + length;
    if (end > this.#bytes.length) throw malformed('ends within an array');
    const items: DBusValue[] = [];
    while (this.#at < end) items.push(this.#value(item, depth + 1));
    if (this.#at !== end) throw malformed('has an array of another length');
    if (item.code !== '{') return items;
    // Not Object.fromEntries: a key may be `__proto__`.
    const dictionary: Record<string, DBusValue> = Object.create(null);
    for (const [key, value] of items as [DBusValue, DBusValue][]) dictionary[String(key)] = value;
    return dictionary;
  }

  #text(length: number): string {
    const at = this.#take(length + 1);
    return this.#bytes.toString('utf8', at, at + length);
  }

  #take(count: number, alignment = 1): number {
    const at = Math.ceil(this.#at / alignment) * alignment;
    if (at + count > this.#bytes.length) throw malformed('ends within a value');
    this.#at = at + count;
    return at;
  }
}

function malformed(what: string): DBusError {
  return new DBusError('invalidMessage', `a message ${what}`);
}
