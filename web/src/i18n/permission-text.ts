import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Permission } from '../../../daemon/contract/permission.ts';

export const permissionText: Readonly<Record<Permission, MessageDescriptor>> = {
  firmwareView: msg`View firmware`,
  firmwareManage: msg`Manage firmware`,
  deviceView: msg`View devices`,
  deviceControl: msg`Control devices`,
  deviceAdvanced: msg`Approve, reject and delete devices`,
  deviceSecurity: msg`Manage device visibility`,
  groupView: msg`View device groups`,
  groupControl: msg`Manage device groups`,
  ioView: msg`View inputs and outputs`,
  ioEdit: msg`Edit inputs and outputs`,
  channelView: msg`View channels`,
  channelControl: msg`Start and stop channels`,
  channelEdit: msg`Add, edit and delete channels`,
  userControl: msg`Manage users and groups`,
  systemView: msg`View system settings`,
  systemEdit: msg`Edit system settings`,
  ndiView: msg`View NDI routing`,
  ndiEdit: msg`Edit NDI routing`,
};

/** `names` as in the contract, comma-separated; names of a newer hub are kept as they are. */
export function permissionNames(i18n: I18n, names: string): string {
  const known: Readonly<Record<string, MessageDescriptor>> = permissionText;
  const texts = names.split(', ').map((name) => (known[name] ? i18n._(known[name]) : name));
  return texts.reduce((before, next) => i18n._(msg`${before}, ${next}`));
}
