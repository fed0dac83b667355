import { expect, test } from 'bun:test';
import { ipv4Text } from './ipv4.ts';
import { destinationFault, readDestination } from './route-fields.ts';

test('a destination is a network in CIDR notation, or the address of one host', () => {
  const { first = 0, last = 0, prefix } = readDestination('10.20.0.0/16') ?? {};
  expect([ipv4Text(first), ipv4Text(last), prefix]).toEqual(['10.20.0.0', '10.20.255.255', 16]);
  expect(readDestination('203.0.113.7')).toMatchObject({ prefix: 32, hasHostBits: false });
});

test('what is not a destination names the rule that it breaks', () => {
  const malformed = ['', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/-1', '10.0.0/8', '256.0.0.0/8', '::/0'];
  const hostile = ['10.0.0.0/8;reboot', '$(reboot)', '10.0.0.0/8\n', '-x', ' 10.0.0.0/8', '10.0.0.0/255.0.0.0'];
  for (const text of [...malformed, ...hostile]) expect(destinationFault(text)).toBe('destination');
  expect(destinationFault('0.0.0.0/0')).toBe('defaultRoute');
  expect(destinationFault('192.168.1.5/24')).toBe('hostBits');
  expect(destinationFault('10.20.0.0/16')).toBeUndefined();
});

test('no route leads to loopback, to multicast or reserved networks, nor to one that contains them', () => {
  const whole = ['0.0.0.0/1', '128.0.0.0/1', '64.0.0.0/2'];
  for (const text of [
    '127.0.0.0/8',
    '127.0.0.1',
    '0.1.0.0/16',
    '169.254.169.254',
    '224.0.0.0/4',
    '255.255.255.255',
    ...whole,
  ]) {
    expect(destinationFault(text)).toBe('reservedNet');
  }
  expect(destinationFault('126.0.0.0/8')).toBeUndefined();
  expect(destinationFault('223.255.255.0/24')).toBeUndefined();
});
