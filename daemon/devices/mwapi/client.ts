/** The API of Pro Convert encoders and of the first generation of decoders: `/mwapi?method=NAME`, codes in `status`. */
import type { DeviceProblemWord } from '../../contract/device-problems.ts';
import type { QueryApi } from '../query-session.ts';

const texts: Readonly<Record<number, string>> = {
  1: 'pending',
  2: 'timeout',
  3: 'interrupted',
  4: 'to be tried again',
  5: 'not implemented',
  6: 'unknown error',
  7: 'invalid argument',
  8: 'no memory',
  9: 'not supported',
  10: 'the file is in use',
  11: 'the device is busy',
  12: 'the device is lost',
  13: 'input or output failed',
  14: 'reading failed',
  15: 'writing failed',
  16: 'does not exist',
  17: 'too many',
  18: 'too large',
  21: 'wrong format',
  22: 'exists already',
  23: 'wrong type of file',
  24: 'wrong type of device',
  26: 'read-only',
  27: 'out of range',
  29: 'no space left',
  31: 'not permitted',
  35: 'not initialized',
  36: 'user name or password are wrong',
  37: 'not signed in',
  38: 'not possible in this state',
  39: 'does not match the device',
  40: 'verification failed',
  41: 'violates a constraint',
  42: 'canceled',
  43: 'in progress',
  44: 'connection refused',
  45: 'connection reset',
  46: 'the address is in use',
  47: 'no response',
};

const notSignedIn = new Set([36, 37]);
const words: ReadonlyMap<number, DeviceProblemWord> = new Map([
  [1, 'busy'],
  [4, 'busy'],
  [5, 'unsupported'],
  [9, 'unsupported'],
  [10, 'busy'],
  [11, 'busy'],
  [31, 'noPermission'],
  [43, 'busy'],
]);

/** The result codes of this API, which later APIs of the maker have, too. */
export const statusCodes = {
  resultField: 'status',
  isDone: (code: number) => code === 0,
  isSignedOut: (code: number) => notSignedIn.has(code),
  wordOf: (code: number) => words.get(code) ?? 'refused',
  textOf: (code: number) => texts[code] ?? `code ${code}`,
} as const;

export const mwapi: QueryApi = { path: '/mwapi', ...statusCodes };
