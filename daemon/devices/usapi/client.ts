/** The API of Ultra Stream and Ultra Encode: `/usapi?method=NAME`, codes in `result`. */
import type { ActionFault } from '../../contract/device-actions.ts';
import type { DeviceProblemWord } from '../../contract/device-problems.ts';
import type { QueryApi } from '../query-session.ts';

/** Zero is success, positive codes are states, negative ones errors. */
export const usapiCodes = {
  done: 0,
  /** The device does that already. */
  repeated: 1,
  running: 2,
  diskSlow: 3,
  diskLow: 4,
  canceled: 5,
  connected: 22,
  idle: 27,
} as const;

const texts: Readonly<Record<number, string>> = {
  2: 'in progress',
  3: 'the storage is too slow',
  4: 'the storage has little space left',
  5: 'canceled',
  22: 'connected',
  23: 'connecting',
  24: 'waiting for a connection',
  25: 'authorizing',
  27: 'idle',
  28: 'resolving the host name',
  29: 'the address is not set',
  30: 'the server refused user name or password',
  [-1]: 'user name or password are wrong',
  [-2]: 'in use by another client',
  [-4]: 'device error',
  [-5]: 'no disk, or a disk error',
  [-6]: 'not connected',
  [-7]: 'key error',
  [-8]: 'version error',
  [-9]: 'busy',
  [-10]: 'bad parameter',
  [-12]: 'timeout',
  [-14]: 'not found',
  [-15]: 'bad file',
  [-16]: 'no space left',
  [-17]: 'a login is required',
  [-18]: 'system error',
  [-19]: 'the disk is too slow',
  [-20]: 'empty',
  [-21]: 'network error',
  [-22]: 'event error',
  [-23]: 'codec error',
  [-24]: 'Bluetooth error',
  [-25]: 'no such user',
  [-26]: 'the user has no permission',
  [-27]: 'the name is in use',
  [-28]: 'invalid characters',
  [-29]: 'at most 6 streaming sessions',
  [-34]: 'the firmware is for another model or hardware',
  [-35]: 'no signal',
  [-36]: 'SD card error',
  [-41]: 'at most one RTSP session',
  [-44]: 'the port is in use',
  [-45]: 'at most one NDI HX session',
  [-46]: 'at most one SRT listener',
  [-47]: 'with NDI HX, the sub stream is limited to 640x480 at 60 frames per second',
  [-48]: 'the sub stream is limited to 1280x720 at 30 frames per second',
  [-49]: 'at most one HLS session',
  [-50]: 'at most one session of this protocol',
  [-51]: 'the streaming channel could not start',
  [-52]: 'not possible with these deinterlacing settings',
  [-53]: 'configuration error, or more than one TVU session',
  [-54]: 'at most one session of this protocol',
  [-55]: 'the main stream is limited to 30 frames per second at this size',
  [-56]: 'the main stream is limited to 30 frames per second with this input',
  [-58]: 'bad NAS mount point',
};

/** -1 and -17 are its own; some firmware has 36 and 37 of the other API. */
const signedOut = new Set([-1, -17, 36, 37]);
const words: ReadonlyMap<number, DeviceProblemWord> = new Map([
  [-1, 'wrongPassword'],
  [-25, 'wrongPassword'],
  [-26, 'noPermission'],
  [-2, 'busy'],
  [-9, 'busy'],
  [2, 'busy'],
]);

/** Of all methods. */
const ofAny: Readonly<Record<number, ActionFault>> = {
  5: 'interrupted',
  [-4]: 'deviceError',
  [-6]: 'connectionFailed',
  [-10]: 'invalidValue',
  [-12]: 'tookTooLong',
  [-14]: 'notFound',
  [-15]: 'invalidValue',
  [-18]: 'deviceError',
  [-20]: 'notFound',
  [-21]: 'networkDown',
  [-22]: 'deviceError',
  [-44]: 'addressInUse',
};
const ofBoth: Readonly<Record<number, ActionFault>> = {
  [-10]: 'badConfig',
  [-21]: 'networkDown',
  [-23]: 'codec',
  [-35]: 'noSignal',
  [-52]: 'badConfig',
  [-55]: 'badConfig',
  [-56]: 'badConfig',
};
const ofRecording: Readonly<Record<number, ActionFault>> = {
  ...ofBoth,
  3: 'storageSlow',
  4: 'storageLow',
  [-5]: 'storageMissing',
  [-6]: 'storageLost',
  [-16]: 'storageFull',
  [-19]: 'storageSlow',
  [-36]: 'storageFailed',
  [-47]: 'ndiLimit',
  [-58]: 'storageMissing',
};
const ofLive: Readonly<Record<number, ActionFault>> = {
  ...ofBoth,
  29: 'noServer',
  [-2]: 'liveLocked',
  [-20]: 'noServer',
  [-29]: 'sessionLimit',
  [-41]: 'sessionLimit',
  [-45]: 'ndiLimit',
  [-46]: 'sessionLimit',
  [-47]: 'badConfig',
  [-48]: 'badConfig',
  [-49]: 'sessionLimit',
  [-50]: 'sessionLimit',
  [-51]: 'sessionNotStarted',
  [-54]: 'sessionLimit',
  // Of an Ultra Stream. Of the others, more than one session of a kind that no setting of the hub leads to.
  [-53]: 'badConfig',
};
const ofName: Readonly<Record<number, ActionFault>> = { [-27]: 'nameTaken', [-28]: 'nameCharacters' };
const faults: Readonly<Record<string, Readonly<Record<number, ActionFault>>>> = {
  'start-rec': ofRecording,
  'stop-rec': ofRecording,
  'start-live': ofLive,
  'stop-live': ofLive,
  'set-name': ofName,
};

export const usapi: QueryApi = {
  path: '/usapi',
  resultField: 'result',
  isDone: (code) => code === usapiCodes.done || code === usapiCodes.repeated,
  isSignedOut: (code) => signedOut.has(code),
  wordOf: (code) => words.get(code) ?? 'refused',
  textOf: (code) => texts[code] ?? `code ${code}`,
  faultOf: (method, code) => faults[method]?.[code] ?? ofAny[code],
};

/** Bits of `cur-status`. */
export const statusBits = {
  recording: 0x2,
  living: 0x4,
  usbDisk: 0x10,
  diskTest: 0x1000,
  updating: 0x4000,
  streamTest: 0x8000,
  formattingUsb: 0x10_0000,
  formattingSd: 0x20_0000,
  loading: 0x100_0000,
  resetting: 0x400_0000,
  rebooting: 0x2000_0000,
  serverTest: 0x4000_0000,
} as const;

/**
 * Bits with which a device takes new firmware: disks, the network of its own, a password, and reserved ones. Clients of
 * the makers refuse every other one, named here or not.
 */
export const upgradeTolerates =
  0x10 | 0x20 | 0x40 | 0x100 | 0x200 | 0x400 | 0x2000 | 0x1_0000 | 0x800_0000 | 0x1000_0000;
