/** Why an action on a device cannot be done, or was not done. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ActionFault, ActionReason } from '../../../daemon/contract/device-actions.ts';
import { CallError } from '../lib/call-error.ts';
import { problemTexts } from './device-problem-text.ts';
import { faultText, resultTexts } from './result-text.ts';

export const actionReasonTexts: Readonly<Record<ActionReason | ActionFault, MessageDescriptor>> = {
  notAccepted: msg`The device has not been accepted.`,
  unsupported: msg`This device cannot do that through the hub.`,
  overLicense: msg`The license allows fewer devices than are accepted.`,
  offline: msg`The device is offline.`,
  connecting: msg`The hub has not reached the device yet.`,
  pausing: msg`The device is restarting.`,
  updating: msg`The device is upgrading its firmware.`,
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
  invalidValue: resultTexts.invalidData,
  wrongState: resultTexts.wrongState,
  notFound: msg`The device does not have it.`,
  limitReached: resultTexts.tooMany,
  ioFailed: resultTexts.ioFailed,
  connectionFailed: resultTexts.connectionRefused,
  addressInUse: resultTexts.addressInUse,
  tookTooLong: resultTexts.timeout,
  interrupted: resultTexts.interrupted,
  deviceError: msg`The device had an internal error.`,
  notDone: msg`The device did not carry out the action.`,
  unknown: msg`The device did not answer. Check on the device whether the action was carried out.`,
};

const words: Readonly<Record<string, MessageDescriptor>> = { ...problemTexts, ...actionReasonTexts };

function known(word: string | number | undefined): MessageDescriptor | undefined {
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;
}

/** In words; a word of a newer hub as it is. */
export function actionWord(word: string): MessageDescriptor {
  return known(word) ?? { id: word };
}

/** Why an action was not done, with the device's own code if that says more. */
export function actionFaultText(i18n: I18n, error: unknown): string {
  if (!(error instanceof CallError)) return faultText(i18n, error);
  const { reason, problem, code } = error.params;
  const [why, general] = [known(reason), known(problem)];
  if (why !== undefined) return i18n._(why);
  if (general === undefined) return faultText(i18n, error);
  const text = i18n._(general);
  return code === undefined ? i18n._(msg`${text}.`) : i18n._(msg`${text} (code ${code}).`);
}
