import { expect, test } from 'bun:test';
import { coversHost } from './name-match.ts';

test.each([
  ['hub.example.org', true],
  ['HUB.example.org', true],
  ['a.studio.example', true],
  ['a.b.studio.example', false],
  ['studio.example', false],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['[2001:db8::7]', true],
  ['org', false],
])('a certificate and the host %s', (host, isCovered) => {
  expect(coversHost(['hub.example.org', '*.studio.example', '192.0.2.7', '2001:db8::7'], host)).toBe(isCovered);
});
