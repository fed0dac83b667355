import { expect, test } from 'bun:test';
import { addressRanges, isAddressRange } from './address-ranges.ts';

test('a range contains its own addresses and no others', () => {
  const ranges = addressRanges(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32']);
  for (const ip of ['192.0.2.1', '10.255.0.1', '2001:db8:1::1']) expect([ip, ranges.includes(ip)]).toEqual([ip, true]);
  for (const ip of ['192.0.2.2', '11.0.0.1', '2001:db9::1', '', 'nonsense']) {
    expect([ip, ranges.includes(ip)]).toEqual([ip, false]);
  }
  expect(addressRanges(['fe80::/10']).includes('fe80::1%eth0')).toBe(true);
  expect(addressRanges([]).includes('127.0.0.1')).toBe(false);
});

test.each(['192.0.2.1', '0.0.0.0', '10.0.0.0/8', '::1', 'fd00::/8', '2001:db8::1/128'])('%s is a range', (text) =>
  expect(isAddressRange(text)).toBe(true),
);

test.each(['', 'proxy.lan', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '0.0.0.0/0', 'fe80::1%eth0', '10.0'])(
  '“%s” is not a range',
  (text) => {
    expect(isAddressRange(text)).toBe(false);
    expect(() => addressRanges([text])).toThrow('is not an address range');
  },
);
