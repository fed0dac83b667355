/** Structs and strings that the library reads. They must stay referenced as long as the library may read them. */
import { CString, type Pointer, ptr, read } from 'bun:ffi';
import { type Layout, layouts } from './layout.ts';

/** An address outside of the JavaScript heap. */
export type Address = Pointer | bigint;

/**
 * The ArrayBuffer comes first: a small typed array made without one moves when its `buffer` is first used, and a
 * pointer into it then dangles.
 */
const memoryOf = (bytes: number): Uint8Array<ArrayBuffer> => new Uint8Array(new ArrayBuffer(bytes));

/** Returns NUL-terminated UTF-8. Throws if the text contains a NUL. */
function terminated(text: string): Uint8Array<ArrayBuffer> {
  if (text.includes('\0')) throw new RangeError('a text for the NDI library contains a NUL');
  const bytes = new TextEncoder().encode(text);
  const memory = memoryOf(bytes.length + 1);
  memory.set(bytes);
  return memory;
}

type FieldsOf<Of extends Layout, Type> = {
  [Name in keyof Of['fields']]: Of['fields'][Name]['type'] extends Type ? Name : never;
}[keyof Of['fields']] &
  string;

/** One struct, with the strings and buffers that its pointers refer to. Its bytes are 0 until they are set. */
export class Struct<Of extends Layout> {
  readonly #layout: Of;
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  readonly #held = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(layout: Of) {
    this.#layout = layout;
    this.#memory = memoryOf(layout.bytes);
    this.#view = new DataView(this.#memory.buffer);
  }

  /** For an argument of a call during which this object stays referenced. */
  get memory(): Uint8Array<ArrayBuffer> {
    return this.#memory;
  }

  text(field: FieldsOf<Of, 'pointer'>, text: string | null): this {
    return this.bytes(field, text === null ? null : terminated(text));
  }

  /** `bytes` must be a whole ArrayBuffer's, not a part of one. */
  bytes(field: FieldsOf<Of, 'pointer'>, bytes: Uint8Array<ArrayBuffer> | null): this {
    if (bytes) this.#held.set(field, bytes);
    else this.#held.delete(field);
    this.#view.setBigUint64(this.#at(field), bytes ? BigInt(ptr(bytes)) : 0n, true);
    return this;
  }

  flag(field: FieldsOf<Of, 'bool'>, value: boolean): this {
    this.#view.setUint8(this.#at(field), value ? 1 : 0);
    return this;
  }

  number(field: FieldsOf<Of, 'i32'>, value: number): this {
    this.#view.setInt32(this.#at(field), value, true);
    return this;
  }

  long(field: FieldsOf<Of, 'i64'>, value: bigint): this {
    this.#view.setBigInt64(this.#at(field), value, true);
    return this;
  }

  readFloat(field: FieldsOf<Of, 'f32'>): number {
    return this.#view.getFloat32(this.#at(field), true);
  }

  readLong(field: FieldsOf<Of, 'i64'>): bigint {
    return this.#view.getBigInt64(this.#at(field), true);
  }

  readNumber(field: FieldsOf<Of, 'i32'>): number {
    return this.#view.getInt32(this.#at(field), true);
  }

  /** A pointer that the library wrote; null if there is none. */
  readPointer(field: FieldsOf<Of, 'pointer'>): Address | null {
    return (Number(this.#view.getBigUint64(this.#at(field), true)) as Pointer | 0) || null;
  }

  #at(field: string): number {
    const found = this.#layout.fields[field];
    if (!found) throw new RangeError(`the struct has no field ${field}`);
    return found.at;
  }
}

/** A source to connect to or to route, by its name alone: the runtime finds its address, even if it appears later. */
export function sourceNamed(name: string): Struct<typeof layouts.source> {
  return new Struct(layouts.source).text('name', name);
}

/** Copies a string at a pointer that the library wrote at `struct + at`; '' if that is null. */
export function copyText(struct: Address, at: number): string {
  const text = read.ptr(struct, at) as Pointer | 0;
  // CString is a string object; the template copies it into a primitive.
  return text === 0 ? '' : `${new CString(text)}`;
}
