/** Reads and writes the text of a settings file. Nothing in it is trusted before `readDocument` has returned. */
import { timingSafeEqual } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { SettingsDocument } from '../../contract/settings-file.ts';
import { HubError } from '../../lib/hub-error.ts';

export const fileFormat = 'signalbox-settings';
/** A hub reads files of this version and older ones. */
export const formatVersion = 1;
export const product = 'signalbox';

/** Depth of members around a section: document, sections, list, object. */
const outerDepth = 4;
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type Unsummed = Omit<SettingsDocument, 'checksum'>;

export function withChecksum(document: Unsummed): SettingsDocument {
  return { ...document, checksum: checksumOf(document) };
}

/** Throws HubError for a file that this hub cannot use, with a word for the console. */
export function readDocument(text: string): SettingsDocument {
  if (Buffer.byteLength(text) > limits.settingsFile.maxBytes) {
    throw new HubError('tooLarge', `a settings file has at most ${limits.settingsFile.maxBytes} bytes`);
  }
  const json = parse(text);
  const { format, product: of, 'format-version': version } = json;
  if (format !== fileFormat || typeof of !== 'string' || !Number.isInteger(version)) {
    throw refusal('formatError', 'notSettings', 'this is not a settings file');
  }
  if (of !== product) throw refusal('mismatch', 'otherProduct', `the file is of another product: ${of.slice(0, 64)}`);
  if (Number(version) > formatVersion) {
    const message = `the file has format version ${version}; this hub reads up to ${formatVersion}: upgrade it first`;
    throw refusal('unsupported', 'newerFormat', message);
  }
  const checked = SettingsDocument.safeParse(json);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw refusal('formatError', 'damaged', `the file is damaged at ${issue?.path.map(String).join('.')}`);
  }
  const { checksum } = checked.data;
  // Over everything in the file, also what this version does not know.
  if (checksum !== undefined && !isSame(checksum, checksumOf(json))) {
    const message = 'the checksum does not match: the file was damaged or edited; remove the checksum if you edited it';
    throw refusal('verifyFailed', 'checksum', message);
  }
  return checked.data;
}

function parse(text: string): Record<string, unknown> {
  let json: unknown;
  try {
    refuseDepth(text);
    json = JSON.parse(text, (name, value) => {
      if (forbidden.has(name)) throw new SyntaxError(`a member has the name ${name}`);
      return value;
    });
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw refusal('formatError', 'damaged', 'the file is cut off or damaged: it is not JSON');
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw refusal('formatError', 'notSettings', 'this is not a settings file');
  }
  return json as Record<string, unknown>;
}

/** Before it is parsed: brackets outside of strings are counted. */
function refuseDepth(text: string): void {
  let [depth, isText] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (isText) {
      if (sign === 0x5c) at++;
      else if (sign === 0x22) isText = false;
    } else if (sign === 0x22) isText = true;
    else if (sign === 0x7b || sign === 0x5b) depth++;
    else if (sign === 0x7d || sign === 0x5d) depth--;
    if (depth > limits.settingsFile.depth + outerDepth) {
      throw refusal('formatError', 'tooDeep', 'the file is nested too deeply');
    }
  }
}

function checksumOf({ checksum: _, ...document }: Readonly<Record<string, unknown>>): string {
  return new Bun.CryptoHasher('sha256').update(canonical(document)).digest('hex');
}

/** JSON without spaces, with the members of each object in the order of their names. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

export function refusal(
  result: 'formatError' | 'mismatch' | 'unsupported' | 'verifyFailed' | 'authFailed',
  rule: string,
  message: string,
): HubError {
  return new HubError(result, message, { fields: [{ path: 'file', rule, message }] });
}
