import { expect, test } from 'bun:test';
import { maskOf, permissions } from '../../../../daemon/contract/permission.ts';
import { namesOf, permissionFields, toggle } from './permission-set.ts';

test('every permission stands in exactly one field', () => {
  const shown = permissionFields.flatMap((field) => field.permissions);
  expect(shown.toSorted()).toEqual(permissions.toSorted());
});

test('a click says what it brings and takes along', () => {
  expect(toggle(0, 'channelControl')).toEqual({
    mask: maskOf('channelControl', 'channelView', 'ioView'),
    along: ['ioView', 'channelView'],
  });
  const crew = maskOf('channelControl', 'channelView', 'ioView');
  expect(toggle(crew, 'ioView')).toEqual({ mask: maskOf('channelView'), along: ['channelControl'] });
  expect(namesOf(crew)).toEqual(['ioView', 'channelView', 'channelControl']);
});
