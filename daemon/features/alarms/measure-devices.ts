/** Applies the rules of devices at one moment. With many devices in the same fault, one alarm stands for all. Pure. */
import type { DeviceAlarmRules } from '../../contract/alarm-fields.ts';
import { type DeviceRuleKind, deviceRuleKinds } from '../../contract/alarm-kinds.ts';
import type { DeviceFacts } from '../../contract/device-facts.ts';
import { deviceWarnBits } from '../../contract/device-states.ts';
import { limits } from '../../contract/limits.ts';
import type { Condition, Reading } from './measure.ts';
import { keyOf, type Watched } from './watch.ts';

export interface WatchedDevice {
  readonly sn: string;
  readonly name: string;
  readonly connection: 'connecting' | 'online' | 'offline';
  /** Word of the problem that the hub has with it. */
  readonly problem: string | undefined;
  /** Whether that is more than an offline device. */
  readonly hasProblem: boolean;
  /** Bits of `deviceWarnBits`; 0 while it is offline. */
  readonly warnings: number;
  /** Undefined while it is offline. */
  readonly facts: DeviceFacts | undefined;
}

/** The common alarm ends below this number; then the devices that still have the fault get alarms of their own. */
const commonUntil = limits.alarm.devicesAtOnce / 2;

export interface DeviceReadings {
  /** Only for devices that have the fault, or an alarm. */
  readonly readings: Reading[];
  /** Serial numbers of the devices that the common alarm of each kind is about. */
  readonly common: ReadonlyMap<string, readonly string[]>;
}

interface Found {
  readonly reading: Reading;
  readonly badFrom: number;
}

export function readDevices(
  devices: Iterable<WatchedDevice>,
  rules: DeviceAlarmRules,
  watched: ReadonlyMap<string, Watched>,
  now: number,
): DeviceReadings {
  const readings: Reading[] = [];
  const alone = new Map<DeviceRuleKind, Found[]>();
  const unclear = new Map<DeviceRuleKind, number>();
  const enabled = deviceRuleKinds.filter((kind) => rules[kind].enable);
  for (const kind of enabled) alone.set(kind, []);
  for (const device of devices) {
    for (const kind of enabled) {
      const { condition, ...measured } = measure[kind](device, rules);
      if (condition === 'unknown') unclear.set(kind, (unclear.get(kind) ?? 0) + 1);
      const key = keyOf({ kind, channel: theHub, device: device.sn, output: undefined });
      const before = watched.get(key);
      if (condition !== 'bad' && before?.isRaised !== true) continue;
      const channel = { id: 0, name: device.name };
      const reading = { kind, channel, device: device.sn, output: undefined, condition, ...measured };
      if (before?.isRaised) readings.push(reading);
      else alone.get(kind)?.push({ reading, badFrom: before?.badFrom ?? now });
    }
  }
  const common = new Map<string, readonly string[]>();
  for (const [kind, found] of alone) {
    const isRaised = watched.get(keyOf({ kind, channel: theHub, device: undefined, output: undefined }))?.isRaised;
    const isDue = found.some(({ reading, badFrom }) => now - badFrom >= reading.holdMs);
    const isMany = isRaised === true || (isDue && found.length >= limits.alarm.devicesAtOnce);
    for (const { reading } of found) readings.push(isMany ? { ...reading, holdMs: Number.POSITIVE_INFINITY } : reading);
    if (!isMany) continue;
    common.set(
      kind,
      found.map(({ reading }) => reading.device ?? ''),
    );
    readings.push(commonReading(kind, found.length, unclear.get(kind) ?? 0));
  }
  return { readings, common };
}

const theHub = { id: 0, name: '' };

function commonReading(kind: DeviceRuleKind, count: number, unclear: number): Reading {
  const isOver = count < commonUntil;
  return {
    ...{ kind, channel: theHub, device: undefined, output: undefined, holdMs: 0 },
    ...{ threshold: limits.alarm.devicesAtOnce, value: count },
    // After a restart of the hub, devices that it has not reached yet may have the fault.
    condition: !isOver ? 'bad' : count + unclear >= commonUntil ? 'between' : 'good',
  };
}

type Measured = Pick<Reading, 'condition' | 'holdMs' | 'threshold' | 'value' | 'reason'>;
type Measure = (device: WatchedDevice, rules: DeviceAlarmRules) => Measured;

const measure: Readonly<Record<DeviceRuleKind, Measure>> = {
  'device-offline': (device, rules) =>
    lasting(device, rules['device-offline'], device.connection === 'offline' && !device.hasProblem, device.problem),
  'device-problem': (device, rules) => lasting(device, rules['device-problem'], device.hasProblem, device.problem),
  'device-no-signal': (device, rules) =>
    lasting(device, rules['device-no-signal'], warns(device, 'noSignal', 'unsupportedSignal')),
  'device-hot': readHeat,
  'device-storage': (device, rules) =>
    lasting(
      device,
      rules['device-storage'],
      warns(device, 'diskFull', 'diskSlow') ||
        (device.facts?.disks ?? []).some((disk) => isFaulty(disk, rules['device-storage'].percent)),
    ),
  'device-network': (device, rules) => lasting(device, rules['device-network'], warns(device, 'networkDown')),
};

function warns({ warnings }: WatchedDevice, ...words: readonly (keyof typeof deviceWarnBits)[]): boolean {
  return words.some((word) => (warnings & deviceWarnBits[word]) !== 0);
}

function lasting(
  { connection, hasProblem }: WatchedDevice,
  { seconds }: { readonly seconds: number },
  isBad: boolean,
  reason?: string,
): Measured {
  const condition = isBad ? 'bad' : connection === 'connecting' && !hasProblem ? 'unknown' : 'good';
  const measured = { condition, holdMs: seconds * 1000, threshold: seconds, value: undefined } as const;
  return isBad && reason !== undefined ? { ...measured, reason } : measured;
}

/** The temperature must fall by so many degrees before the alarm is cleared. */
const cooler = 3;

function readHeat(device: WatchedDevice, rules: DeviceAlarmRules): Measured {
  const { celsius, seconds } = rules['device-hot'];
  const temperature = device.facts?.temperature;
  const isHot = warns(device, 'hot') || (temperature ?? 0) >= celsius;
  const { condition, holdMs } = lasting(device, { seconds }, isHot);
  const isWarm = condition === 'good' && (temperature ?? 0) > celsius - cooler;
  const shown: Condition = isWarm ? 'between' : condition;
  return { condition: shown, holdMs, threshold: celsius, value: temperature };
}

const faultyDisks: ReadonlySet<string> = new Set(['full', 'slow', 'readOnly', 'failed']);

function isFaulty(disk: DeviceFacts['disks'][number], percent: number): boolean {
  const { 'total-bytes': total = 0, 'free-bytes': free = total } = disk;
  return faultyDisks.has(disk.state) || (disk.state === 'ready' && total > 0 && free < (total * percent) / 100);
}
