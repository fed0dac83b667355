import { expect, test } from 'bun:test';
import { isLocalAddress, networkOf } from './local-network.ts';

test.each([
  ...['127.0.0.1', '127.8.9.1', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.3.4'],
  ...['::1', 'fd12::1', 'fe80::1', 'fe80::1%eth0'],
])('%s is local', (ip) => expect(isLocalAddress(ip)).toBe(true));

test.each(['192.0.2.1', '172.32.0.1', '11.0.0.1', '100.64.0.1', '2001:db8::1', '::', '', 'nonsense'])(
  '“%s” is not local',
  (ip) => expect(isLocalAddress(ip)).toBe(false),
);

test('an IPv6 address counts with its /64, however it is written', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
  expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2');
  expect(networkOf('2001:db8::9')).toBe('2001:db8:0:0');
});

test('a local IPv6 address counts separately', () => {
  for (const ip of ['fe80::1', 'fd12:3:4:5::1', '::1']) expect(networkOf(ip)).toBe(ip);
});
