import { msg } from '@lingui/core/macro';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import {
  type DeviceState,
  deviceLooks,
  deviceStates,
  familyTexts,
  reasonsOf,
  shownSerial,
  stateOf,
} from '../../shared/devices/device-look.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import type { Column, StateFilter } from '../../ui/table/column.ts';
import {
  ActivityCell,
  AppliedCell,
  ChannelsCell,
  CodecCell,
  FamilyCell,
  NameCell,
  PercentCell,
  PlaysCell,
  RateCell,
  SignalCell,
  StateCell,
  TemperatureCell,
  UptimeCell,
} from './device-cells.tsx';
import { type DeviceKind, kindOf } from './device-lists.ts';

const rank = new Map<DeviceState, number>(deviceStates.map((state, at) => [state, at]));
const addressOf = ({ status }: Device) => status.eth ?? status.wifi ?? '';
const ownersOf = (device: Device) => [...(device['owner-i'] ?? []), ...(device['owner-o'] ?? [])].join(' ');

const state: Column<Device> = {
  key: 'state',
  title: msg`State`,
  width: 122,
  cell: (device) => <StateCell device={device} />,
  sortValue: (device) => rank.get(stateOf(device)) ?? 0,
  searchText: (device, i18n) =>
    [deviceLooks[stateOf(device)].text, ...reasonsOf(device)].map((text) => i18n._(text)).join(' '),
  isFixed: true,
  onCard: 'state',
};

const name: Column<Device> = {
  key: 'name',
  title: msg`Name`,
  // With the picture beside it.
  minWidth: 220,
  cell: (device) => <NameCell device={device} />,
  sortValue: (device) => device.name,
  searchText: (device) => device.name,
  isFixed: true,
  onCard: 'title',
};

const model: Column<Device> = {
  key: 'model',
  title: msg`Model`,
  width: 150,
  priority: 5,
  cell: (device) => device['module-name'],
  sortValue: (device) => device['module-name'],
  searchText: (device, i18n) => {
    const family = familyTexts[familyOf(device.module)];
    return `${device['module-name']} ${typeof family === 'string' ? family : i18n._(family)}`;
  },
};

const serial: Column<Device> = {
  key: 'sn',
  title: msg`Serial number`,
  width: 150,
  priority: 2,
  cell: (device) => shownSerial(device.sn, familyOf(device.module)),
  sortValue: (device) => device.sn,
  searchText: (device) => device.sn,
};

const firmware: Column<Device> = {
  key: 'firmware',
  title: msg`Firmware`,
  width: 104,
  cell: (device) => device['firmware-ver'],
  sortValue: (device) => device['firmware-ver'],
  searchText: (device) => device['firmware-ver'],
  isOptional: true,
};

const address: Column<Device> = {
  key: 'address',
  title: msg`IP address`,
  width: 120,
  priority: 3,
  cell: (device) => addressOf(device) || <NoValue />,
  sortValue: addressOf,
  searchText: (device) => Object.values(device.status).join(' '),
};

const signal: Column<Device> = {
  key: 'signal',
  title: msg`Signal`,
  width: 172,
  priority: 4,
  cell: (device) => <SignalCell device={device} />,
  searchText: (device) => device['pro-feature'].input ?? '',
};

const activity: Column<Device> = {
  key: 'activity',
  title: msg`Live / recording`,
  // Its title with the mark of the order beside it.
  width: 160,
  priority: 3,
  cell: (device) => <ActivityCell device={device} />,
  sortValue: (device) => device.status['cur-status'] & 6,
};

const rate: Column<Device> = {
  key: 'rate',
  title: msg`Bitrate`,
  width: 112,
  isRight: true,
  priority: 2,
  cell: (device) => <RateCell kbps={device.figures['stream-kbps']} />,
  sortValue: (device) => device.figures['stream-kbps'] ?? -1,
};

const channels: Column<Device> = {
  key: 'channels',
  title: msg`Channels`,
  width: 130,
  priority: 2,
  cell: (device) => <ChannelsCell device={device} />,
  searchText: ownersOf,
  onCard: 'line',
};

const cpu: Column<Device> = {
  key: 'cpu',
  title: msg`CPU`,
  width: 76,
  isRight: true,
  cell: (device) => <PercentCell value={device.figures.cpu} />,
  sortValue: (device) => device.figures.cpu ?? -1,
  onCard: 'none',
};

const temperature: Column<Device> = {
  key: 'temperature',
  title: msg`Temperature`,
  width: 118,
  isRight: true,
  cell: (device) => <TemperatureCell value={device.figures.temperature} />,
  sortValue: (device) => device.figures.temperature ?? -1,
  isOptional: true,
  onCard: 'none',
};

const uptime: Column<Device> = {
  key: 'uptime',
  title: msg`Uptime`,
  width: 112,
  isRight: true,
  cell: (device) => <UptimeCell seconds={device.status['up-time']} />,
  sortValue: (device) => device.status['up-time'] ?? -1,
  isOptional: true,
  onCard: 'none',
};

const codec: Column<Device> = {
  key: 'codec',
  title: msg`Codec`,
  width: 148,
  priority: 3,
  cell: (device) => <CodecCell device={device} />,
  sortValue: (device) => device['pro-feature'].codec ?? '',
  searchText: (device) => device['pro-feature'].codec ?? '',
};

const plays: Column<Device> = {
  key: 'plays',
  title: msg`Plays`,
  minWidth: 180,
  priority: 4,
  cell: (device) => <PlaysCell device={device} />,
  sortValue: (device) => device['pro-feature'].source?.name ?? '',
  searchText: (device) => device['pro-feature'].source?.name ?? '',
};

/** What an encoder gets, or what a decoder shows. */
const signalOrSource: Column<Device> = {
  ...signal,
  title: msg`Signal or source`,
  cell: (device) => (kindOf(device) === 'decoders' ? <PlaysCell device={device} /> : <SignalCell device={device} />),
  searchText: ({ 'pro-feature': { input = '', source } }) => `${input} ${source?.name ?? ''}`,
};

const family: Column<Device> = {
  key: 'family',
  title: msg`Family`,
  width: 170,
  priority: 4,
  cell: (device) => <FamilyCell device={device} />,
  sortValue: (device) => device.module,
};

const rest = [address, cpu, temperature, uptime, serial, firmware] as const;

/** What is stated of each kind of devices. */
export const columnsOfKind: Readonly<Record<DeviceKind | 'all', readonly Column<Device>[]>> = {
  all: [state, name, model, signalOrSource, activity, rate, channels, ...rest],
  encoders: [state, name, model, signal, codec, activity, { ...rate, priority: 4 }, channels, ...rest],
  decoders: [state, name, model, plays, rate, channels, ...rest],
  others: [state, name, model, family, address, { ...uptime, isOptional: false }, serial, firmware, cpu, temperature],
};

/** Of devices that wait for approval or were rejected: nothing is known of them but what they said of themselves. */
export const applicantColumns: readonly Column<Device>[] = [
  { ...state, key: 'registration', width: 156 },
  { ...name, minWidth: 200 },
  model,
  serial,
  {
    key: 'applied',
    title: msg`Registered`,
    width: 190,
    priority: 4,
    cell: (device) => <AppliedCell device={device} />,
    sortValue: (device) => device['apply-date'],
  },
  firmware,
];

const inState = (key: DeviceState): StateFilter<Device> => ({
  key,
  title: deviceLooks[key].text,
  has: (device) => stateOf(device) === key,
});

export const acceptedStates: readonly StateFilter<Device>[] = [
  inState('online'),
  inState('warning'),
  inState('offline'),
  inState('connecting'),
];
