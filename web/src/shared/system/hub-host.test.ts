import { expect, test } from 'bun:test';
import { hostChoices, isLocalName } from './hub-host.ts';

test('a console opened as localhost shows an address that other machines can use', () => {
  expect(hostChoices('localhost', ['192.168.1.20', '2001:db8::20'])).toEqual([
    ...['192.168.1.20', '[2001:db8::20]'],
    'localhost',
  ]);
  expect(hostChoices('127.0.0.1', [])).toEqual(['127.0.0.1']);
});

test('a name by which the browser reached the hub over the network comes first', () => {
  expect(hostChoices('hub.example', ['10.0.0.20', 'hub.example'])).toEqual(['hub.example', '10.0.0.20']);
});

test('only names of the machine itself are local', () => {
  for (const name of ['localhost', 'hub.localhost', '127.0.0.1', '127.8.0.1', '[::1]'])
    expect(isLocalName(name)).toBe(true);
  for (const name of ['hub', 'localhost.example', '10.0.0.1', '127.example']) expect(isLocalName(name)).toBe(false);
});
