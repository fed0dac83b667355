/** The permissions as shown in a group's form: grouped by field, with the dependent permissions of a click. */

import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { grant, holds, maskOf, type Permission, permissions, revoke } from '../../../../daemon/contract/permission.ts';
import { meets, type Need, type Variant } from '../../../../daemon/contract/variant.ts';

interface PermissionField {
  readonly title: MessageDescriptor;
  readonly permissions: readonly Permission[];
}

/** Permissions that matter only on a hub with a certain feature. */
const needs: Partial<Record<Permission, Need>> = {
  ...({ ndiView: 'ndiRouter', ndiEdit: 'ndiRouter' } as const),
  ...({
    deviceView: 'devices',
    deviceControl: 'devices',
    deviceAdvanced: 'devices',
    deviceSecurity: 'devices',
  } as const),
  ...({ groupView: 'devices', groupControl: 'devices', firmwareView: 'devices', firmwareManage: 'devices' } as const),
};

const permissionFields: readonly PermissionField[] = [
  { title: msg`Streaming`, permissions: ['channelView', 'channelControl', 'channelEdit', 'ioView', 'ioEdit'] },
  {
    title: msg`Devices`,
    permissions: ['deviceView', 'deviceControl', 'deviceAdvanced', 'deviceSecurity', 'groupView', 'groupControl'],
  },
  { title: msg`Firmware`, permissions: ['firmwareView', 'firmwareManage'] },
  { title: msg`NDI`, permissions: ['ndiView', 'ndiEdit'] },
  { title: msg`Hub`, permissions: ['systemView', 'systemEdit', 'userControl'] },
];

interface Toggled {
  readonly mask: number;
  /** Permissions that changed along with the clicked one. */
  readonly along: readonly Permission[];
}

export function toggle(mask: number, permission: Permission): Toggled {
  const next = holds(mask, permission) ? revoke(mask, permission) : grant(mask, permission);
  const changed = permissions.filter((one) => holds(mask, one) !== holds(next, one));
  return { mask: next, along: changed.filter((one) => one !== permission) };
}

export function namesOf(mask: number, variant: Variant): Permission[] {
  return permissions.filter((permission) => holds(mask, permission) && meets(variant, needs[permission]));
}

/** The part of a mask that this hub shows; the rest is unchanged. */
export function shownOf(mask: number, variant: Variant): number {
  return maskOf(...namesOf(mask, variant));
}

/** The fields that apply to this hub. */
export function fieldsOf(variant: Variant): PermissionField[] {
  const shown = permissionFields.map((field) => ({
    ...field,
    permissions: field.permissions.filter((permission) => meets(variant, needs[permission])),
  }));
  return shown.filter((field) => field.permissions.length > 0);
}
