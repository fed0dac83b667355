import { expect, test } from 'bun:test';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import type { Firmware } from '../../../../../daemon/contract/firmware.ts';
import { upgradeFaults } from '../../../../../daemon/contract/upgrade-states.ts';
import { candidatesOf, channelsOf, filesFor, wouldForce } from './upgrade-plan.ts';

const device = (sn: string, version: string, further: Partial<Device> = {}) =>
  ({ sn, 'firmware-ver': version, 'product-id': 787, ...further }) as Device;
const file = (id: number, version: string, further: Partial<Firmware> = {}) =>
  ({ id, version, 'product-id': 787, 'is-pre-release': false, 'is-missing': false, ...further }) as Firmware;

test('devices that can be upgraded come first, and those with a higher version are told', () => {
  const devices = [device('A', '2.4.1'), device('B', '2.6.0'), device('C', '2.5.0'), device('D', '1.0')];
  const verdicts = [{ sn: 'A', reason: 'busy' as const }, { sn: 'B' }, { sn: 'C' }];
  const found = candidatesOf(devices, verdicts, { version: '2.5.0' });
  expect(found.map(({ device: { sn }, reason, isLower }) => [sn, reason, isLower])).toEqual([
    ['B', undefined, true],
    ['C', undefined, false],
    ['A', 'busy', false],
  ]);
  expect(wouldForce(found)).toBe(false);
  expect(wouldForce(candidatesOf(devices, [{ sn: 'A', reason: 'lowerVersion' }], { version: '1' }))).toBe(true);
  expect(Object.keys(upgradeFaults)).toContain('sameVersion');
});

test('files of the products are offered, the highest release first', () => {
  const list = [
    file(1, '2.4.288'),
    file(2, '2.5.1', { 'is-pre-release': true }),
    file(3, '2.4.30'),
    file(4, '9.9.9', { 'product-id': 770 }),
    file(5, '3.0.0', { 'is-missing': true }),
  ];
  expect(filesFor([device('A', '1.0')], list).map(({ id }) => id)).toEqual([1, 3, 2]);
});

test('channels that lose their input are named once', () => {
  const feeding = { 'owner-i': ['Studio A'] };
  expect(channelsOf([device('A', '1', feeding), device('B', '1', feeding), device('C', '1')])).toEqual(['Studio A']);
});
