import { expect, test } from 'bun:test';
import { Answer } from './answer.ts';

test.each([
  [' Hall\u0000 \u001b[31m\r\nset: x ', 'Hall   [31m set: x'],
  ['Ha\u202ell\u2028', 'Ha ll'],
  ['half \ud83d', 'half'],
  ['\ud83d\ude00', '\ud83d\ude00'],
  [' \u0007 ', undefined],
])('the text %j has no characters that break lines', (text, read) => {
  expect(new Answer({ name: text }).text('name')).toBe(read as string);
});

test('a text is not cut off within a character', () => {
  expect(new Answer({ name: 'a\u{1f600}' }).text('name', 2)).toBe('a');
});

test.each(['1e999', 1e300, '-1e300', Number.NaN, 'NaN', Number.POSITIVE_INFINITY, {}, ' '])(
  'the number %j is unknown',
  (value) => {
    expect(new Answer({ cpu: value }).number('cpu')).toBeUndefined();
  },
);
