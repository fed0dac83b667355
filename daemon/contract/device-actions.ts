/**
 * What a device can be told to do, and why it cannot at present: one table for the hub, which refuses by it, and the
 * console, which disables by it. Free of schemas.
 */
import { capabilitiesOf, type DeviceApi, familyOf } from './device-catalog.ts';
import type { deviceTasks } from './device-facts.ts';
import { regStates } from './device-states.ts';
import type { Device } from './devices.ts';
import { updateStates } from './upgrade-states.ts';

/**
 * `rename` and `reboot`: of the device itself. `record-`, `live-`: starts or ends recording to its storage, or sending to
 * its servers. `quick-`: of a Director, starts or ends sending to the first server of its list.
 */
export const deviceActions = [
  'rename',
  'reboot',
  'record-start',
  'record-stop',
  'live-start',
  'live-stop',
  'quick-start',
  'quick-stop',
] as const;
export type DeviceAction = (typeof deviceActions)[number];

/** What a driver can do; two actions begin and end each of the last three. */
export const deviceActs = ['rename', 'reboot', 'record', 'live', 'quick'] as const;
export type DeviceAct = (typeof deviceActs)[number];

export const actOf: Readonly<Record<DeviceAction, DeviceAct>> = {
  rename: 'rename',
  reboot: 'reboot',
  'record-start': 'record',
  'record-stop': 'record',
  'live-start': 'live',
  'live-stop': 'live',
  'quick-start': 'quick',
  'quick-stop': 'quick',
};

/** What the driver of each API can do; the rest has no published call. */
export const actsOfApi: Readonly<Record<DeviceApi, readonly DeviceAct[]>> = {
  usapi: ['rename', 'reboot', 'record', 'live'],
  mwapi: ['rename', 'reboot'],
  apiPath: ['reboot'],
  mwapiPath: ['rename', 'reboot', 'record', 'live'],
  v1: ['reboot', 'record', 'quick'],
  onvif: ['reboot'],
  stream: [],
};

type DeviceTask = (typeof deviceTasks)[number];

/**
 * Why a device cannot do something now.
 *
 * - `notAccepted`: it waits for approval, or was rejected
 * - `unsupported`: this product, or the hub with this product, cannot do that
 * - `overLicense`: more devices are accepted than the license allows
 * - `offline`, `connecting`: it is not online, or was not asked yet
 * - `pausing`: it restarts after another action
 * - `updating` to `loading`: what it is doing (`deviceTasks`)
 * - `alreadyRecording` to `notLive`: it is in that state. Only the console disables by them, because the state that the
 *   hub knows may be some seconds old; a device that is told to do what it does already says so.
 */
export const actionReasons = [
  'notAccepted',
  'unsupported',
  'overLicense',
  'offline',
  'connecting',
  'pausing',
  'updating',
  'resetting',
  'rebooting',
  'formatting',
  'testing',
  'loading',
  'alreadyRecording',
  'notRecording',
  'alreadyLive',
  'notLive',
] as const;
export type ActionReason = (typeof actionReasons)[number];

/** What a device is doing that forbids each action. During the others, it can be told to. */
const forbiddenBy: Readonly<Record<DeviceAction, readonly DeviceTask[]>> = (() => {
  const always = ['updating', 'resetting', 'rebooting', 'loading'] as const;
  return {
    rename: always,
    reboot: [...always, 'formatting'],
    'record-start': [...always, 'formatting', 'testing'],
    'record-stop': always,
    'live-start': [...always, 'testing'],
    'live-stop': always,
    'quick-start': [...always, 'testing'],
    'quick-stop': always,
  };
})();

/** In which state an action changes nothing. An unknown state allows both. */
const states: Readonly<Partial<Record<DeviceAction, readonly ['recording' | 'living', boolean, ActionReason]>>> = {
  'record-start': ['recording', true, 'alreadyRecording'],
  'record-stop': ['recording', false, 'notRecording'],
  'live-start': ['living', true, 'alreadyLive'],
  'live-stop': ['living', false, 'notLive'],
  'quick-start': ['living', true, 'alreadyLive'],
  'quick-stop': ['living', false, 'notLive'],
};

/** The members of the device object that decide. */
export type ActedDevice = Pick<
  Device,
  | 'api'
  | 'connection'
  | 'module'
  | 'module-name'
  | 'pause-until'
  | 'problem'
  | 'product-id'
  | 'reg-state'
  | 'update-state'
> & { readonly status: Pick<Device['status'], 'living' | 'recording' | 'tasks'> };

/** Whether the product can do it at all, whatever its state is. */
export function canEver(device: Omit<ActedDevice, 'status'>, action: DeviceAction): boolean {
  const { api, module, 'module-name': model, 'product-id': productId } = device;
  const family = familyOf(module);
  const act = actOf[action];
  const { interact, record, live } = capabilitiesOf({ family, productId, model, api });
  const hasPart = { rename: true, reboot: true, record, live, quick: family === 'director' }[act];
  return interact && hasPart && actsOfApi[api].includes(act);
}

/** Why the hub refuses the action; undefined if it sends it to the device. */
export function refusedBy(device: ActedDevice, action: DeviceAction): ActionReason | undefined {
  if (device['reg-state'] !== regStates.accepted) return 'notAccepted';
  if (!canEver(device, action)) return 'unsupported';
  if (device.problem === 'overLicense') return 'overLicense';
  if (device['update-state'] >= updateStates.updating) return 'updating';
  if (device.connection !== 'online') return device.connection;
  if (device['pause-until'] !== undefined) return 'pausing';
  return device.status.tasks?.find((task) => forbiddenBy[action].includes(task));
}

/** Why the action is of no use now: the hub would refuse it, or the device is in that state already. */
export function blockedBy(device: ActedDevice, action: DeviceAction): ActionReason | undefined {
  const refused = refusedBy(device, action);
  const [fact, value, reason] = states[action] ?? [];
  if (refused !== undefined || fact === undefined) return refused;
  return device.status[fact] === value ? reason : undefined;
}

/**
 * Why a device did not carry out an action, in addition to the problems that any call can have (device-problems.ts).
 *
 * - `noSignal`: nothing at its input
 * - `storageMissing`, `storageLost`, `storageFull`, `storageLow`, `storageSlow`, `storageReadOnly`, `storageFailed`
 * - `badConfig`: its settings conflict with each other, or a value is outside of its limits
 * - `codec`: it cannot encode
 * - `liveLocked`: another client holds the live stream
 * - `noServer`: none of its stream servers is enabled, or one has no address
 * - `sessionLimit`, `ndiLimit`, `quickLimit`: it cannot send more streams: of all kinds, of NDI, of quick streams
 * - `sessionNotStarted`: it could not start the stream
 * - `noQuickStream`: its list of streams is empty
 * - `overloaded`: its processor or memory are used up
 * - `networkDown`: it has no network
 * - `nameTaken`, `nameCharacters`: of a new name
 * - `invalidValue`, `wrongState`, `notFound`, `limitReached`, `ioFailed`, `connectionFailed`, `addressInUse`,
 *   `tookTooLong`, `interrupted`, `deviceError`: the meaning of its generic result code
 * - `notDone`: it did not respond, or accepted the call, but its state shows that the action was not carried out
 * - `unknown`: it did not respond, and its state could not be read either
 */
export const actionFaults = [
  'noSignal',
  'storageMissing',
  'storageLost',
  'storageFull',
  'storageLow',
  'storageSlow',
  'storageReadOnly',
  'storageFailed',
  'badConfig',
  'codec',
  'liveLocked',
  'noServer',
  'sessionLimit',
  'ndiLimit',
  'quickLimit',
  'sessionNotStarted',
  'noQuickStream',
  'overloaded',
  'networkDown',
  'nameTaken',
  'nameCharacters',
  'invalidValue',
  'wrongState',
  'notFound',
  'limitReached',
  'ioFailed',
  'connectionFailed',
  'addressInUse',
  'tookTooLong',
  'interrupted',
  'deviceError',
  'notDone',
  'unknown',
] as const;
export type ActionFault = (typeof actionFaults)[number];
