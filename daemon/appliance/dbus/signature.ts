/** Signatures of the D-Bus specification, such as `a{sa{sv}}`. */
import { DBusError } from './dbus-error.ts';

/** A complete type: its code, and the types that it contains. A dictionary entry has the code `{`, a structure `(`. */
export interface DBusType {
  readonly code: string;
  readonly items: readonly DBusType[];
}

/** Of the specification. */
const maxLength = 255;
const maxDepth = 32;
const basic = 'ybnqiuxtdsogv';
/** Signatures are few; the bound only protects against a peer that invents them. */
const maxKept = 256;
const kept = new Map<string, readonly DBusType[]>();

/** Returns the types of a signature. Throws DBusError if it has none of the forms that the specification allows. */
export function typesOf(signature: string): readonly DBusType[] {
  const known = kept.get(signature);
  if (known) return known;
  if (signature.length > maxLength) throw invalid(signature);
  const types: DBusType[] = [];
  let at = 0;
  while (at < signature.length) {
    const { type, end } = typeAt(signature, at, 0);
    types.push(type);
    at = end;
  }
  if (kept.size < maxKept) kept.set(signature, types);
  return types;
}

/** Returns the only type of a signature. */
export function typeOf(signature: string): DBusType {
  const [type, ...others] = typesOf(signature);
  if (type === undefined || others.length > 0) throw invalid(signature);
  return type;
}

function typeAt(text: string, at: number, depth: number): { readonly type: DBusType; readonly end: number } {
  const code = text[at] ?? '';
  if (depth > maxDepth) throw invalid(text);
  if (code !== '' && basic.includes(code)) return { type: { code, items: [] }, end: at + 1 };
  if (code === 'a') {
    const isEntry = text[at + 1] === '{';
    const { type, end } = isEntry ? groupAt(text, at + 1, depth + 1) : typeAt(text, at + 1, depth + 1);
    return { type: { code, items: [type] }, end };
  }
  if (code === '(') return groupAt(text, at, depth + 1);
  throw invalid(text);
}

function groupAt(text: string, start: number, depth: number): { readonly type: DBusType; readonly end: number } {
  const isEntry = text[start] === '{';
  const close = isEntry ? '}' : ')';
  const items: DBusType[] = [];
  let at = start + 1;
  while (text[at] !== close) {
    const { type, end } = typeAt(text, at, depth);
    items.push(type);
    at = end;
  }
  const [key] = items;
  const isRight = isEntry ? items.length === 2 && key !== undefined && isKey(key) : items.length > 0;
  if (!isRight) throw invalid(text);
  return { type: { code: isEntry ? '{' : '(', items }, end: at + 1 };
}

const isKey = ({ code }: DBusType) => code !== 'v' && basic.includes(code);

function invalid(signature: string): DBusError {
  return new DBusError('invalidMessage', `'${signature.slice(0, maxLength)}' is not a signature`);
}
