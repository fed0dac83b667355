import { expect, test } from 'bun:test';
import { reachableAddresses } from './own-addresses.ts';

const machine = () => [
  { link: 'lo', address: '127.0.0.1' },
  { link: 'lo', address: '::1' },
  { link: 'eth0', address: '192.168.1.20' },
  { link: 'eth0', address: '2001:db8::20' },
  { link: 'eth0', address: 'fe80::1' },
  { link: 'eth1', address: '10.0.0.20' },
  { link: 'eth2', address: '169.254.7.7' },
  { link: 'docker0', address: '172.17.0.1' },
  { link: 'br-8c2f01', address: '172.18.0.1' },
];

test('a hub on all IPv4 addresses is reached by its public names and by the addresses of its networks', () => {
  expect(reachableAddresses('0.0.0.0', [], machine)).toEqual(['192.168.1.20', '10.0.0.20', '169.254.7.7']);
  expect(reachableAddresses('0.0.0.0', ['hub.example'], machine)[0]).toBe('hub.example');
});

test('IPv6 addresses are listed only if the hub listens on them', () => {
  expect(reachableAddresses('::', [], machine)).toEqual([
    ...['192.168.1.20', '10.0.0.20', '2001:db8::20'],
    '169.254.7.7',
  ]);
});

test('a hub that listens on one address has only that one', () => {
  expect(reachableAddresses('10.0.0.20', [], machine)).toEqual(['10.0.0.20']);
  expect(reachableAddresses('127.0.0.1', [], machine)).toEqual([]);
});

test('the list is bounded', () => {
  const many = () =>
    Array.from({ length: 300 }, (_, index) => ({ link: 'eth0', address: `10.1.${index >> 8}.${index}` }));
  expect(reachableAddresses('0.0.0.0', [], many)).toHaveLength(16);
});
