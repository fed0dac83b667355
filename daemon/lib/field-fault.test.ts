import { expect, test } from 'bun:test';
import * as z from 'zod/mini';
import { Host, KeyLength, Latency, OptionalBuffer, Passphrase, SourceName, StreamKey } from '../contract/rules.ts';
import { GroupName } from '../contract/user-fields.ts';
import { fieldFault } from './field-fault.ts';

function faultOf(path: string, schema: z.ZodMiniType, value: unknown) {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  const rule = issue?.code === 'invalid_union' ? 'choice' : (issue?.message ?? 'accepted');
  const { message, params } = fieldFault(path, rule, { issue: issue ?? {}, value });
  return [message, params];
}

test.each<[string, z.ZodMiniType, unknown, string, object]>([
  ['latency', Latency, 5, '5 is out of range: at least 20', { value: 5, min: 20 }],
  ['buffer', OptionalBuffer, 3000, '3000 is out of range: 1 to 2000, or 0', { value: 3000, min: 1, max: 2000, or: 0 }],
  ['pb-key-len', KeyLength, 8, '8 is not one of the values; allowed: 0, 16, 24, 32', { allowed: '0, 16, 24, 32' }],
  ['host', Host, 'a b', 'neither an IP address nor a host name', {}],
  [
    'id',
    z.array(z.int()).check(z.maxLength(1000, 'tooLong')),
    Array(1001).fill(1),
    'too long: at most 1000 entries',
    { max: 1000 },
  ],
  ['name', SourceName, 'a'.repeat(64), 'too long: at most 63 characters, where ^ and each', { max: 63, wide: 3 }],
])('%s says what was sent and what is allowed', (path, schema, value, text, params) => {
  const [message, facts] = faultOf(path, schema, value);
  expect(message).toStartWith(`${path}: ${text}`);
  expect(facts ?? {}).toMatchObject(params);
});

test.each<[z.ZodMiniType, string, string]>([
  [SourceName, 'a&b', '&'],
  [SourceName, 'a\u202eb', 'U+202E'],
  [SourceName, 'a\tb', 'U+0009'],
  [GroupName, 'a\u0007b', 'U+0007'],
])('a character that is not allowed is named: %#', (schema, text, shown) => {
  const [message, facts] = faultOf('name', schema, text);
  expect(message).toStartWith(`name: '${shown}' is not allowed`);
  expect(facts).toMatchObject({ value: shown });
});

test('a text is not repeated, because it may be a secret in the wrong member', () => {
  const wrong = fieldFault('group-id', 'number', { issue: {}, value: 'hidden-word' });
  expect(wrong).toEqual({ path: 'group-id', rule: 'number', message: 'group-id: not a whole number' });
});

test('of a key only the character is named, and of other secrets nothing', () => {
  const allowed = 'A-Z a-z 0-9 . _ ~ - [ ] ( ) + @';
  expect(faultOf('config.push-key', StreamKey, 'hidden/word')).toEqual([
    `config.push-key: '/' is not allowed; allowed: ${allowed}`,
    { value: '/', allowed },
  ]);
  expect(faultOf('srt.passphrase', Passphrase, 'hidden')).toEqual([
    'srt.passphrase: too short: at least 10 characters',
    { min: 10 },
  ]);
  for (const path of ['password', 'old-passwd', 'config.url', 'srt.stream-id', 'token', 'code-value', 'main-key']) {
    expect(JSON.stringify(fieldFault(path, 'type', { issue: {}, value: 'hidden-word' }))).not.toContain('hidden');
    expect(JSON.stringify(fieldFault(path, 'type', { issue: {}, value: 4711 }))).not.toContain('4711');
  }
});
