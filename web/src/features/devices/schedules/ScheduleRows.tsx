import { useLingui } from '@lingui/react/macro';
import {
  IconDotsVertical,
  IconListDetails,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Schedule } from '../../../../../daemon/contract/schedules.ts';
import { useMay } from '../../../api/session.ts';
import { actionFaultText } from '../../../i18n/device-action-text.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../../ui/overlay/dialog-address.ts';
import styles from './Schedules.module.css';
import { changeSchedule, deleteSchedule, zoneQuery } from './schedule-calls.ts';
import {
  actionTexts,
  daysText,
  lastText,
  momentText,
  nextTexts,
  problemTexts,
  scheduleLooks,
  stateOf,
  timesText,
} from './schedule-look.ts';

interface ScheduleProps {
  readonly schedule: Schedule;
}

export function StateCell({ schedule }: ScheduleProps) {
  const { i18n } = useLingui();
  const { problem } = schedule;
  return (
    <span className={styles.cell}>
      <LookMark look={scheduleLooks[stateOf(schedule)]} />
      {problem !== undefined && <span className={styles.faint}>{i18n._(problemTexts[problem])}</span>}
    </span>
  );
}

export function WhatCell({ schedule }: ScheduleProps) {
  const { i18n } = useLingui();
  return (
    <span className={styles.cell}>
      <span>{i18n._(actionTexts[schedule.action])}</span>
      <span className={styles.faint}>{timesText(i18n, schedule)}</span>
    </span>
  );
}

export function WhenCell({ schedule }: ScheduleProps) {
  const { i18n } = useLingui();
  return daysText(i18n, schedule);
}

export function NextCell({ schedule: { next } }: ScheduleProps) {
  const { i18n } = useLingui();
  const zone = useQuery(zoneQuery).data;
  if (next === undefined || zone === undefined) return <NoValue />;
  return (
    <span className={styles.cell}>
      <span>{momentText(i18n, next.time, zone)}</span>
      <span className={styles.faint}>{i18n._(nextTexts[next.part])}</span>
    </span>
  );
}

export function LastRunCell({ schedule: { last } }: ScheduleProps) {
  const { i18n } = useLingui();
  const zone = useQuery(zoneQuery).data;
  if (last === undefined || zone === undefined) return <NoValue />;
  return (
    <span className={styles.cell}>
      <span>{lastText(i18n, last)}</span>
      <span className={styles.faint}>{momentText(i18n, last.time, zone)}</span>
    </span>
  );
}

interface ScheduleActionsProps extends ScheduleProps {
  readonly open: DialogAddress['open'];
}

export function ScheduleActions({ schedule, open }: ScheduleActionsProps) {
  const { t, i18n } = useLingui();
  const mayControl = useMay('deviceControl');
  const { id, name, enabled, last } = schedule;
  const report = (error: unknown) => showToast('error', `${name}: ${actionFaultText(i18n, error)}`, `schedule-${id}`);
  const remove = () =>
    confirm({
      title: t`Delete schedule “${name}”?`,
      consequence: t`It does not run again. What it has started continues.`,
      verb: t`Delete schedule`,
      isDangerous: true,
      run: () => deleteSchedule({ id }),
      done: t`“${name}” was deleted.`,
    });
  const change = () => void changeSchedule({ id, enabled: !enabled }).catch(report);
  const run = { key: 'run', text: t`Show last run`, icon: IconListDetails, onSelect: () => open('run', id) };
  const changes = [
    { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
    enabled
      ? { key: 'disable', text: t`Disable`, icon: IconPlayerPause, onSelect: change }
      : { key: 'enable', text: t`Enable`, icon: IconPlayerPlay, onSelect: change },
    { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
  ];
  const items = [...(last === undefined ? [] : [run]), ...(mayControl ? changes : [])];
  if (items.length === 0) return null;
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => items}
    />
  );
}
