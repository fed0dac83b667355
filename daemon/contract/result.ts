import type { LaterChange } from './logs.ts';

/**
 * The single list of the HTTP API's result codes. `result` is part of every response body; 0 is success.
 * Codes 0-54 and 1001 upwards are the published ones. A failure is returned with HTTP 200 and its code, as published,
 * because existing clients treat any other status as a transport failure. Only faults below the API (unknown path,
 * foreign origin, oversized body, an internal error) use an HTTP status of their own.
 */
interface ResultRow {
  readonly code: number;
  /** HTTP status of the response. */
  readonly http: number;
  /** The same call with `force: true` may succeed. */
  readonly forceable?: true;
  /** The same call may succeed later without any change. */
  readonly retryable?: true;
}

const row = (code: number, extra: Omit<ResultRow, 'code' | 'http'> & { http?: number } = {}): ResultRow => ({
  http: 200,
  ...extra,
  code,
});
const retryable = { retryable: true } as const;
const forceable = { forceable: true } as const;

export const results = {
  success: row(0),
  pending: row(1, retryable),
  timeout: row(2, retryable),
  interrupted: row(3, retryable),
  tryAgain: row(4, retryable),
  notImplemented: row(5),
  unknownError: row(6, { http: 500 }),
  invalidArgument: row(7),
  noMemory: row(8, retryable),
  unsupported: row(9),
  fileBusy: row(10, retryable),
  deviceBusy: row(11, retryable),
  deviceLost: row(12, retryable),
  ioFailed: row(13, retryable),
  readFailed: row(14, retryable),
  writeFailed: row(15, retryable),
  notExist: row(16),
  tooMany: row(17),
  tooLarge: row(18),
  overflow: row(19),
  underflow: row(20),
  formatError: row(21),
  fileExists: row(22),
  fileTypeError: row(23),
  deviceTypeError: row(24),
  isDirectory: row(25),
  readOnly: row(26),
  rangeError: row(27),
  brokenPipe: row(28, retryable),
  /** The data folder is full. Stored data can still be read, and streams continue. */
  noSpace: row(29, retryable),
  notDirectory: row(30),
  notPermitted: row(31),
  badAddress: row(32),
  seekError: row(33),
  crossDeviceLink: row(34),
  /** Also used before setup, while no administrator password is set. */
  notInitialized: row(35),
  authFailed: row(36),
  notLoggedIn: row(37),
  wrongState: row(38),
  mismatch: row(39),
  verifyFailed: row(40),
  constraintViolation: row(41),
  canceled: row(42),
  inProgress: row(43, retryable),
  connectionRefused: row(44, retryable),
  connectionReset: row(45, retryable),
  addressInUse: row(46),
  noResponse: row(47, retryable),
  infoChanged: row(48),
  invalidData: row(49),
  needMoreData: row(50),
  noBuffer: row(51, retryable),
  bufferTooSmall: row(52),
  bufferIsEmpty: row(53),
  bufferIsFull: row(54, retryable),

  pullKeyExists: row(1001),
  pushKeyExists: row(1002),
  objectExists: row(1003),
  stateChanged: row(1004),
  objectBusy: row(1005, forceable),
  licenseLimit: row(1006),
  portOccupied: row(1007),
  userGroupNotExist: row(1008),
  dataLoss: row(1009, forceable),
  ndiSourceOffline: row(2001, retryable),
  ndiSourceOnline: row(2002),
  targetTimeout: row(10004, retryable),
  /** A tunnel to the device could not be opened. Only the number is published, as reserved; the name is ours. */
  targetRefused: row(10005, retryable),
  clientNotExist: row(10006),
  clientOffline: row(10007, retryable),
  caCertificateInvalid: row(-102),
  caKeyInvalid: row(-103),
} as const satisfies Record<string, ResultRow>;

export type ResultName = keyof typeof results;

const byCode = new Map<number, ResultName>(
  (Object.keys(results) as ResultName[]).map((name) => [results[name].code, name]),
);

/** Returns the name of a result code, or undefined for an unknown one. */
export function resultName(code: number): ResultName | undefined {
  return byCode.get(code);
}

/** A request field that violates a rule. `path` uses the API's names; the console translates the word in `rule`. */
export interface FieldFault {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  /** Facts of the message: `min`, `max`, `allowed`, and `value`, which is never a secret. */
  readonly params?: Readonly<Record<string, string | number>>;
}

/** Response members of a failed call. */
export interface Failure {
  readonly result: number;
  readonly message: string;
  /** Values for the message, such as `port` of 1007 or `what` of 1003. */
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  readonly fields?: readonly FieldFault[];
  /** With 1004: the changes since the revision in the request, newest first. */
  readonly later?: readonly LaterChange[];
}
