/** States of devices. Free of schemas, because the console's menu and dashboard load it. */
import type { deviceWarnings } from './device-facts.ts';
import type { DeviceProblemWord } from './device-problems.ts';

/** `reg-state` of a device. */
export const regStates = { accepted: 101, rejected: 102, pending: 103 } as const;

/** Bits of `dev-warns`. The first is published, the others are ours. */
export const deviceWarnBits = {
  noSignal: 1,
  unsupportedSignal: 2,
  hot: 4,
  diskFull: 8,
  diskSlow: 16,
  networkDown: 32,
  stateUnknown: 64,
} as const satisfies Record<(typeof deviceWarnings)[number], number>;

/** The lower bits of `cur-status`; the others depend on the model. */
export const deviceStatusBits = { noSignal: 1, recording: 2, living: 4 } as const;

/** `connecting`: it was not asked yet, or its last answer is not old enough to call it offline. */
export const deviceConnections = ['connecting', 'online', 'offline'] as const;

/**
 * What happens to a device. `applied`: it waits for approval. `problem`: the hub has one with it. `warning` and
 * `warningOver`: of the device itself. `upgraded`, `upgradeFailed`: its firmware. `other`: anything else, in English words.
 */
export const deviceEvents = [
  ...(['applied', 'online', 'offline', 'problem', 'warning', 'warningOver', 'upgraded', 'upgradeFailed'] as const),
  'other',
] as const;
export type DeviceEventWord = (typeof deviceEvents)[number];

/** Problems that only say why a device is offline. All others need somebody's attention, as warnings do. */
export const offlineProblems: readonly DeviceProblemWord[] = ['unreachable', 'timeout', 'linkDown'];

/** Filters of `device/list`: the device warns, the hub has a problem with it, and its connection. */
export const deviceStatusWords = ['dev-warns', 'warns', 'offline', 'online'] as const;
export type DeviceStatusWord = (typeof deviceStatusWords)[number];
