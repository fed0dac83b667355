/** Why the hub cannot ask a device, or why the device refused. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { DeviceProblemWord } from '../../../daemon/contract/device-problems.ts';

export const problemTexts: Record<DeviceProblemWord, MessageDescriptor> = {
  unreachable: msg`Not reachable`,
  timeout: msg`No answer in time`,
  wrongPassword: msg`Wrong username or password`,
  noPermission: msg`The user of the device has no permission`,
  certificateChanged: msg`The certificate has changed`,
  certificateUnknown: msg`The certificate is not trusted yet`,
  otherDevice: msg`Another device answers at this address`,
  notADevice: msg`The host at this address is not a known device`,
  invalidAnswer: msg`Invalid answer`,
  refused: msg`Refused by the device`,
  busy: msg`Busy`,
  unsupported: msg`Not supported by this device`,
  linkDown: msg`The agent is not connected`,
  overLicense: msg`Above the license limit`,
};
