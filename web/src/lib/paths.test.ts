import { expect, test } from 'bun:test';
import { channelPath, paths, safeReturnPath, signInPath } from './paths.ts';

test('a return address within the console is kept', () => {
  expect(safeReturnPath('/stream/channels?q=a')).toBe('/stream/channels?q=a');
});

test('a return address outside the console becomes the dashboard', () => {
  for (const text of [
    null,
    '',
    'stream',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/login?x',
    '/setup',
  ]) {
    expect(safeReturnPath(text)).toBe(paths.dashboard);
  }
});

test('the sign-in address contains the return address unless that is the dashboard', () => {
  expect(signInPath('/dashboard')).toBe('/login');
  expect(signInPath('/stream/channels?q=a')).toBe('/login?return_url=%2Fstream%2Fchannels%3Fq%3Da');
});

test('a channel has an address of its own', () => {
  expect(channelPath(100_002)).toBe('/stream/channel/detail/100002');
});
