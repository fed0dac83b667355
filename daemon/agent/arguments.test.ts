import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from './arguments.ts';

const env = { XDG_STATE_HOME: '/state' };
const device = ['--device', 'http://192.168.1.20'];
const read = (...args: string[]) => readArguments([...device, ...args], env);

test.each([
  ['hub.example', 'wss://hub.example:8070/link'],
  ['hub.example:80', 'wss://hub.example:80/link'],
  ['10.0.0.1:9000', 'wss://10.0.0.1:9000/link'],
  ['[2001:db8::1]', 'wss://[2001:db8::1]:8070/link'],
])('%s is dialed at %s', (hub, url) => {
  expect(read('--hub', hub).url).toBe(url);
});

test('without options, the usual user and the state folder of the user apply', () => {
  expect(read('--hub', 'h', '--insecure', '--port', '8443')).toEqual({
    ...{ hub: 'h:8070', url: 'ws://h:8070/link', code: '', hubKey: undefined, ports: [8443], certificates: [] },
    stateDir: '/state/signalbox-agent',
    devices: [
      {
        ...{ url: 'http://192.168.1.20', scheme: 'http', host: '192.168.1.20', port: 80 },
        credentials: { user: 'Admin', password: '' },
      },
    ],
  });
  expect(readArguments(['--hub', 'h', ...device], { STATE_DIRECTORY: '/unit' }).stateDir).toBe('/unit');
});

test('users and password files are for all devices, or for each in order', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-arguments-'));
  const file = join(folder, 'password');
  writeFileSync(file, 'of all\nanother line');
  const two = ['--hub', 'h', '--device', '192.168.1.21:8080', '--password-file', file];
  expect(read(...two, '--user', 'a', '--user', 'b').devices).toMatchObject([
    { port: 80, credentials: { user: 'a', password: 'of all' } },
    { port: 8080, credentials: { user: 'b', password: 'of all' } },
  ]);
  expect(() => read(...two, '--user', 'a', '--user', 'b', '--user', 'c')).toThrow('one for each of the 2');
  rmSync(folder, { recursive: true });
});

test('a device may have only HTTPS, with a certificate that is accepted', () => {
  const options = read('--hub', 'h', '--device', 'https://10.0.0.1', '--certificate', `${'AB:'.repeat(31)}AB`);
  expect(options.devices[1]).toMatchObject({ scheme: 'https', host: '10.0.0.1', port: 443 });
  expect(options.certificates).toEqual(['ab'.repeat(32)]);
});

test.each([
  [[], '--hub: name the hub'],
  [['--hub', 'http://h'], '--hub is "http://h"'],
  [['--hub', 'h', '--device', 'rtsp://192.168.1.20'], '--device is "rtsp://192.168.1.20"'],
  [['--hub', 'h', '--certificate', 'ab'], '--certificate: a SHA-256'],
  [['--hub', 'h', '--code', '12'], '--code: the invitation code has four digits'],
  [['--hub', 'h', '--port', '0'], '--port is "0"'],
  [['--hub', 'h', '--hub-key', 'x'], '--hub-key'],
  [['--hub', 'h', '--password-file', '/nothing'], "/nothing can't be read (ENOENT)"],
])('%p is refused', (args, message) => {
  expect(() => read(...args)).toThrow(message);
});
