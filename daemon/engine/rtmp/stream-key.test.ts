import { expect, test } from 'bun:test';
import { findKey, parseApp } from './stream-key.ts';

test('the application may contain slashes, a query, or the key', () => {
  expect(parseApp('live')).toEqual({ app: 'live', key: '' });
  expect(parseApp('/live/')).toEqual({ app: 'live', key: '' });
  expect(parseApp('live?x=y/z')).toEqual({ app: 'live', key: '' });
  expect(parseApp('live/KEY?x=y')).toEqual({ app: 'live', key: 'KEY' });
});

test('an invalid application name is refused', () => {
  expect(parseApp('live/a/b')).toBeUndefined();
  expect(parseApp(undefined)).toBeUndefined();
  expect(parseApp(7)).toBeUndefined();
  expect(parseApp('x'.repeat(1000))).toBeUndefined();
});

test('the key is the stream name without its query, or the one in the application', () => {
  expect(findKey('', 'KEY?x=y')).toBe('KEY');
  expect(findKey('', '/KEY/')).toBe('KEY');
  expect(findKey('KEY', '')).toBe('KEY');
  expect(findKey('KEY', null)).toBe('KEY');
});

test('a missing key, two keys and an overlong key are refused', () => {
  expect(findKey('', '')).toBe('');
  expect(findKey('ONE', 'TWO')).toBe('');
  expect(findKey('', 'x'.repeat(257))).toBe('');
});
