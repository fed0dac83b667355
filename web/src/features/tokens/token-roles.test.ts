import { expect, test } from 'bun:test';
import { maskOf, permissions } from '../../../../daemon/contract/permission.ts';
import { namesOf } from '../../shared/users/permission-set.ts';
import { maskOfRole } from './token-roles.ts';

const plain = { isHardware: false, features: 0 };

test('a role has what its name says, as far as the owner has it', () => {
  const all = maskOf(...permissions);
  expect(namesOf(maskOfRole('monitoring', all), plain)).toEqual(['ioView', 'channelView', 'systemView']);
  expect(namesOf(maskOfRole('control', all), plain)).toEqual(['ioView', 'channelView', 'channelControl', 'systemView']);
  expect(maskOfRole('everything', all)).toBe(all);
  const viewer = maskOf('channelView', 'channelControl');
  // Control of channels needs a view of inputs and outputs, which this owner lacks.
  expect(namesOf(maskOfRole('control', viewer), plain)).toEqual(['channelView']);
});
