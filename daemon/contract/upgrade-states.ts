/** States of the upgrade of a device's firmware. Free of schemas, because the console loads it. */
import type { DeviceApi } from './device-catalog.ts';
import type { ResultName } from './result.ts';

/**
 * `waiting`: for its turn. `uploading`: the hub sends the file. `verifying`: the device checks it. `updating`: the device
 * writes it, and must not be disturbed. `rebooting`: it restarts, or is about to. `succeeded`: it answers with the new
 * version. `failed`: it runs what it ran before, or its answer did not come in time. `canceled`: before it began to write.
 */
export const upgradeSteps = [
  'waiting',
  'uploading',
  'verifying',
  'updating',
  'rebooting',
  'succeeded',
  'failed',
  'canceled',
] as const;
export type UpgradeStep = (typeof upgradeSteps)[number];

/** Published `update-state` of a device. */
export const updateStates = { failed: -1, idle: 0, waiting: 1, updating: 2, installing: 3, restarting: 4 } as const;
export type UpdateState = keyof typeof updateStates;

export const updateStateOf: Readonly<Record<UpgradeStep, UpdateState>> = {
  waiting: 'waiting',
  uploading: 'updating',
  verifying: 'updating',
  updating: 'installing',
  rebooting: 'restarting',
  succeeded: 'idle',
  failed: 'failed',
  canceled: 'idle',
};

/** The APIs whose calls for sending firmware are known. */
export const upgradableApis: ReadonlySet<DeviceApi> = new Set(['usapi', 'mwapi', 'apiPath', 'mwapiPath']);

/**
 * Why a device gets no other firmware, with the result of the call, of the task's item and of the report. Published are
 * 24, 16, 12 and 11.
 */
export const upgradeFaults = {
  /** There is no such device, or the caller may not see it. */
  unknownDevice: 'notExist',
  notPermitted: 'notPermitted',
  /** It waits for approval, or was rejected. */
  notAccepted: 'wrongState',
  overLicense: 'licenseLimit',
  /** No call that sends firmware to such devices is published. */
  unsupported: 'unsupported',
  /** The file is for another product or hardware. */
  otherModel: 'deviceTypeError',
  offline: 'deviceLost',
  /** It records, is live, or does something else that an upgrade would interrupt. */
  busy: 'deviceBusy',
  /** An upgrade of it is running, or waits. */
  upgrading: 'deviceBusy',
  /** It runs this version; `force` installs it again. */
  sameVersion: 'objectExists',
  /** It runs a higher version, and may lose its settings; only with `force`. */
  lowerVersion: 'dataLoss',
  /** The device says that the file is for another model or hardware. */
  mismatch: 'mismatch',
  /** The device says that the file is damaged or not firmware. */
  badFile: 'fileTypeError',
  noSpace: 'noSpace',
  /** The device refuses the upgrade for another reason. */
  refused: 'constraintViolation',
  /** The connection was lost during the upload, or the device took too long. */
  uploadFailed: 'brokenPipe',
  /** The device failed while it was writing. */
  installFailed: 'writeFailed',
  /** It restarted, and runs another version than the new one. */
  otherVersion: 'verifyFailed',
  /** It did not begin to write. */
  notStarted: 'interrupted',
  /** It did not come back, or did not end, in time. */
  timeout: 'timeout',
  /** The file is no longer in the library. */
  fileMissing: 'readFailed',
  /** It is no longer an accepted device, its password is wrong, or another device answers at its address. */
  lost: 'authFailed',
} as const satisfies Record<string, ResultName>;
export type UpgradeFault = keyof typeof upgradeFaults;
