import { expect, test } from 'bun:test';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { numberedName, planOf } from './bulk-plan.ts';

const encoder = (change: object): Device =>
  ({
    ...{ api: 'usapi', module: 2, 'product-id': 787, 'module-name': 'Ultra Encode AIO', 'reg-state': 101 },
    ...{ connection: 'online', 'update-state': 0, status: {} },
    ...change,
  }) as unknown as Device;

test('devices that cannot do it are listed by their reason, the most frequent first', () => {
  const [able, busy, off, alsoOff] = [
    encoder({}),
    encoder({ status: { tasks: ['updating'] } }),
    encoder({ connection: 'offline' }),
    encoder({ connection: 'offline' }),
  ];
  expect(planOf('reboot', [busy, able, off, alsoOff])).toEqual({
    able: [able],
    others: [
      { reason: 'offline', devices: [off, alsoOff] },
      { reason: 'updating', devices: [busy] },
    ],
  });
});

test('several devices are named with their numbers', () => {
  expect([0, 9].map((at) => numberedName('Hall ## (#)', at))).toEqual(['Hall 01 (1)', 'Hall 10 (10)']);
});
