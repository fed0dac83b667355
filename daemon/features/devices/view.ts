/** Devices in API form. Pure. */
import { capabilitiesOf, connectableAs, familyOf, isPulled } from '../../contract/device-catalog.ts';
import type { DeviceFacts } from '../../contract/device-facts.ts';
import type { DevicePictureProblem } from '../../contract/device-problems.ts';
import { deviceStatusBits, deviceWarnBits } from '../../contract/device-states.ts';
import type { Device } from '../../contract/devices.ts';
import { devicePreviewId } from '../../contract/preview-stream.ts';
import { directions } from '../../contract/streams.ts';
import type { DeviceHistory } from '../../devices/report.ts';
import type { OwnDevice } from './inventory.ts';
import { entryName } from './places.ts';
import type { Report } from './reports.ts';
import type { DeviceRow } from './store.ts';

/** A channel that a device publishes to or plays. */
export interface Owner {
  readonly id: number;
  readonly name: string;
}

export interface Owners {
  readonly input: readonly Owner[];
  readonly output: readonly Owner[];
}

/** Values of the history that a device object has. */
export const shownSteps = 24;
/** The lowest bit of a node's type: it is a device. */
const deviceNode = 1;

export const directionOf = ({ module, productId, model, api }: DeviceRow) =>
  capabilitiesOf({ family: familyOf(module), productId, model, api }).direction;

/** An agent carries no stream that the hub could open. */
const connectDirectionOf = ({ module, productId, model, api, link }: DeviceRow) =>
  link === 'agent' && isPulled(api) ? 'none' : connectableAs({ family: familyOf(module), productId, model, api });

export interface ShownReport extends Report {
  readonly pictureProblem?: DevicePictureProblem | undefined;
  readonly upgrade: Pick<Device, 'update-state' | 'upgrade'>;
}

/** Names of the given and no other, as the API has them. */
export function viewDevice({ row }: OwnDevice, report: ShownReport, owners: Owners): Device {
  const { connection, since, problem, pictureProblem, facts, pauseUntil } = report;
  const dir = directions[directionOf(row)];
  const isOnline = connection === 'online';
  return {
    id: row.id,
    sn: row.sn,
    name: row.name,
    'reg-state': row.regState,
    'apply-date': row.appliedAt,
    'online-date': isOnline ? since : 0,
    since,
    connection,
    ...(problem && { problem: problem.word }),
    ...(pauseUntil !== undefined && { 'pause-until': pauseUntil }),
    ...(isOnline && pictureProblem && { 'picture-problem': pictureProblem }),
    'catalog-id': row.groupId ?? 0,
    module: row.module,
    'module-name': row.model,
    api: row.api,
    'product-id': row.productId,
    'dev-type': dir | (row.module & 0xff),
    'hardware-ver': row.hardwareVersion,
    'firmware-ver': row.firmwareVersion,
    type: dir | deviceNode,
    dir,
    'connect-dir': directions[connectDirectionOf(row)],
    'dev-warns': isOnline ? warnsOf(facts) : 0,
    config: row.connection,
    'group-mask': row.groupMask,
    'usr-mask': row.userMask,
    'is-inherit': row.isInherited ? 1 : 0,
    'is-favorite': row.favorites,
    ...uploadOf(report.upgrade),
    ...report.upgrade,
    'preview-id': devicePreviewId(row.sn),
    'push-key': row.pushKey,
    'pro-feature': isOnline ? inWords(facts, owners) : {},
    ...(owners.input.length > 0 && { 'owner-i': namesOf(owners.input), 'owner-i-d': idsOf(owners.input) }),
    ...(owners.output.length > 0 && { 'owner-o': namesOf(owners.output), 'owner-o-d': idsOf(owners.output) }),
    status: isOnline ? statusOf(facts, report.upgrade) : { 'cur-status': 0 },
    figures: isOnline ? figuresOf(facts) : {},
    link: row.link,
    revision: row.revision,
  };
}

function uploadOf({ upgrade }: ShownReport['upgrade']) {
  const isSent = upgrade?.step === 'uploading';
  return { 'is-upload-file': isSent ? 1 : 0, 'upload-file-pos': isSent ? upgrade.percent : 0 };
}

function inWords(facts: DeviceFacts | undefined, { output: [played] }: Owners): Device['pro-feature'] {
  const [signal, codec] = [signalText(facts), codecText(facts?.main)];
  const { name = '', connected = false } = facts?.source ?? {};
  return {
    ...(signal !== undefined && { input: signal }),
    ...(codec !== '' && { codec }),
    // The preset that the hub writes has the same name on each decoder.
    ...(name !== '' && { source: { name: name === entryName ? (played?.name ?? name) : name, connected } }),
  };
}

function codecText({ codec, width, height, interlaced }: NonNullable<DeviceFacts['main']> = {}): string {
  const size = width && height ? `${width}x${height}${interlaced === true ? 'i' : 'p'}` : undefined;
  return [codec, size].filter((part) => part !== undefined).join(' ');
}

/** As devices word it themselves: `1920x1080p, 60.00 Hz`. */
function signalText(facts: DeviceFacts | undefined): string | undefined {
  const { state, text, width, height, interlaced, fps } = facts?.signal ?? {};
  if (text !== undefined || state !== 'present' || width === undefined || height === undefined) return text;
  return `${width}x${height}${interlaced === true ? 'i' : 'p'}${fps === undefined ? '' : `, ${fps.toFixed(2)} Hz`}`;
}

const namesOf = (owners: readonly Owner[]) => owners.map(({ name }) => name);
const idsOf = (owners: readonly Owner[]) => owners.map(({ id }) => id);

/** The same with the last `shownSteps` of its history. */
export function withHistory(device: Device, history: DeviceHistory | undefined): Device {
  if (history === undefined) return device;
  const rx = history.rxKbps.map((kbps) => (kbps === null ? null : Math.round(kbps * 1000)));
  return { ...device, status: { ...device.status, cpu: [...history.cpu], 'eth-rx': rx } };
}

/** The same for users who may not edit the device. */
export function withoutPushKey<T extends Device>({ 'push-key': key, ...device }: T) {
  return { ...device, 'push-key-set': key !== undefined };
}

export function warnsOf(facts: DeviceFacts | undefined): number {
  return (facts?.warnings ?? []).reduce((mask, word) => mask | deviceWarnBits[word], 0);
}

const statedBits = Object.values(deviceStatusBits).reduce((mask, bit) => mask | bit, 0);

/** The device's own mask may use the stated bits for something else. */
function currentStatus({ signal, recording, living, ...facts }: DeviceFacts): number {
  const mask =
    ((facts['cur-status'] ?? 0) & ~statedBits) |
    (signal?.state === 'none' ? deviceStatusBits.noSignal : 0) |
    (recording === true ? deviceStatusBits.recording : 0) |
    (living === true ? deviceStatusBits.living : 0);
  return mask >>> 0;
}

function statusOf(facts: DeviceFacts | undefined, { upgrade }: ShownReport['upgrade']): Device['status'] {
  if (facts === undefined) return { 'cur-status': 0 };
  const { ethernet, wifi, usb, recording, living } = facts;
  // The facts are those from before the upgrade, which keeps the device.
  const isUpgraded = upgrade !== undefined && upgrade.step !== 'waiting';
  const tasks = isUpgraded ? [...new Set([...facts.tasks, 'updating' as const])] : facts.tasks;
  const uptime = facts['uptime-s'];
  return {
    'cur-status': currentStatus(facts),
    ...(ethernet?.address !== undefined && { eth: ethernet.address }),
    ...(wifi?.address !== undefined && { wifi: wifi.address }),
    ...(usb?.address !== undefined && { rndis: usb.address }),
    ...(uptime !== undefined && { 'up-time': Math.floor(uptime) }),
    ...(recording !== undefined && { recording }),
    ...(living !== undefined && { living }),
    ...(tasks.length > 0 && { tasks }),
  };
}

function figuresOf(facts: DeviceFacts | undefined): Device['figures'] {
  if (facts === undefined) return {};
  const { cpu, memory, temperature, ethernet, streams } = facts;
  const running = streams.flatMap(({ state, kbps }) => (state === 'running' && kbps !== undefined ? [kbps] : []));
  const given = {
    ...{ cpu, memory, temperature, 'rx-kbps': ethernet?.['rx-kbps'], 'tx-kbps': ethernet?.['tx-kbps'] },
    'stream-kbps': running.length > 0 ? running.reduce((sum, kbps) => sum + kbps, 0) : undefined,
  };
  // Rounded, because each change is sent to every reader.
  const known = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Math.round(value)] as const],
  );
  return Object.fromEntries(known);
}
