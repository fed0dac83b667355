/** Whether a device may get a firmware file now. Pure. */
import { capabilitiesOf, type DeviceApi, familyOf } from '../../contract/device-catalog.ts';
import type { DeviceFacts } from '../../contract/device-facts.ts';
import { regStates } from '../../contract/device-states.ts';
import { compareVersions } from '../../contract/firmware-names.ts';
import { type UpgradeFault, upgradableApis } from '../../contract/upgrade-states.ts';
import { upgradeTolerates } from '../../devices/usapi/client.ts';

/** A device, as far as it matters. */
export interface Candidate {
  readonly regState: number;
  readonly isOverLicense: boolean;
  readonly api: DeviceApi;
  readonly module: number;
  readonly model: string;
  readonly productId: number;
  readonly hardwareVersion: string;
  readonly firmwareVersion: string;
  readonly isOnline: boolean;
  readonly facts: DeviceFacts | undefined;
  readonly isUpgrading: boolean;
}

export interface Wanted {
  readonly productId: number;
  readonly hardware: string;
  readonly version: string;
  /** Also the same and a lower version. */
  readonly force: boolean;
}

/** Returns why it may not; undefined: it may. */
export function misfit(device: Candidate, wanted: Wanted): UpgradeFault | undefined {
  const { regState, api, module, model, productId, hardwareVersion } = device;
  if (regState !== regStates.accepted) return 'notAccepted';
  if (device.isOverLicense) return 'overLicense';
  const family = familyOf(module);
  if (!capabilitiesOf({ family, productId, model, api }).upgrade || !upgradableApis.has(api)) return 'unsupported';
  // A device that does not state its hardware has the last word about the file itself.
  const isOtherHardware = hardwareVersion !== '' && hardwareVersion !== wanted.hardware;
  if (productId !== wanted.productId || isOtherHardware) return 'otherModel';
  if (device.isUpgrading) return 'upgrading';
  if (!device.isOnline) return 'offline';
  if (device.facts !== undefined && isBusy(api, device.facts)) return 'busy';
  return versionMisfit(device.firmwareVersion, wanted);
}

function versionMisfit(present: string, { version, force }: Wanted): UpgradeFault | undefined {
  const difference = compareVersions(version, present);
  if (force || difference > 0) return undefined;
  return difference === 0 ? 'sameVersion' : 'lowerVersion';
}

/** Whether it does something that an upgrade would interrupt. */
export function isBusy(api: DeviceApi, facts: DeviceFacts): boolean {
  if (facts.recording === true || facts.living === true || facts.tasks.length > 0) return true;
  return api === 'usapi' && ((facts['cur-status'] ?? 0) & ~upgradeTolerates) !== 0;
}
