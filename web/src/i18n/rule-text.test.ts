import { expect, test } from 'bun:test';
import { setupI18n } from '@lingui/core';
import { ruleText, ruleWith } from './rule-text.ts';

const i18n = setupI18n({ locale: 'en', messages: { en: {} } });
const text = (rule: string, facts?: Record<string, string | number>) => ruleText(i18n, ruleWith(rule, facts));

test('a sentence has the facts of its rule', () => {
  expect(text('characters', { value: '&', allowed: 'letters 0-9 space _ - &' })).toBe(
    "“&” isn't allowed. Use letters 0-9 space _ - &",
  );
  expect(text('characters', { value: 'space' })).toBe("Spaces aren't allowed.");
  expect(text('tooLong', { max: 256, value: 'x' })).toBe('At most 256 characters');
  expect(text('tooLong', { max: 63, wide: 3 })).toContain('counts as 3');
  expect(text('tooShort', { min: 10 })).toBe('At least 10 characters');
  expect(text('range', { value: 5, min: 20 })).toBe('At least 20');
  expect(text('range', { min: 20, max: 8000 })).toBe('Enter 20 to 8000');
  expect(text('atMost:5')).toBe('At most 5');
});

test('without facts, or with a rule that has none, it is the sentence of the rule', () => {
  expect(text('characters')).toBe('Contains a character that is not allowed here');
  expect(text('range', { value: 5 })).toBe('Out of range');
  expect(text('host', { value: 'a b' })).toBe('Enter an IP address or a host name');
  expect(text('something')).toBe('Invalid entry');
});
