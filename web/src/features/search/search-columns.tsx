import { msg } from '@lingui/core/macro';
import { Link } from 'react-router-dom';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { deviceLooks, shownSerial, stateOf } from '../../shared/devices/device-look.ts';
import { placeOfDevice } from '../../shared/devices/device-place.ts';
import { useDeviceGroups } from '../../shared/devices/groups-query.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import type { Column } from '../../ui/table/column.ts';
import styles from './SearchPage.module.css';

export const deviceResultColumns: readonly Column<Device>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 156,
    cell: (device) => <LookMark look={deviceLooks[stateOf(device)]} />,
    onCard: 'state',
  },
  {
    key: 'name',
    title: msg`Name`,
    cell: (device) => (
      <Link className={styles.name ?? ''} to={placeOfDevice(device)} title={device.name}>
        {device.name}
      </Link>
    ),
    onCard: 'title',
  },
  { key: 'model', title: msg`Model`, width: 170, priority: 3, cell: (device) => device['module-name'] },
  {
    key: 'sn',
    title: msg`Serial number`,
    width: 160,
    priority: 5,
    cell: (device) => shownSerial(device.sn, familyOf(device.module)),
  },
  {
    key: 'address',
    title: msg`IP address`,
    width: 130,
    priority: 4,
    cell: ({ status }) => status.eth ?? status.wifi ?? status.rndis ?? <NoValue />,
  },
  { key: 'group', title: msg`Device group`, width: 150, priority: 2, cell: (device) => <GroupName device={device} /> },
];

function GroupName({ device }: { device: Device }) {
  const id = device['catalog-id'];
  const name = useDeviceGroups().find((group) => group.id === id)?.name;
  return id === 0 || name === undefined ? <NoValue /> : <span title={name}>{name}</span>;
}
