import { expect, test } from 'bun:test';
import { limits } from './limits.ts';
import { ChannelName, PageCount, PresentPassword, passwordLength, SourceName, StreamKey } from './rules.ts';
import { GroupName } from './user-fields.ts';

test('a larger count than a page holds is a full page', () => {
  expect(PageCount.parse('20')).toBe(20);
  expect(PageCount.parse('1000000')).toBe(limits.page.max);
  expect(PageCount.parse('2.5')).toBe(2);
  expect(PageCount.safeParse('0').success).toBe(false);
  // Lists of objects are whole without a count, so a page must hold the longest of them.
  expect(limits.page.max).toBeGreaterThanOrEqual(Math.max(limits.channels, limits.inputs, limits.outputs));
});

test.each(['Übertragung Süd', '第一演播室', 'Студия 2', 'スタジオ', 'สตูดิโอ', 'हिन्दी', 'الاستوديو ٣', '𠮷野家'])(
  'a name may have letters of any script: %s',
  (name) => {
    for (const schema of [ChannelName, SourceName, GroupName]) expect(schema.parse(name)).toBe(name.normalize('NFC'));
  },
);

test('a name has one spelling: the composed one', () => {
  const decomposed = 'Su\u0308d';
  for (const schema of [ChannelName, SourceName, GroupName]) expect(schema.parse(decomposed)).toBe('S\u00fcd');
});

test('texts too long for any rule are refused without the time that composing them would take', () => {
  const marks = '\u0315\u0300'.repeat(50_000);
  const started = performance.now();
  for (const schema of [ChannelName, SourceName, GroupName, PresentPassword]) {
    expect(schema.safeParse(marks).error?.issues[0]?.message).toMatch(/tooLong|characters/);
  }
  expect(passwordLength('e\u0301'.repeat(128))).toBe(128);
  expect(performance.now() - started).toBeLessThan(1000);
});

test('a character beyond ASCII counts as three towards the length of a name', () => {
  expect(ChannelName.safeParse('演'.repeat(21)).success).toBe(true);
  expect(ChannelName.safeParse('演'.repeat(22)).error?.issues[0]?.message).toBe('tooLong');
  // Composed first: three characters of one each would be too many.
  expect(SourceName.safeParse('u\u0308'.repeat(21)).success).toBe(true);
});

test.each([
  ['a control character', 'a\u0007b'],
  ['a line separator', 'a\u2028b'],
  ['a direction override', 'a\u202eb'],
  ['a direction mark', 'a\u200fb'],
  ['an isolate', 'a\u2067b'],
])('no name has %s', (_, name) => {
  for (const schema of [ChannelName, SourceName, GroupName]) {
    expect(schema.safeParse(name).error?.issues[0]?.message).toBe('characters');
  }
});

test.each([
  ['a zero-width space', 'a\u200bb'],
  ['a variation selector', 'a\ufe0fb'],
  ['a filler that counts as a letter', 'a\u3164b'],
  ['a lone surrogate', 'a\ud800b'],
  ['a sign', 'a★b'],
  ['markup', '<b>'],
])('the name of a channel or a source has no %s', (_, name) => {
  for (const schema of [ChannelName, SourceName]) {
    expect(schema.safeParse(name).error?.issues[0]?.message).toBe('characters');
  }
});

test('stream keys stay in ASCII', () => {
  expect(StreamKey.safeParse('schlüssel').success).toBe(false);
});
