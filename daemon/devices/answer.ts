import { oneLine } from './units.ts';

const maxText = 255;
const maxItems = 64;

/**
 * Reads a JSON answer of a device. Fields may be missing, have another type, or be spelled in another way by another
 * firmware (`up-time`, `up_time`, `upTime`): what cannot be read is undefined, and a missing object is an empty one.
 */
export class Answer {
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields;
  }

  /** Returns undefined unless the bytes are a JSON object. */
  static parse(bytes: Uint8Array): Answer | undefined {
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
      return isObject(value) ? new Answer(value) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Everything as the device sent it. */
  all(): Readonly<Record<string, unknown>> {
    return this.fields;
  }

  has(key: string): boolean {
    return this.raw(key) !== undefined;
  }

  /** Without spaces around it and control characters, and cut off at `max` characters; undefined for an empty text. */
  text(key: string, max = maxText): string | undefined {
    const value = this.raw(key);
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string') return undefined;
    return oneLine(text.trim().slice(0, max)) || undefined;
  }

  /** Also reads a number that is written as text. What a calculation could turn into infinity is undefined. */
  number(key: string): number | undefined {
    const value = this.raw(key);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
  }

  integer(key: string): number | undefined {
    const number = this.number(key);
    return Number.isSafeInteger(number) ? number : undefined;
  }

  /** Also reads 0, 1 and the words. */
  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    if (value === true || value === 1 || value === 'true' || value === '1') return true;
    if (value === false || value === 0 || value === 'false' || value === '0') return false;
    return undefined;
  }

  part(key: string): Answer {
    const value = this.raw(key);
    return new Answer(isObject(value) ? value : {});
  }

  /** The objects of a list, at most 64. */
  list(key: string): readonly Answer[] {
    return objectsOf(this.raw(key));
  }

  /** All lists of objects, where the key is not known; at most 64 of at most 64 objects. */
  lists(): readonly (readonly Answer[])[] {
    return Object.values(this.fields).filter(Array.isArray).slice(0, maxItems).map(objectsOf);
  }

  private raw(key: string): unknown {
    return (
      this.fields[key] ??
      this.fields[key.replaceAll('-', '_')] ??
      this.fields[key.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    );
  }
}

function objectsOf(value: unknown): readonly Answer[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, maxItems)
    .filter(isObject)
    .map((item) => new Answer(item));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
