import { expect, test } from 'bun:test';
import { addressRanges } from './address-ranges.ts';
import { callerOf } from './caller.ts';

const trusted = addressRanges(['127.0.0.1', '10.1.0.0/16', 'fd00::1']);
const from = (peer: string, headers: Record<string, string> = {}, isTls = false) =>
  callerOf({ peer, isTls, headers: new Headers(headers) }, trusted);
const ipOf = (forwarded: string) => from('127.0.0.1', { 'x-forwarded-for': forwarded }).ip;

test('only a trusted proxy can set the caller’s address, or that TLS was used', () => {
  const headers = { 'x-forwarded-for': '198.51.100.1', 'x-forwarded-proto': 'https' };
  expect(from('192.0.2.1', headers)).toEqual({ ip: '192.0.2.1', isSecure: false });
  expect(from('127.0.0.2', headers)).toEqual({ ip: '127.0.0.2', isSecure: false });
  expect(from('127.0.0.1', headers)).toEqual({ ip: '198.51.100.1', isSecure: true });
  expect(from('fd00::1', headers)).toEqual({ ip: '198.51.100.1', isSecure: true });
});

test('the caller is the rightmost address that is not a trusted proxy', () => {
  expect(ipOf('203.0.113.9, 198.51.100.1')).toBe('198.51.100.1');
  expect(ipOf('203.0.113.9, 198.51.100.1, 10.1.2.3,10.1.9.9')).toBe('198.51.100.1');
  expect(ipOf('10.1.2.3, 10.1.9.9')).toBe('10.1.2.3');
});

test('a port after an address is removed, and IPv4 inside IPv6 is shown as IPv4', () => {
  expect(ipOf('198.51.100.1:4711')).toBe('198.51.100.1');
  expect(ipOf('[2001:db8::1]:4711')).toBe('2001:db8::1');
  expect(ipOf('2001:db8::1')).toBe('2001:db8::1');
  expect(ipOf('::ffff:198.51.100.1')).toBe('198.51.100.1');
});

test('without a usable address the last trusted proxy counts as the caller', () => {
  for (const forwarded of ['', 'unknown', '198.51.100.1, unknown', 'a:b:c', '1.2.3.4:x']) {
    expect([forwarded, ipOf(forwarded)]).toEqual([forwarded, '127.0.0.1']);
  }
  expect(ipOf('198.51.100.1, _hidden, 10.1.2.3')).toBe('10.1.2.3');
});

test('a trusted proxy may say whether TLS was used; otherwise the connection decides', () => {
  expect(from('127.0.0.1', { 'x-forwarded-proto': 'http' }, true).isSecure).toBe(false);
  expect(from('127.0.0.1', { 'x-forwarded-proto': 'https, http' }).isSecure).toBe(false);
  expect(from('127.0.0.1', { 'x-forwarded-proto': 'HTTPS' }).isSecure).toBe(true);
  expect(from('127.0.0.1', {}, true).isSecure).toBe(true);
});
