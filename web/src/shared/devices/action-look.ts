/** Actions on devices in words: what each is called, and why one cannot be done or was not done. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  IconBroadcast,
  IconCursorText,
  IconPlayerRecord,
  IconPlayerStop,
  IconPower,
  type IconProps,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { ActionFault, ActionReason, DeviceAction } from '../../../../daemon/contract/device-actions.ts';
import type { DeviceProblemWord } from '../../../../daemon/contract/device-problems.ts';
import { problemTexts } from '../../i18n/device-problem-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { CallError } from '../../lib/call-error.ts';

interface ActionLook {
  /** On its button. */
  readonly verb: MessageDescriptor;
  /** While the device does it. */
  readonly running: MessageDescriptor;
  readonly icon: ComponentType<IconProps>;
  /** It ends what others may be watching, or stores. */
  readonly isDangerous?: true;
}

export const actionLooks: Readonly<Record<DeviceAction, ActionLook>> = {
  rename: { verb: msg`Rename`, running: msg`Renaming…`, icon: IconCursorText },
  reboot: { verb: msg`Restart`, running: msg`Restarting…`, icon: IconPower, isDangerous: true },
  'record-start': { verb: msg`Start recording`, running: msg`Starting…`, icon: IconPlayerRecord },
  'record-stop': { verb: msg`Stop recording`, running: msg`Stopping…`, icon: IconPlayerStop },
  'live-start': { verb: msg`Start live stream`, running: msg`Starting…`, icon: IconBroadcast },
  'live-stop': { verb: msg`Stop live stream`, running: msg`Stopping…`, icon: IconPlayerStop, isDangerous: true },
  'quick-start': { verb: msg`Start quick stream`, running: msg`Starting…`, icon: IconBroadcast },
  'quick-stop': { verb: msg`Stop quick stream`, running: msg`Stopping…`, icon: IconPlayerStop, isDangerous: true },
};

export const actionReasonTexts: Readonly<Record<ActionReason | ActionFault, MessageDescriptor>> = {
  notAccepted: msg`The device is not accepted.`,
  unsupported: msg`This device cannot do that through the hub.`,
  overLicense: msg`The license allows fewer devices than are accepted.`,
  offline: msg`The device is offline.`,
  connecting: msg`The hub has not reached the device yet.`,
  pausing: msg`The device is restarting.`,
  updating: msg`The device is updating its firmware.`,
  resetting: msg`The device is resetting its settings.`,
  rebooting: msg`The device is restarting.`,
  formatting: msg`The device is formatting its storage.`,
  testing: msg`The device is running a test.`,
  loading: msg`The device is loading settings.`,
  alreadyRecording: msg`The device is already recording.`,
  notRecording: msg`The device is not recording.`,
  alreadyLive: msg`The device is already live.`,
  notLive: msg`The device is not live.`,
  noSignal: msg`No input signal.`,
  storageMissing: msg`No storage in the device.`,
  storageLost: msg`The storage was removed.`,
  storageFull: msg`The storage is full.`,
  storageLow: msg`Too little space is left on the storage.`,
  storageSlow: msg`The storage is too slow.`,
  storageReadOnly: msg`The storage is read-only, or the device has no permission to write.`,
  storageFailed: msg`The storage has an error.`,
  badConfig: msg`The settings of the device do not allow it. Check its encoding and stream settings.`,
  codec: msg`The encoder of the device has an error.`,
  liveLocked: msg`Another client has locked the live stream.`,
  noServer: msg`No stream server is in use on the device.`,
  sessionLimit: msg`The device cannot send more streams at a time.`,
  ndiLimit: msg`The device cannot do that while NDI is on with these settings.`,
  quickLimit: msg`The device cannot start more quick streams.`,
  sessionNotStarted: msg`The device could not start the stream.`,
  noQuickStream: msg`The device has no quick stream. Add a stream on the device.`,
  overloaded: msg`The device is overloaded.`,
  networkDown: msg`The device has no network connection.`,
  nameTaken: msg`The name is already in use.`,
  nameCharacters: msg`The device does not allow a character of this name.`,
  notDone: msg`The device did not do it.`,
  unknown: msg`The device did not answer. It is not known whether it did it.`,
};

function reasonOf({ params: { reason } }: CallError): MessageDescriptor | undefined {
  const words: Readonly<Record<string, MessageDescriptor>> = actionReasonTexts;
  return typeof reason === 'string' && Object.hasOwn(words, reason) ? words[reason] : undefined;
}

/** Why an action was not done, with the device's own code if that says more. */
export function actionFaultText(i18n: I18n, error: unknown): string {
  if (!(error instanceof CallError)) return faultText(i18n, error);
  const reason = reasonOf(error);
  if (reason !== undefined) return i18n._(reason);
  const { problem, code } = error.params;
  if (typeof problem !== 'string' || !Object.hasOwn(problemTexts, problem)) return faultText(i18n, error);
  const text = i18n._(problemTexts[problem as DeviceProblemWord]);
  return code === undefined ? i18n._(msg`${text}.`) : i18n._(msg`${text} (code ${code}).`);
}
