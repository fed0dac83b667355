import { afterEach, expect, mock, spyOn, test } from 'bun:test';
import { consoleBlocked, openConsole } from './device-console.ts';

afterEach(() => mock.restore());

const online = { api: 'usapi', connection: 'online', problem: undefined } as const;

test.each([
  ['online', {}, ''],
  ['connecting', { connection: 'connecting' }, ''],
  ['offline', { connection: 'offline' }, 'The device is offline.'],
  ['without its agent', { connection: 'offline', problem: 'linkDown' }, 'The device is offline.'],
  ['offline because of a wrong password', { connection: 'offline', problem: 'wrongPassword' }, ''],
  [
    'beyond the license',
    { connection: 'offline', problem: 'overLicense' },
    'The license allows fewer devices than are accepted.',
  ],
  ['a stream', { api: 'stream' }, 'This device is a stream and has no web page.'],
] as const)('whether the page of a device that is %s can be opened', (_what, device, why) => {
  expect(consoleBlocked({ ...online, ...device })?.message).toBe(why || undefined);
});

test('the page opens in a tab that cannot reach back', () => {
  const open = spyOn(window, 'open').mockReturnValue(null);
  openConsole({ sn: 'a/b' });
  expect(open).toHaveBeenCalledWith('/socket/sc-remote/a%2Fb/', '_blank', 'noopener');
});
