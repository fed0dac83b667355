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
  NameCell,
  PercentCell,
  RateCell,
  SignalCell,
  StateCell,
  TemperatureCell,
  UptimeCell,
} from './device-cells.tsx';

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

export const acceptedColumns: readonly Column<Device>[] = [
  state,
  name,
  model,
  {
    key: 'signal',
    title: msg`Signal`,
    width: 172,
    priority: 4,
    cell: (device) => <SignalCell device={device} />,
    searchText: (device) => device['pro-feature'].input ?? '',
  },
  {
    key: 'activity',
    title: msg`Live / recording`,
    width: 130,
    priority: 3,
    cell: (device) => <ActivityCell device={device} />,
    sortValue: (device) => device.status['cur-status'] & 6,
  },
  {
    key: 'rate',
    title: msg`Bitrate`,
    width: 112,
    isRight: true,
    priority: 2,
    cell: (device) => <RateCell kbps={device.figures['stream-kbps']} />,
    sortValue: (device) => device.figures['stream-kbps'] ?? -1,
  },
  {
    key: 'channels',
    title: msg`Channels`,
    width: 130,
    priority: 2,
    cell: (device) => <ChannelsCell device={device} />,
    searchText: ownersOf,
    onCard: 'line',
  },
  address,
  {
    key: 'cpu',
    title: msg`CPU`,
    width: 76,
    isRight: true,
    cell: (device) => <PercentCell value={device.figures.cpu} />,
    sortValue: (device) => device.figures.cpu ?? -1,
    onCard: 'none',
  },
  {
    key: 'temperature',
    title: msg`Temperature`,
    width: 118,
    isRight: true,
    cell: (device) => <TemperatureCell value={device.figures.temperature} />,
    sortValue: (device) => device.figures.temperature ?? -1,
    isOptional: true,
    onCard: 'none',
  },
  {
    key: 'uptime',
    title: msg`Uptime`,
    width: 112,
    isRight: true,
    cell: (device) => <UptimeCell seconds={device.status['up-time']} />,
    sortValue: (device) => device.status['up-time'] ?? -1,
    isOptional: true,
    onCard: 'none',
  },
  serial,
  firmware,
];

/** Of devices that wait for approval or were rejected: nothing is known of them but what they said of themselves. */
export const applicantColumns: readonly Column<Device>[] = [
  { ...state, key: 'registration' },
  { ...name, minWidth: 200 },
  model,
  serial,
  {
    key: 'applied',
    title: msg`Applied`,
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
