/** The only place that maps a result code to text. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { CallError, type Fault } from '../lib/call-error.ts';

/** Their catalog is loaded with the sign-in page. */
export const resultTexts = {
  pending: msg`The operation has not finished yet.`,
  timeout: msg`The operation took too long.`,
  interrupted: msg`The operation was interrupted.`,
  tryAgain: msg`The hub is busy. Try again in a moment.`,
  notImplemented: msg`Not yet supported.`,
  unknownError: msg`The hub had an internal error. See its log for details.`,
  invalidArgument: msg`Invalid request parameters.`,
  noMemory: msg`The hub is out of memory.`,
  unsupported: msg`Not yet supported.`,
  fileBusy: msg`The file is in use.`,
  deviceBusy: msg`The device is busy.`,
  deviceLost: msg`The device is offline.`,
  ioFailed: msg`Reading or writing failed.`,
  readFailed: msg`Reading failed.`,
  writeFailed: msg`Writing failed.`,
  notExist: msg`It does not exist. Another user may have deleted it.`,
  tooMany: msg`Limit exceeded.`,
  tooLarge: msg`Too large.`,
  overflow: msg`Too much data.`,
  underflow: msg`Too little data.`,
  formatError: msg`The format is invalid.`,
  fileExists: msg`The file already exists.`,
  fileTypeError: msg`Wrong type of file.`,
  deviceTypeError: msg`Not supported by this type of device.`,
  isDirectory: msg`That is a folder.`,
  readOnly: msg`It is read-only.`,
  rangeError: msg`The value is out of range.`,
  brokenPipe: msg`The connection was lost.`,
  noSpace: msg`The data folder is full. Free space on its disk, then try again.`,
  notDirectory: msg`That is not a folder.`,
  notPermitted: msg`You have no permission to do this.`,
  badAddress: msg`The address is invalid.`,
  seekError: msg`Reading failed.`,
  crossDeviceLink: msg`The file is on another disk.`,
  notInitialized: msg`The hub has not been set up yet.`,
  authFailed: msg`Incorrect password.`,
  notLoggedIn: msg`You are not signed in.`,
  wrongState: msg`Not possible in the current state.`,
  mismatch: msg`It does not match.`,
  verifyFailed: msg`The check failed.`,
  constraintViolation: msg`The hub's rules do not allow this.`,
  canceled: msg`Canceled.`,
  inProgress: msg`The operation is already in progress.`,
  connectionRefused: msg`The connection was refused.`,
  connectionReset: msg`The connection was reset.`,
  addressInUse: msg`The address is already in use.`,
  noResponse: msg`No response from the device.`,
  infoChanged: msg`The information changed in the meantime.`,
  invalidData: msg`The data is invalid.`,
  needMoreData: msg`Data is missing.`,
  noBuffer: msg`The hub has run out of buffers.`,
  bufferTooSmall: msg`Too much data.`,
  bufferIsEmpty: msg`There is no data.`,
  bufferIsFull: msg`The hub is busy. Try again in a moment.`,
  pullKeyExists: msg`This play key is already used by another channel.`,
  pushKeyExists: msg`This push key is already used by another channel.`,
  objectExists: msg`That name is already in use.`,
  stateChanged: msg`Another user has changed it in the meantime.`,
  objectBusy: msg`It is in use.`,
  licenseLimit: msg`The license limit is reached.`,
  portOccupied: msg`The port is already in use.`,
  userGroupNotExist: msg`The user group does not exist.`,
  dataLoss: msg`Data will be lost.`,
  ndiSourceOffline: msg`The NDI source is offline.`,
  ndiSourceOnline: msg`The NDI source is online.`,
  targetTimeout: msg`The device did not answer in time.`,
  targetRefused: msg`The device refused the connection.`,
  clientNotExist: msg`The client does not exist.`,
  clientOffline: msg`The client is offline.`,
  caCertificateInvalid: msg`Invalid CA certificate.`,
  caKeyInvalid: msg`Invalid CA private key.`,
  unreachable: msg`Cannot connect to the hub.`,
  requestTimeout: msg`The hub did not answer in time.`,
  unexpectedAnswer: msg`The hub sent an unexpected response.`,
  unknownCode: msg`Operation failed.`,
} satisfies Record<Fault, MessageDescriptor>;

function licenseText(i18n: I18n, { what, limit = '' }: CallError['params']): string {
  if (what === 'channels') return i18n._(msg`The license allows ${limit} enabled channels.`);
  if (what === 'outputs') return i18n._(msg`The license allows ${limit} enabled outputs.`);
  if (what === 'devices') return i18n._(msg`The license allows ${limit} accepted devices.`);
  return i18n._(msg`The license allows ${limit} SRT inputs and outputs in use.`);
}

function waitingText(i18n: I18n, { user = '', seconds = 0 }: CallError['params']): string {
  return i18n._(
    msg`A change by ${user} waits to be confirmed. Try again once that is done, in ${seconds} s at the latest.`,
  );
}

export function faultText(i18n: I18n, error: unknown): string {
  if (!(error instanceof CallError)) return i18n._(resultTexts.unknownCode);
  const { fault, code, params } = error;
  if (fault === 'portOccupied' && params.port !== undefined) return i18n._(msg`Port ${params.port} is already in use.`);
  if (fault === 'wrongState' && params.what === 'input') return i18n._(msg`This input is not receiving data.`);
  if (fault === 'objectExists' && params.what !== undefined) return i18n._(msg`“${params.what}” already exists.`);
  if (fault === 'licenseLimit' && params.limit !== undefined) return licenseText(i18n, params);
  if (fault === 'tooMany' && params.limit !== undefined) return i18n._(msg`Limit exceeded: at most ${params.limit}.`);
  if (fault === 'stateChanged' && params.seconds !== undefined) return waitingText(i18n, params);
  if (fault === 'noSpace' && params.room !== undefined)
    return i18n._(msg`The data folder does not have enough space for this file.`);
  if (fault === 'unknownCode') return i18n._(msg`Operation failed. Error code: ${code ?? '?'}`);
  return i18n._(resultTexts[fault]);
}
