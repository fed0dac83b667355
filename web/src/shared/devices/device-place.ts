/** Where the console shows a device. */
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import { regStates } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { devicePath, paths, searchedPath } from '../../lib/paths.ts';

/** Devices without a page of their own are found in their list. */
export function placeOfDevice({ sn, 'reg-state': state, module }: Device): string {
  if (state === regStates.pending) return searchedPath(paths.pendingDevices, sn);
  if (state === regStates.rejected) return searchedPath(paths.rejectedDevices, sn);
  return familyOf(module) === 'others' ? searchedPath(paths.devices, sn) : devicePath(sn);
}
