import { expect, test } from 'bun:test';
import { maskOf, permissions } from '../../../../daemon/contract/permission.ts';
import { featureBits, type Variant } from '../../../../daemon/contract/variant.ts';
import { fieldsOf, namesOf, toggle } from './permission-set.ts';

const plain = { isHardware: false, features: 0 };
const routing = { isHardware: true, features: featureBits.ndiRouter | featureBits.devices };

test('every permission is in exactly one field, those of NDI and devices only if the hub has these features', () => {
  const shown = (variant: Variant) => fieldsOf(variant).flatMap((field) => field.permissions);
  expect(shown(routing).toSorted()).toEqual(permissions.toSorted());
  const hidden = permissions.filter((one) => !shown(plain).includes(one));
  expect(hidden).toEqual(permissions.filter((one) => /^(ndi|device|group|firmware)/.test(one)));
  expect(hidden).toHaveLength(10);
  expect(namesOf(maskOf('ndiView', 'ioView'), plain)).toEqual(['ioView']);
});

test('toggling a permission reports what it grants and revokes with it', () => {
  expect(toggle(0, 'channelControl')).toEqual({
    mask: maskOf('channelControl', 'channelView', 'ioView'),
    along: ['ioView', 'channelView'],
  });
  const crew = maskOf('channelControl', 'channelView', 'ioView');
  expect(toggle(crew, 'ioView')).toEqual({ mask: maskOf('channelView'), along: ['channelControl'] });
  expect(namesOf(crew, plain)).toEqual(['ioView', 'channelView', 'channelControl']);
});
