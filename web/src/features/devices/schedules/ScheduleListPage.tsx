import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconCalendarTime, IconPlus } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { limits } from '../../../../../daemon/contract/limits.ts';
import type { Schedule } from '../../../../../daemon/contract/schedules.ts';
import { useTopic } from '../../../api/live.ts';
import { useMay } from '../../../api/session.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { devicesTopic } from '../../../shared/devices/devices-query.ts';
import { PageHeader } from '../../../shared/page/PageHeader.tsx';
import { EmptyState } from '../../../ui/layout/EmptyState.tsx';
import { useDialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import { type Column, nameColumn } from '../../../ui/table/column.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { LastRunCell, NextCell, ScheduleActions, StateCell, WhatCell, WhenCell } from './ScheduleRows.tsx';
import styles from './Schedules.module.css';
import { schedulesQuery, schedulesTopic, zoneQuery } from './schedule-calls.ts';
import { actionTexts, stateOf } from './schedule-look.ts';

const ScheduleDialog = deferredPart(() => import('./ScheduleDialog.tsx'));
const LastRunDialog = deferredPart(() => import('./LastRunDialog.tsx'));

const columns: readonly Column<Schedule>[] = [
  nameColumn,
  {
    key: 'state',
    title: msg`State`,
    width: 150,
    cell: (schedule) => <StateCell schedule={schedule} />,
    sortValue: stateOf,
    onCard: 'state',
  },
  {
    key: 'what',
    title: msg`Action`,
    width: 180,
    priority: 3,
    cell: (schedule) => <WhatCell schedule={schedule} />,
    sortValue: ({ action }) => action,
    searchText: ({ action }, i18n) => i18n._(actionTexts[action]),
  },
  {
    key: 'when',
    title: msg`Days`,
    width: 150,
    priority: 2,
    cell: (schedule) => <WhenCell schedule={schedule} />,
  },
  {
    key: 'devices',
    title: msg`Devices`,
    width: 96,
    isRight: true,
    priority: 1,
    cell: ({ devices }) => devices,
    sortValue: ({ devices }) => devices,
  },
  {
    key: 'next',
    title: msg`Next run`,
    width: 190,
    priority: 3,
    cell: (schedule) => <NextCell schedule={schedule} />,
    sortValue: ({ next }) => next?.time ?? Number.MAX_SAFE_INTEGER,
    onCard: 'line',
  },
  {
    key: 'last',
    title: msg`Last run`,
    width: 210,
    priority: 2,
    cell: (schedule) => <LastRunCell schedule={schedule} />,
    sortValue: ({ last }) => last?.time ?? 0,
    onCard: 'line',
  },
  {
    key: 'owner',
    title: msg`Saved by`,
    width: 120,
    cell: ({ owner }) => owner,
    sortValue: ({ owner }) => owner,
    searchText: ({ owner }) => owner,
    onCard: 'none',
  },
];

export default function ScheduleListPage() {
  const { t } = useLingui();
  const mayControl = useMay('deviceControl');
  const dialog = useDialogAddress();
  useTopic(schedulesTopic, true);
  const schedules = useSuspenseQuery(schedulesQuery).data;
  const zone = useQuery(zoneQuery).data;
  const { open, close, name } = dialog;
  const actions = useCallback((schedule: Schedule) => <ScheduleActions schedule={schedule} open={open} />, [open]);
  const about = useMemo(() => schedules.find(({ id }) => id === dialog.id), [schedules, dialog.id]);
  const isEditing = mayControl && (name === 'add' || (name === 'edit' && about !== undefined));
  useTopic(devicesTopic, isEditing);
  const { count } = limits.schedules;
  const full = schedules.length >= count ? t`Limit of ${count} schedules reached. Delete one first.` : undefined;
  const add = mayControl && (
    <WithReason reason={full}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
        <Trans>Add schedule</Trans>
      </Button>
    </WithReason>
  );
  return (
    <>
      <PageHeader title={t`Schedules`} actions={add} />
      {zone !== undefined && schedules.length > 0 && (
        <p className={styles.zone}>
          <Trans>
            Times are in the time zone of the hub, <span translate="no">{zone}</span>.
          </Trans>
        </p>
      )}
      <DataTable
        id="schedules"
        label={t`Schedules`}
        columns={columns}
        items={schedules}
        rowActions={actions}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconCalendarTime} title={<Trans>No schedules yet</Trans>} action={add}>
            <Trans>A schedule starts and stops recording or live streaming on devices, every week or once.</Trans>
          </EmptyState>
        }
      />
      {isEditing && (
        <ScheduleDialog key={about?.id ?? 'new'} schedule={name === 'edit' ? about : undefined} onClose={close} />
      )}
      {name === 'run' && about !== undefined && <LastRunDialog schedule={about} onClose={close} />}
    </>
  );
}
