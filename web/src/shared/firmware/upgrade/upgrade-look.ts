/** The steps of an upgrade, and why a device gets no other firmware, in words. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconDownload,
  IconProgress,
  IconRefresh,
  IconShieldCheck,
} from '@tabler/icons-react';
import type { UpgradeFault, UpgradeStep } from '../../../../../daemon/contract/upgrade-states.ts';
import { faultText } from '../../../i18n/result-text.ts';
import { CallError } from '../../../lib/call-error.ts';
import type { Look } from '../../../ui/data/StateMark.tsx';

export const stepLooks: Record<UpgradeStep, Look> = {
  waiting: { tone: 'off', icon: IconCircleDashed, text: msg`Waiting` },
  uploading: { tone: 'info', icon: IconProgress, text: msg`Sending the file` },
  verifying: { tone: 'info', icon: IconShieldCheck, text: msg`Checking the file` },
  updating: { tone: 'info', icon: IconDownload, text: msg`Installing` },
  rebooting: { tone: 'info', icon: IconRefresh, text: msg`Restarting` },
  succeeded: { tone: 'live', icon: IconCircleCheck, text: msg`Upgraded` },
  failed: { tone: 'fault', icon: IconCircleX, text: msg`Failed` },
  canceled: { tone: 'off', icon: IconBan, text: msg`Canceled` },
};

export const upgradeFaultTexts: Record<UpgradeFault, MessageDescriptor> = {
  unknownDevice: msg`This device does not exist`,
  notPermitted: msg`You are not allowed to control this device`,
  notAccepted: msg`Not accepted`,
  overLicense: msg`Above the license limit`,
  unsupported: msg`Cannot be upgraded from the hub`,
  otherModel: msg`The file is for another product or hardware version`,
  offline: msg`Offline`,
  busy: msg`Busy: recording, live, or running another operation`,
  upgrading: msg`An upgrade is already running or waiting`,
  sameVersion: msg`Already has this version`,
  lowerVersion: msg`Has a higher version`,
  mismatch: msg`The device reports that the file is for another model or hardware version`,
  badFile: msg`The device reports that the file is damaged or not firmware`,
  noSpace: msg`The device does not have enough space for the file`,
  refused: msg`The device refused the upgrade`,
  uploadFailed: msg`The connection was lost while the file was sent; the device runs its old version`,
  installFailed: msg`The device could not install the file`,
  otherVersion: msg`The device restarted with another version`,
  notStarted: msg`The device did not start the installation`,
  timeout: msg`The device did not come back in time; check it on site`,
  fileMissing: msg`The file is no longer in the library`,
  lost: msg`The device was removed, or the hub can no longer sign in to it`,
};

const isUpgradeFault = (reason: unknown): reason is UpgradeFault =>
  typeof reason === 'string' && Object.hasOwn(upgradeFaultTexts, reason);

/** Why the upgrade of a device failed. */
export function upgradeFaultText(i18n: I18n, error: unknown): string {
  if (!(error instanceof CallError) || !isUpgradeFault(error.params.reason)) return faultText(i18n, error);
  return i18n._(upgradeFaultTexts[error.params.reason]);
}
