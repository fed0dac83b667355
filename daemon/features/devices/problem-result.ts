/** Turns the problem of a device into a result of the API. */
import type { ActionFault } from '../../contract/device-actions.ts';
import type { DeviceProblemWord } from '../../contract/device-problems.ts';
import type { ResultName } from '../../contract/result.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { HubError } from '../../lib/hub-error.ts';

const resultOf: Readonly<Record<DeviceProblemWord, ResultName>> = {
  unreachable: 'clientOffline',
  timeout: 'targetTimeout',
  wrongPassword: 'authFailed',
  noPermission: 'authFailed',
  certificateChanged: 'verifyFailed',
  certificateUnknown: 'verifyFailed',
  otherDevice: 'mismatch',
  notADevice: 'deviceTypeError',
  invalidAnswer: 'invalidData',
  refused: 'wrongState',
  busy: 'deviceBusy',
  unsupported: 'unsupported',
  linkDown: 'clientOffline',
  overLicense: 'licenseLimit',
};

/** The published result that is the closest to what a device answered. */
export const resultOfFault: Readonly<Record<ActionFault, ResultName>> = {
  noSignal: 'wrongState',
  storageMissing: 'notExist',
  storageLost: 'deviceLost',
  storageFull: 'noSpace',
  storageLow: 'noSpace',
  storageSlow: 'writeFailed',
  storageReadOnly: 'readOnly',
  storageFailed: 'ioFailed',
  badConfig: 'constraintViolation',
  codec: 'wrongState',
  liveLocked: 'deviceBusy',
  noServer: 'wrongState',
  sessionLimit: 'tooMany',
  ndiLimit: 'tooMany',
  quickLimit: 'tooMany',
  sessionNotStarted: 'wrongState',
  noQuickStream: 'notExist',
  overloaded: 'noMemory',
  networkDown: 'ioFailed',
  nameTaken: 'fileExists',
  nameCharacters: 'invalidArgument',
  invalidValue: 'invalidArgument',
  wrongState: 'wrongState',
  notFound: 'notExist',
  limitReached: 'tooMany',
  ioFailed: 'ioFailed',
  connectionFailed: 'connectionRefused',
  addressInUse: 'addressInUse',
  tookTooLong: 'timeout',
  interrupted: 'interrupted',
  deviceError: 'wrongState',
  notDone: 'targetTimeout',
  unknown: 'noResponse',
};

/** Returns any other error as it is. `what`: name or address of the device. */
export function refusalOf(error: unknown, what: string): unknown {
  if (!(error instanceof DeviceProblem)) return error;
  const { fault } = error;
  const params = {
    ...{ what, problem: error.word },
    ...(fault !== undefined && { reason: fault }),
    ...(error.code !== undefined && { code: error.code }),
    // Of the certificate that the device shows, which a person may accept.
    ...('fingerprint' in error && typeof error.fingerprint === 'string' && { pin: error.fingerprint }),
  };
  const result = fault === undefined ? resultOf[error.word] : resultOfFault[fault];
  return new HubError(result, `${what}: ${error.message}`, { params });
}

/** `position` in the list of the request; the text is not repeated, because it may have been meant for another field. */
export function unknownDevice(position = 0): HubError {
  return new HubError('clientNotExist', 'there is no device with this serial number', {
    params: { what: 'device', position },
  });
}

export function offline(name: string): HubError {
  return new HubError('clientOffline', `the device '${name}' is offline`, { params: { what: name } });
}
