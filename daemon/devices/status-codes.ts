/** The generic result codes 0 to 54 of the devices' APIs, in the field `status`; Ultra Stream and Ultra Encode have their own. */
import type { ActionFault } from '../contract/device-actions.ts';
import type { DeviceProblemWord } from '../contract/device-problems.ts';

/** A code as the hub reports it: a problem that any call can have, or why an action was not carried out. */
type Meaning = DeviceProblemWord | ActionFault;
type Row = readonly [text: string, meaning: Meaning];

const rows: Readonly<Record<number, Row>> = {
  1: ['pending', 'busy'],
  2: ['timeout', 'tookTooLong'],
  3: ['interrupted', 'interrupted'],
  4: ['try again', 'busy'],
  5: ['not implemented', 'unsupported'],
  6: ['unknown error', 'deviceError'],
  7: ['invalid argument', 'invalidValue'],
  8: ['out of memory', 'overloaded'],
  9: ['not supported', 'unsupported'],
  10: ['the file is in use', 'busy'],
  11: ['the device is busy', 'busy'],
  12: ['the device was lost', 'ioFailed'],
  13: ['an I/O error', 'ioFailed'],
  14: ['reading failed', 'ioFailed'],
  15: ['writing failed', 'ioFailed'],
  16: ['does not exist', 'notFound'],
  17: ['too many', 'limitReached'],
  18: ['too large', 'invalidValue'],
  19: ['overflow', 'deviceError'],
  20: ['underflow', 'deviceError'],
  21: ['invalid format', 'invalidValue'],
  22: ['already exists', 'nameTaken'],
  23: ['wrong type of file', 'invalidValue'],
  24: ['wrong type of device', 'unsupported'],
  25: ['is a folder', 'invalidValue'],
  26: ['read-only', 'storageReadOnly'],
  27: ['out of range', 'invalidValue'],
  28: ['the connection was lost', 'connectionFailed'],
  29: ['no space left', 'storageFull'],
  30: ['not a folder', 'invalidValue'],
  31: ['not permitted', 'noPermission'],
  32: ['invalid address', 'invalidValue'],
  33: ['a seek error', 'ioFailed'],
  34: ['on another disk', 'ioFailed'],
  35: ['not initialized', 'wrongState'],
  36: ['wrong user name or password', 'wrongPassword'],
  37: ['not signed in', 'wrongPassword'],
  38: ['not possible in the current state', 'wrongState'],
  39: ['does not match the device', 'invalidValue'],
  40: ['verification failed', 'invalidValue'],
  41: ['violates a constraint', 'badConfig'],
  42: ['canceled', 'interrupted'],
  43: ['already in progress', 'busy'],
  44: ['connection refused', 'connectionFailed'],
  45: ['connection reset', 'connectionFailed'],
  46: ['the address is in use', 'addressInUse'],
  47: ['no response', 'connectionFailed'],
  48: ['the information has changed', 'deviceError'],
  49: ['invalid data', 'invalidValue'],
  50: ['data is missing', 'invalidValue'],
  51: ['out of buffers', 'overloaded'],
  52: ['the buffer is too small', 'deviceError'],
  53: ['the buffer is empty', 'deviceError'],
  54: ['the buffer is full', 'overloaded'],
};

const problems: ReadonlySet<Meaning> = new Set(['busy', 'unsupported', 'noPermission', 'wrongPassword']);
const isProblem = (meaning: Meaning): meaning is DeviceProblemWord => problems.has(meaning);
const notSignedIn: ReadonlySet<number> = new Set([36, 37]);

export const statusCodes = {
  resultField: 'status',
  isDone: (code: number) => code === 0,
  isSignedOut: (code: number) => notSignedIn.has(code),
  /** The problem that a code is. */
  wordOf(code: number): DeviceProblemWord {
    const meaning = rows[code]?.[1];
    return meaning !== undefined && isProblem(meaning) ? meaning : 'refused';
  },
  /** Why the device refused; undefined for problems and unknown codes. */
  faultOf(_method: string, code: number): ActionFault | undefined {
    const meaning = rows[code]?.[1];
    return meaning === undefined || isProblem(meaning) ? undefined : meaning;
  },
  textOf: (code: number) => rows[code]?.[0] ?? `code ${code}`,
} as const;
