import { expect, test } from 'bun:test';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import { isEntry, nextHost } from '../../shared/confirmed-change/next-address.ts';
import { checkPort, fixedNow, type PortValues, portValues, toSettings } from './port-form.ts';

const fixed: PortValues = {
  ...{ dhcp: false, ip: '192.0.2.10', mask: '255.255.255.0', gateway: '192.0.2.1' },
  ...{ 'primary-dns': '192.0.2.1', 'secondary-dns': '' },
};
const dhcp: PortValues = { dhcp: true, ip: '', mask: '', gateway: '', 'primary-dns': '', 'secondary-dns': '' };
const port = {
  port: 'eth1',
  settings: fixed,
  addresses: ['192.0.2.10/24', 'fe80::1/64'],
  gateway: '192.0.2.1',
  dns: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
} as unknown as NetworkPort;

test('the form has the settings of the port, and DHCP while they are unknown', () => {
  expect(portValues(port)).toEqual(fixed);
  expect(portValues({ ...port, settings: undefined })).toEqual(dhcp);
});

test('what DHCP decides is not sent, and spaces around an address are not', () => {
  expect(toSettings({ ...fixed, dhcp: true })).toEqual({ ...dhcp, 'primary-dns': '192.0.2.1' });
  expect(toSettings({ ...fixed, ip: ' 192.0.2.11 ' }).ip).toBe('192.0.2.11');
});

test.each([
  ['ip', { ip: '' }],
  ['ip', { ip: '192.0.2' }],
  ['ip', { ip: '192.0.2.255' }],
  ['mask', { mask: '255.0.255.0' }],
  ['gateway', { gateway: '198.51.100.1' }],
  ['secondary-dns', { 'secondary-dns': '192.0.2.1' }],
] as const)('a fault in %s is shown there: %o', (field, change) => {
  expect(Object.keys(checkPort({ ...fixed, ...change }, []))).toEqual([field]);
});

test('an address in the network of the other port is a fault', () => {
  expect(checkPort(fixed, [{ ...fixed, ip: '192.0.2.99' }])).toEqual({ ip: 'sameNetwork' });
  expect(checkPort(fixed, [{ ...fixed, ip: '198.51.100.7', gateway: '' }, dhcp])).toEqual({});
});

test('a port with DHCP offers what it has now as its fixed address', () => {
  expect(fixedNow({ ...port, settings: dhcp })).toEqual({ ...fixed, 'secondary-dns': '192.0.2.2' });
  expect(fixedNow({ ...port, addresses: ['fe80::1/64'] })).toEqual({});
});

test('the console moves only if its browser came in by the address that changes', () => {
  expect(isEntry(port, '192.0.2.10')).toBe(true);
  expect(isEntry(port, '[fe80::1]')).toBe(true);
  expect(nextHost(port, { ...fixed, ip: '192.0.2.20' }, '192.0.2.10')).toBe('192.0.2.20');
  expect(nextHost(port, { ...fixed, ip: '192.0.2.20' }, '198.51.100.7')).toBe('same');
  expect(nextHost(port, { ...fixed, gateway: '' }, '192.0.2.10')).toBe('same');
  expect(nextHost(port, dhcp, '192.0.2.10')).toBe('unknown');
  expect(nextHost({ ...port, settings: dhcp }, { ...dhcp, 'primary-dns': '9.9.9.9' }, '192.0.2.10')).toBe('same');
});
