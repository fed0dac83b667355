import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDeviceTv, IconPlus } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useLocation } from 'react-router-dom';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { useTopic } from '../../api/live.ts';
import { useMay, useSession } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { devicesQuery, devicesTopic } from '../../shared/devices/devices-query.ts';
import { useDeviceGroups } from '../../shared/devices/groups-query.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { DeviceDialogs } from './DeviceDialogs.tsx';
import { DeviceRowActions } from './DeviceRowActions.tsx';
import { approvalActs, controlActs, deleteActs, favoriteActs, moveActs, upgradeActs } from './device-bulk.ts';
import { PictureLink } from './device-cells.tsx';
import { acceptedStates, applicantColumns, columnsOfKind } from './device-columns.tsx';
import { type DeviceListKind, groupOfPath, kindOf, listOfPath } from './device-lists.ts';
import { GroupButtons } from './groups/GroupButtons.tsx';

import { useKindFilter } from './KindFilter.tsx';

const AddDeviceDialog = deferredPart(() => import('./AddDeviceDialog.tsx'));
const ClashPanel = deferredPart(() => import('./clashes/ClashPanel.tsx'));
const GroupDialog = deferredPart(() => import('./groups/GroupDialog.tsx'));
const NotFoundPage = deferredPart(() => import('../../shared/page/NotFoundPage.tsx'));

const picture = (device: Device) => <PictureLink device={device} />;

export default function DeviceListPage() {
  const { pathname } = useLocation();
  const list = listOfPath(pathname);
  useTopic(devicesTopic, true);
  const devices = useSuspenseQuery(devicesQuery).data;
  if (list === undefined) return <NotFoundPage />;
  return <DeviceList key={pathname} list={list} group={groupOfPath(pathname)} devices={devices} />;
}

interface DeviceListProps {
  readonly list: DeviceListKind;
  /** Id of the group whose devices are shown. */
  readonly group: number | undefined;
  readonly devices: readonly Device[];
}

function DeviceList({ list, group: groupId, devices }: DeviceListProps) {
  const { i18n, t } = useLingui();
  const { id: user } = useSession();
  const mayEdit = useMay('deviceAdvanced');
  const mayControl = useMay('deviceControl');
  const mayControlGroups = useMay('groupControl');
  const dialog = useDialogAddress();
  const group = useDeviceGroups().find(({ id }) => id === groupId);
  const shown = useMemo(() => devices.filter((device) => list.has(device, { user })), [devices, list, user]);
  const { kind, filter } = useKindFilter(shown);
  const ofKind = useMemo(() => (kind === 'all' ? shown : shown.filter((one) => kindOf(one) === kind)), [shown, kind]);
  const isOfApplicants = list.key === 'pending' || list.key === 'rejected';
  const bulk = useMemo(() => {
    const acts = isOfApplicants ? (mayEdit ? approvalActs : []) : favoriteActs(user);
    const controls = mayControl && !isOfApplicants ? [...controlActs, ...upgradeActs] : [];
    const moves = mayControlGroups && !isOfApplicants ? moveActs : [];
    return [...acts, ...controls, ...moves, ...(mayEdit ? deleteActs : [])];
  }, [isOfApplicants, mayEdit, mayControl, mayControlGroups, user]);
  const { open } = dialog;
  const actions = useCallback((device: Device) => <DeviceRowActions device={device} open={open} />, [open]);
  const groupTitle = groupId === 0 ? t`Devices in no group` : group?.name;
  const add = mayEdit && !isOfApplicants && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
      <Trans>Add device</Trans>
    </Button>
  );
  return (
    <>
      <PageHeader
        title={groupTitle ?? i18n._(list.title)}
        actions={
          <>
            {group !== undefined && group.id !== 0 && <GroupButtons group={group} dialog={dialog} />}
            {add}
          </>
        }
      />
      {mayEdit && list.key === 'pending' && <ClashPanel />}
      <DataTable
        // Each kind has columns of its own, which the user chooses.
        key={kind}
        id={isOfApplicants ? 'device-applicants' : kind === 'all' ? 'devices' : `devices-${kind}`}
        label={groupTitle ?? i18n._(list.title)}
        columns={isOfApplicants ? applicantColumns : columnsOfKind[kind]}
        {...(!isOfApplicants && { states: acceptedStates, cardTop: picture, filter })}
        bulk={bulk}
        items={isOfApplicants ? shown : ofKind}
        rowActions={actions}
        actionsWidth={isOfApplicants ? 84 : 48}
        empty={<Nothing list={list} action={add} />}
      />
      <DeviceDialogs device={devices.find(({ id }) => id === dialog.id)} dialog={dialog} />
      {mayControlGroups && groupId === 0 && dialog.name === 'add-group' && (
        <GroupDialog parent={undefined} group={undefined} onClose={dialog.close} />
      )}
      {mayEdit && dialog.name === 'add' && <AddDeviceDialog groupId={groupId ?? 0} onClose={dialog.close} />}
    </>
  );
}

function Nothing({ list, action }: { list: DeviceListKind; action: ReactNode }) {
  const texts: Record<DeviceListKind['key'], [ReactNode, ReactNode]> = {
    pending: [
      <Trans key="title">No device is waiting for approval</Trans>,
      <Trans key="text">Devices that register with this hub appear here until they are accepted or rejected.</Trans>,
    ],
    rejected: [
      <Trans key="title">No rejected devices</Trans>,
      <Trans key="text">A rejected device cannot register again before it is deleted here.</Trans>,
    ],
    all: [
      <Trans key="title">No devices yet</Trans>,
      <Trans key="text">Add encoders and decoders by address, or let them register with this hub.</Trans>,
    ],
    warning: [
      <Trans key="title">No warnings</Trans>,
      <Trans key="text">Devices without a signal, with a wrong password or another problem appear here.</Trans>,
    ],
    favorite: [
      <Trans key="title">No favorites yet</Trans>,
      <Trans key="text">Choose “Add to favorites” in the menu of a device. Every user has their own favorites.</Trans>,
    ],
    group: [
      <Trans key="title">No devices in this group</Trans>,
      <Trans key="text">Choose “Move to a group” in the menu of a device.</Trans>,
    ],
  };
  const [title, text] = texts[list.key];
  return (
    <EmptyState
      icon={IconDeviceTv}
      title={title}
      action={list.key === 'all' || list.key === 'group' ? action : undefined}
    >
      {text}
    </EmptyState>
  );
}
