/** The permissions as a group's form shows them: in fields of work, with what a click brings or takes along. */

import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { grant, holds, type Permission, permissions, revoke } from '../../../../daemon/contract/permission.ts';

export interface PermissionField {
  readonly title: MessageDescriptor;
  readonly permissions: readonly Permission[];
}

export const permissionFields: readonly PermissionField[] = [
  { title: msg`Streaming`, permissions: ['channelView', 'channelControl', 'channelEdit', 'ioView', 'ioEdit'] },
  {
    title: msg`Devices`,
    permissions: ['deviceView', 'deviceControl', 'deviceAdvanced', 'deviceSecurity', 'groupView', 'groupControl'],
  },
  { title: msg`Firmware`, permissions: ['firmwareView', 'firmwareManage'] },
  { title: msg`NDI`, permissions: ['ndiView', 'ndiEdit'] },
  { title: msg`Hub`, permissions: ['systemView', 'systemEdit', 'userControl'] },
];

export interface Toggled {
  readonly mask: number;
  /** Those that changed along with the one that was clicked. */
  readonly along: readonly Permission[];
}

export function toggle(mask: number, permission: Permission): Toggled {
  const next = holds(mask, permission) ? revoke(mask, permission) : grant(mask, permission);
  const changed = permissions.filter((one) => holds(mask, one) !== holds(next, one));
  return { mask: next, along: changed.filter((one) => one !== permission) };
}

export function namesOf(mask: number): Permission[] {
  return permissions.filter((permission) => holds(mask, permission));
}
