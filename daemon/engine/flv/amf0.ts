/**
 * AMF0, the value encoding of RTMP commands and FLV metadata (Adobe AMF0 specification).
 * Untrusted input is decoded here, so depth, number of values and size are limited.
 */

import { asBuffer } from '../../lib/bytes.ts';

export type AmfValue = number | string | boolean | null | undefined | AmfValue[] | AmfObject;
export interface AmfObject {
  readonly [key: string]: AmfValue;
}

export class AmfError extends Error {
  override readonly name = 'AmfError';
}

/** Far above what encoders send; FLV files with a seek index come closest. */
export const amfLimits = { bytes: 64 << 10, depth: 16, values: 8192 } as const;

const marker = {
  number: 0,
  boolean: 1,
  string: 2,
  object: 3,
  null: 5,
  undefined: 6,
  reference: 7,
  ecmaArray: 8,
  objectEnd: 9,
  strictArray: 10,
  date: 11,
  longString: 12,
  unsupported: 13,
  xml: 15,
  typedObject: 16,
} as const;

/** Decodes all values up to the end of the bytes. Throws AmfError. */
export function decodeAmf(bytes: Uint8Array): AmfValue[] {
  if (bytes.length > amfLimits.bytes) throw new AmfError(`AMF of ${bytes.length} bytes (limit ${amfLimits.bytes})`);
  const reader = new AmfReader(bytes);
  const values: AmfValue[] = [];
  while (!reader.isAtEnd) values.push(reader.value(0));
  return values;
}

/** Returns the string at the beginning and where it ends, without decoding the rest; undefined if there is none. */
export function leadingAmfString(bytes: Uint8Array): { text: string; end: number } | undefined {
  if (bytes[0] !== marker.string || bytes.length < 3) return undefined;
  const end = 3 + (((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0));
  if (end > bytes.length) return undefined;
  return { text: asBuffer(bytes).toString('utf8', 3, end), end };
}

export function encodeAmf(...values: readonly AmfValue[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const value of values) encodeValue(parts, value, 0);
  return Buffer.concat(parts);
}

export function isAmfObject(value: AmfValue): value is AmfObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class AmfReader {
  private readonly bytes: Buffer;
  private offset = 0;
  private count = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = asBuffer(bytes);
  }

  get isAtEnd(): boolean {
    return this.offset >= this.bytes.length;
  }

  value(depth: number): AmfValue {
    if (depth > amfLimits.depth) throw new AmfError(`AMF nested deeper than ${amfLimits.depth}`);
    if (++this.count > amfLimits.values) throw new AmfError(`AMF with more than ${amfLimits.values} values`);
    const kind = this.bytes[this.need(1)];
    switch (kind) {
      case marker.number:
        return this.bytes.readDoubleBE(this.need(8));
      case marker.boolean:
        return this.bytes[this.need(1)] !== 0;
      case marker.string:
        return this.text(this.bytes.readUInt16BE(this.need(2)));
      case marker.longString:
      case marker.xml:
        return this.text(this.bytes.readUInt32BE(this.need(4)));
      case marker.null:
        return null;
      case marker.undefined:
      case marker.unsupported:
        return undefined;
      case marker.date:
        // The number, then a time zone of two bytes.
        return this.bytes.readDoubleBE(this.need(10));
      case marker.object:
        return this.object(depth);
      case marker.typedObject:
        this.text(this.bytes.readUInt16BE(this.need(2)));
        return this.object(depth);
      case marker.ecmaArray:
        // The count is only a hint, which encoders get wrong; the end marker is authoritative.
        this.need(4);
        return this.object(depth);
      case marker.strictArray:
        return this.array(depth);
      default:
        throw new AmfError(`unknown AMF marker ${kind}`);
    }
  }

  private need(bytes: number): number {
    const at = this.offset;
    if (bytes > this.bytes.length - at) throw new AmfError('AMF ends inside a value');
    this.offset = at + bytes;
    return at;
  }

  private text(length: number): string {
    const at = this.need(length);
    return this.bytes.toString('utf8', at, at + length);
  }

  private array(depth: number): AmfValue[] {
    const length = this.bytes.readUInt32BE(this.need(4));
    // Every value takes at least its marker byte.
    if (length > this.bytes.length - this.offset) throw new AmfError(`AMF array announces ${length} values`);
    const values: AmfValue[] = [];
    for (let i = 0; i < length; i++) values.push(this.value(depth + 1));
    return values;
  }

  private object(depth: number): AmfObject {
    // Without a prototype, a key such as __proto__ is an ordinary key.
    const object: Record<string, AmfValue> = Object.create(null);
    for (;;) {
      const key = this.text(this.bytes.readUInt16BE(this.need(2)));
      if (key === '' && this.bytes[this.offset] === marker.objectEnd) {
        this.offset++;
        return object;
      }
      object[key] = this.value(depth + 1);
    }
  }
}

function encodeValue(parts: Uint8Array[], value: AmfValue, depth: number): void {
  if (depth > amfLimits.depth) throw new AmfError(`AMF nested deeper than ${amfLimits.depth}`);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes.writeDoubleBE(value, 1);
    parts.push(bytes);
  } else if (typeof value === 'boolean') {
    parts.push(Uint8Array.of(marker.boolean, value ? 1 : 0));
  } else if (typeof value === 'string') {
    encodeString(parts, value);
  } else if (value === null || value === undefined) {
    parts.push(Uint8Array.of(value === null ? marker.null : marker.undefined));
  } else if (Array.isArray(value)) {
    parts.push(withLength(marker.strictArray, value.length));
    for (const item of value) encodeValue(parts, item, depth + 1);
  } else {
    parts.push(Uint8Array.of(marker.object));
    for (const [key, item] of Object.entries(value)) {
      const text = Buffer.from(key);
      parts.push(Uint8Array.of(text.length >> 8, text.length), text);
      encodeValue(parts, item, depth + 1);
    }
    parts.push(Uint8Array.of(0, 0, marker.objectEnd));
  }
}

function encodeString(parts: Uint8Array[], value: string): void {
  const text = Buffer.from(value);
  if (text.length > 0xffff) parts.push(withLength(marker.longString, text.length), text);
  else parts.push(Uint8Array.of(marker.string, text.length >> 8, text.length), text);
}

function withLength(kind: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(5);
  bytes[0] = kind;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}
