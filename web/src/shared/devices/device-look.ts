/** Color, icon and text of a device's state, and its problems and warnings in words. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  IconAlertTriangle,
  IconCircleFilled,
  IconCircleX,
  IconHourglassLow,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react';
import type { Family } from '../../../../daemon/contract/device-catalog.ts';
import type { DeviceProblemWord } from '../../../../daemon/contract/device-problems.ts';
import { deviceWarnBits, offlineProblems, regStates } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { problemTexts } from '../../i18n/device-problem-text.ts';
import type { Look } from '../../ui/data/StateMark.tsx';

export const deviceStates = ['pending', 'rejected', 'offline', 'warning', 'connecting', 'online'] as const;
export type DeviceState = (typeof deviceStates)[number];

export const deviceLooks: Record<DeviceState, Look> = {
  offline: { tone: 'fault', icon: IconPlugConnectedX, text: msg`Offline` },
  warning: { tone: 'warn', icon: IconAlertTriangle, text: msg`Warning` },
  connecting: { tone: 'info', icon: IconRefresh, text: msg`Connecting` },
  online: { tone: 'live', icon: IconCircleFilled, text: msg`Online` },
  pending: { tone: 'info', icon: IconHourglassLow, text: msg`Pending approval` },
  rejected: { tone: 'off', icon: IconCircleX, text: msg`Rejected` },
};

/** While it is expected not to answer after a rename or a restart. */
export const restartingLook: Look = { tone: 'info', icon: IconRefresh, text: msg`Restarting` };

type Judged = Pick<Device, 'reg-state' | 'connection' | 'problem' | 'dev-warns'>;

export function stateOf(device: Judged): DeviceState {
  if (device['reg-state'] === regStates.pending) return 'pending';
  if (device['reg-state'] === regStates.rejected) return 'rejected';
  if (device.connection === 'offline') return 'offline';
  if (needsAttention(device)) return 'warning';
  return device.connection;
}

/** Whether the device is on the list of warnings: it warns, or has a problem other than being off. */
export function needsAttention({ problem, ...device }: Judged): boolean {
  if (device['reg-state'] !== regStates.accepted) return false;
  return device['dev-warns'] > 0 || (problem !== undefined && !offlineProblems.includes(problem));
}

/** What the user can do about each problem. */
export const remedyTexts: Record<DeviceProblemWord, MessageDescriptor> = {
  unreachable: msg`Check that the device is on, connected to the network and still has this address. The hub keeps trying.`,
  timeout: msg`Check the network to the device, and restart the device if that does not help. The hub keeps trying.`,
  wrongPassword: msg`Edit the device and enter its current username and password; if an agent connects it, start the agent with them. The hub does not try again before that, because devices lock accounts after several wrong passwords.`,
  noPermission: msg`Edit the device and enter a user of it that may change all settings.`,
  certificateChanged: msg`If the device was reset, updated or replaced, edit it and enter the fingerprint of its new certificate; if an agent connects it, start the agent with that. If not, another machine may answer at its address.`,
  certificateUnknown: msg`Edit the device and enter the fingerprint of its certificate.`,
  otherDevice: msg`Edit the device and enter its current address. If it was replaced, add the new device and delete this one.`,
  notADevice: msg`Check the address of the device: something else answers there.`,
  invalidAnswer: msg`Restart the device. If that does not help, install its latest firmware, and check that the address is its own.`,
  refused: msg`Open the web page of the device: its settings or its state do not allow what the hub asks for.`,
  busy: msg`Wait until the device has finished what it is doing. The hub keeps trying.`,
  unsupported: msg`Use the web page of the device for this.`,
  linkDown: msg`Check that the agent is running and can reach the hub. It connects again by itself.`,
  overLicense: msg`Delete devices that you no longer need, or install a license for more devices.`,
};

export const warningTexts: Record<keyof typeof deviceWarnBits, MessageDescriptor> = {
  noSignal: msg`No signal`,
  unsupportedSignal: msg`Signal not supported`,
  hot: msg`Too hot`,
  diskFull: msg`Storage full`,
  diskSlow: msg`Storage too slow`,
  networkDown: msg`Network port down`,
  stateUnknown: msg`State unknown: the device does not answer over OSC`,
};

/** Why the device needs attention, the gravest reason first; empty if it does not. */
export function reasonsOf({ problem, ...device }: Judged): MessageDescriptor[] {
  const warnings = (Object.keys(deviceWarnBits) as (keyof typeof deviceWarnBits)[]).filter(
    (word) => (device['dev-warns'] & deviceWarnBits[word]) !== 0,
  );
  return [...(problem ? [problemTexts[problem]] : []), ...warnings.map((word) => warningTexts[word])];
}

/** Names of the families are the same in all languages, except for the last two. */
export const familyTexts: Record<Family, MessageDescriptor | string> = {
  ultraStream: 'Ultra Stream',
  ultraEncode: 'Ultra Encode',
  proConvertEncoder: 'Pro Convert Encoder',
  proConvertDecoder: 'Pro Convert Decoder',
  proConvertAudio: 'Pro Convert Audio',
  usbFusion: 'USB Fusion',
  director: 'Director',
  xmit: 'Xmit',
  modator: 'Modator',
  router: 'Router',
  others: msg`Others`,
  thirdParty: msg`Third party`,
};

const foreignPrefix = 9;

/** The serial number of a device of another make has a prefix that says nothing to people. */
export function shownSerial(sn: string, family: Family): string {
  return family === 'thirdParty' && sn.length > foreignPrefix ? sn.slice(foreignPrefix) : sn;
}
