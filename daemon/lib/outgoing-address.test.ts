import { expect, test } from 'bun:test';
import { bareAddress, isLoopback, kindOf } from './outgoing-address.ts';

test.each([
  ['8.8.8.8', 'public'],
  ['2001:4860:4860::8888', 'public'],
  ['11.0.0.0', 'public'],
  ['100.128.0.1', 'public'],
  ['172.32.0.1', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['127.0.0.1', 'private'],
  ['127.255.255.254', 'private'],
  ['10.255.0.1', 'private'],
  ['100.64.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['::1', 'private'],
  ['fd12:3456::1', 'private'],
  ['::ffff:127.0.0.1', 'private'],
  ['::ffff:7f00:1', 'private'],
  ['0:0:0:0:0:ffff:10.0.0.1', 'private'],
  ['::127.0.0.1', 'private'],
  ['::ffff:0:192.168.0.1', 'private'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['64:ff9b:1::a9fe:a9fe', 'private'],
  ['2002:a9fe:a9fe::1', 'private'],
  ['0.0.0.0', 'forbidden'],
  ['0.1.2.3', 'forbidden'],
  ['::', 'forbidden'],
  ['169.254.169.254', 'forbidden'],
  ['::ffff:169.254.169.254', 'forbidden'],
  ['64:ff9b::169.254.169.254', 'forbidden'],
  ['fe80::1', 'forbidden'],
  ['fe80::1%eth0', 'forbidden'],
  ['febf::1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  ['240.0.0.1', 'forbidden'],
  ['100.100.100.200', 'forbidden'],
  ['fd00:ec2::254', 'forbidden'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['ff02::1', 'multicast'],
  ['not an address', 'forbidden'],
  ['', 'forbidden'],
] as const)('%s is %s', (address, kind) => {
  expect(kindOf(address)).toBe(kind);
});

test('loopback is distinguished from other private addresses', () => {
  const addresses = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.0.0.1', '8.8.8.8', 'localhost'];
  expect(addresses.filter(isLoopback)).toEqual(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']);
});

test('an IPv6 address that stands for an IPv4 address is converted, any other is unchanged', () => {
  expect(bareAddress('::ffff:10.0.0.9')).toBe('10.0.0.9');
  expect(bareAddress('2001:db8::a00:9')).toBe('2001:db8::a00:9');
  expect(bareAddress('2001:DB8:0:0::9')).toBe('2001:db8::9');
  expect(bareAddress('fe80::1%2')).toBe('fe80::1');
});
