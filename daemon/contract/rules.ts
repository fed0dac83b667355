/**
 * Field rules of the specification, section 5, as schemas. The message of each rule is a stable word
 * (`required`, `tooLong`, ...) that the console translates; users never see it untranslated.
 */
import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { oneLine } from './one-line.ts';

/** Length as devices count it: three for a caret or a character above code 127. */
export function countedLength(text: string): number {
  let length = 0;
  for (const char of text) length += (char.codePointAt(0) ?? 0) > 127 || char === '^' ? 3 : 1;
  return length;
}

/**
 * A rule that is a function, in words for the API description, which cannot show the function itself. Where JSON Schema
 * has keywords for it, `z.meta` takes those.
 */
export const inWords = (rule: string) => z.meta({ rule });

/** A number with a fixed meaning in a response; the API description lists them. */
export const coded = (codes: Readonly<Record<string, number>>) =>
  z.int('number').check(z.meta({ enum: Object.values(codes), rule: `${listed(codes)}.` }));
/** A mask of bits in a response. */
export const masked = (bits: Readonly<Record<string, number>>) =>
  z.int('number').check(inWords(`Bits: ${listed(bits)}.`));
const listed = (codes: Readonly<Record<string, number>>) =>
  Object.entries(codes)
    .map(([name, code]) => `${code} ${name}`)
    .join(', ');

const noOuterSpace = (text: string): boolean => text === text.trim();

function countedText(range: { min: number; max: number }, pattern: RegExp) {
  return z.string().check(...countedChecks(range, pattern), z.meta({ rule: 'No space at either end.' }));
}

function countedChecks(range: { min: number; max: number }, pattern: RegExp): z.core.$ZodCheck<string>[] {
  return [
    z.refine((text) => countedLength(text) >= range.min, 'required'),
    z.refine((text) => countedLength(text) <= range.max, { error: 'tooLong', params: { max: range.max, wide: 3 } }),
    z.refine(noOuterSpace, 'outerSpace'),
    z.regex(pattern, 'characters'),
    z.meta({ minLength: range.min, maxLength: range.max }),
  ];
}

export const visible = /^[^\p{Default_Ignorable_Code_Point}]*$/u;
/** More than any composed text may have, whatever the number of its parts. */
const longestComposed = 4096;
/**
 * Returns the composed form (NFC), and a text that is too long in any form as it is: the time to compose grows with the
 * square of the number of combining marks, and those in one request could take half a minute.
 */
function compose(text: string): string {
  return text.length > longestComposed ? text : text.normalize('NFC');
}
/** Stores the composed form, so that a name has one spelling. */
export const composed = z.overwrite<string>(compose);
/** A name in any script. Invisible characters would make two names look alike. */
const nameText = (pattern: RegExp, signs: string) =>
  z
    .string()
    .check(
      ...[composed, z.regex(visible, 'characters'), ...countedChecks(limits.name, pattern)],
      inWords(
        `Letters and digits of any script, spaces, and ${signs}. A character beyond ASCII counts as 3. No space at either end.`,
      ),
    );

/** Name of the hub; empty for the host name of its machine. */
export const HubName = z.string().check(
  composed,
  z.regex(visible, 'characters'),
  z.regex(oneLine, 'characters'),
  z.refine((text) => countedLength(text) <= limits.name.max, {
    ...{ error: 'tooLong', params: { max: limits.name.max, wide: 3 } },
  }),
  z.refine(noOuterSpace, 'outerSpace'),
  z.meta({
    maxLength: limits.name.max,
    rule: 'No control characters. A character beyond ASCII counts as 3. No space at either end.',
  }),
);
/** Name of a channel. */
export const ChannelName = nameText(/^[\p{L}\p{Mn}\p{Mc}\p{Nd} ._\-+'[\]()#]*$/u, ". _ - + ' [ ] ( ) #");
/** Name of an input, an output, a server or a preset. */
export const SourceName = nameText(/^[\p{L}\p{Mn}\p{Mc}\p{Nd} _\-#()]*$/u, '_ - # ( )');
/** A stream key. Characters that would break a URL path or a stream ID are refused. */
export const StreamKey = countedText(limits.key, /^[A-Za-z0-9._~\-[\]()+@]*$/);
/** A new stream key of a channel, long enough to resist guessing. An existing one may be shorter. */
export const NewStreamKey = StreamKey.check(z.minLength(limits.newKeyMin, 'shortKey'));

/** The revision that a change is based on; 1004 if another user was faster. If absent, the last change wins. */
export const Revision = z.optional(z.int('number'));
/** Response to a change: the new revision. */
export const Revised = z.object({
  /** The new revision. */
  revision: z.int(),
});

/** The object that a new one is a copy of. */
export const CopyOf = z.optional(z.int('number'));
/** Checks of the body of a call that adds an input or output. */
export const hasConfigOrOriginal = [
  z.refine<{ readonly config?: unknown; readonly 'copy-of'?: number | undefined }>(
    (body) => body.config !== undefined || body['copy-of'] !== undefined,
    { path: ['config'], error: 'required' },
  ),
  z.meta({ anyOf: [{ required: ['config'] }, { required: ['copy-of'] }] }),
];

export const UserName = z
  .string()
  .check(
    z.minLength(1, 'required'),
    z.minLength(limits.userName.min, 'tooShort'),
    z.maxLength(limits.userName.max, 'tooLong'),
    z.regex(/^[A-Za-z0-9_]*$/, 'characters'),
  );
/** Counts Unicode characters in composed form (NFC), which is also the form that the hub hashes. */
export function passwordLength(password: string): number {
  return [...compose(password)].length;
}
const atMost = z.refine<string>((password) => passwordLength(password) <= limits.password.max, {
  ...{ error: 'tooLong', params: { max: limits.password.max } },
});
/** A password in use, of any age. */
export const PresentPassword = z
  .string()
  .check(z.minLength(1, 'required'), atMost, z.meta({ maxLength: limits.password.max }));
/** A new password. Its strength is checked by password-demands.ts. */
export const Password = z.string().check(
  z.minLength(1, 'required'),
  atMost,
  z.regex(/^[^\p{Cc}]*$/u, 'characters'),
  z.refine(noOuterSpace, 'outerSpace'),
  z.meta({
    ...{ minLength: limits.password.min, maxLength: limits.password.max },
    rule: 'No space at either end. The settings may demand more (`pwd-rule`), and common passwords are refused.',
  }),
);
/** MD5 of a password: 32 hexadecimal digits. */
export const PasswordMd5 = z.string().check(z.regex(/^[0-9a-fA-F]{32}$/, 'md5'));

export const whole = (range: { min: number; max: number }) =>
  z.int('number').check(z.gte(range.min, 'range'), z.lte(range.max, 'range'));
export const Port = whole(limits.port);
export const Latency = whole(limits.latency);
/** Milliseconds. */
export const BufferDuration = whole(limits.bufferDuration);
export const orZero = (range: { min: number; max: number }) =>
  z.int('number').check(
    z.refine((n) => n === 0 || (n >= range.min && n <= range.max), {
      error: 'range',
      params: { min: range.min, max: range.max, or: 0 },
    }),
    z.meta({ anyOf: [{ const: 0 }, { minimum: range.min, maximum: range.max }] }),
  );
/** Like `BufferDuration`, but 0 disables buffering. */
export const OptionalBuffer = orZero(limits.bufferDuration);
export const BandwidthOverhead = orZero(limits.bandwidthOverhead);
export const MaxConnections = whole(limits.maxConnections);
export const Ttl = whole(limits.ttl);
export const Program = whole(limits.program);
export const AudioTrack = whole(limits.audioTrack);
export const StreamId = z.string().check(z.maxLength(limits.streamId.max, 'tooLong'));
export const Passphrase = z
  .string()
  .check(z.minLength(limits.passphrase.min, 'tooShort'), z.maxLength(limits.passphrase.max, 'tooLong'));
/** AES key length in bytes; 0 is no encryption. */
export const KeyLength = z.union([z.literal(0), z.literal(16), z.literal(24), z.literal(32)]);

const hostLabel = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const maxHostCharacters = 253;
const domain = new RegExp(`^${hostLabel}(?:\\.${hostLabel})*$`);
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const ipv6 = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/;

export function isIpv4(text: string): boolean {
  return ipv4.test(text);
}
/** Refuses four decimal numbers that are not an address, rather than looking them up as a name. */
export function isHost(text: string): boolean {
  if (text.length > maxHostCharacters) return false;
  if (/^[\d.]+$/.test(text)) return isIpv4(text);
  return domain.test(text) || (text.includes(':') && ipv6.test(text));
}
export function isIp(text: string): boolean {
  return isIpv4(text) || (text.includes(':') && ipv6.test(text));
}
/** IPv4 and IPv6. */
export function isMulticast(text: string): boolean {
  const first = Number(text.split('.')[0]);
  return isIpv4(text) ? first >= 224 && first <= 239 : isIp(text) && /^ff/i.test(text);
}
export const IpAddress = z.string().check(z.minLength(1, 'required'), z.refine(isIp, 'ip'), inWords('IPv4 or IPv6.'));
/** One bits followed by zero bits. */
export function isSubnetMask(text: string): boolean {
  if (!isIpv4(text)) return false;
  const bits = text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const hosts = 2 ** 32 - bits;
  return bits > 0 && Number.isInteger(Math.log2(hosts));
}
export const SubnetMask = z.string().check(z.refine(isSubnetMask, 'mask'), inWords('A subnet mask of IPv4.'));
export const Host = z
  .string()
  .check(z.minLength(1, 'required'), z.refine(isHost, 'host'), inWords('An IPv4 or IPv6 address, or a name.'));

// An integer of a query, where numbers arrive as text.
export const IntText = z.coerce.number().check(z.int('number'));
// From 0.
export const Natural = IntText.check(z.gte(0, 'range'));
/** The maximum number of rows to return; more than a page holds is the same as a full page. */
export const PageCount = z.optional(
  z.coerce.number().check(
    z.gte(1, 'range'),
    z.overwrite((count) => Math.min(Math.floor(count), limits.page.max)),
    z.meta({ type: 'integer' }),
  ),
);
/** `?start=&count=` of every list. */
export const Paging = {
  /** Position of the first row to return, from 0. */
  start: z.optional(Natural),
  count: PageCount,
};
/** Query of a sorted, filtered list. Only `sort=name` exists; by default the list is in order of creation. */
export const Sorting = {
  /** Part of the name; the list is then not sorted. */
  key: z.optional(z.string().check(composed, z.maxLength(limits.name.max, 'tooLong'))),
  /** By default the list is in order of creation. */
  sort: z.optional(z.literal('name')),
  /** Only with `sort`. */
  order: z.optional(z.enum(['ascending', 'descending'])),
};
/** A page of a list; `total` counts all matches. */
export const listOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({
    /** Position of the first row, from 0. */
    start: z.int(),
    /** Number of all matches. */
    total: z.int(),
    list: z.array(item),
  });
/** One id or several. */
export const Ids = z.union([
  z.int('number'),
  z.array(z.int('number')).check(z.minLength(1, 'required'), z.maxLength(1000, 'tooLong')),
]);

/** Older clients name an object instead of giving its id. */
export const idOrName = z.refine<{ readonly id?: number | undefined; readonly name?: string | undefined }>(
  ({ id, name }) => id !== undefined || name !== undefined,
  { path: ['id'], error: 'required' },
);
/** A change of a named object; absent members stay unchanged. Without an id, the name finds the object. */
export const changeOf = <T extends z.ZodMiniType>(config: T) =>
  z
    .object({
      id: z.optional(z.int('number')),
      name: z.optional(SourceName),
      config: z.optional(config),
      revision: Revision,
    })
    .check(idOrName, inWords('`id` or `name` is required.'));

/** Default language of the console; `auto` follows the browser. */
export const Language = z.enum(['auto', 'en', 'zh'], 'choice');
export type Language = z.infer<typeof Language>;
