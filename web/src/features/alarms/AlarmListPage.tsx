import { msg, plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconBellCheck, IconDownload } from '@tabler/icons-react';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { isCommon } from '../../../../daemon/contract/alarm-severity.ts';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { alarmExportPath } from '../../../../daemon/contract/calls.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { alarmApi } from '../../api/calls.ts';
import { addressOf, call } from '../../api/client.ts';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { alarmKindText, alarmPlaceText, alarmReasonText } from '../../i18n/alarm-text.ts';
import { faultText } from '../../i18n/result-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { channelPath, devicePath } from '../../lib/paths.ts';
import { acknowledgeAlarms } from '../../shared/alarms/alarm-calls.ts';
import { callsForAttention } from '../../shared/alarms/alarm-state.ts';
import { alarmsTopic, allKey } from '../../shared/alarms/alarms-query.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { Moment } from '../../ui/data/Moment.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import type { Column, StateFilter } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import styles from './AlarmListPage.module.css';
import { AlarmRowActions } from './AlarmRowActions.tsx';
import { AlarmSignals } from './AlarmSignals.tsx';
import { AcknowledgedCell, DurationCell, StateCell } from './alarm-cells.tsx';

const columns: readonly Column<Alarm>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 140,
    cell: (alarm) => <StateCell alarm={alarm} />,
    sortValue: (alarm) => (alarm.cleared > 0 ? 2 : alarm.severity === 'critical' ? 0 : 1),
    isFixed: true,
    onCard: 'state',
  },
  {
    key: 'channel',
    title: msg`Channel or device`,
    minWidth: 180,
    cell: (alarm) => <ChannelCell alarm={alarm} />,
    sortValue: ({ name }) => name,
    searchText: ({ name, device = '', output }) => `${name} ${device} ${output?.name ?? ''}`,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'kind',
    title: msg`Alarm`,
    minWidth: 190,
    priority: 3,
    cell: (alarm) => <KindCell alarm={alarm} />,
    searchText: ({ kind, reason }, i18n) => `${alarmKindText(i18n, kind)} ${alarmReasonText(i18n, reason)}`,
    onCard: 'line',
  },
  {
    key: 'raised',
    title: msg`Raised`,
    width: 180,
    priority: 1,
    cell: ({ raised }) => <Moment time={raised} />,
    sortValue: ({ raised }) => raised,
  },
  { key: 'duration', title: msg`Duration`, width: 120, priority: 2, cell: (alarm) => <DurationCell alarm={alarm} /> },
  {
    key: 'acknowledged',
    title: msg`Acknowledged`,
    width: 180,
    cell: (alarm) => <AcknowledgedCell alarm={alarm} />,
    searchText: ({ acknowledged }) => acknowledged?.by ?? '',
  },
];

const states: readonly StateFilter<Alarm>[] = [
  {
    key: 'critical',
    title: msg`Critical`,
    has: ({ cleared, severity }) => cleared === 0 && severity === 'critical',
  },
  { key: 'warning', title: msg`Warning`, has: ({ cleared, severity }) => cleared === 0 && severity === 'warning' },
  { key: 'cleared', title: msg({ message: 'Cleared', context: 'state' }), has: ({ cleared }) => cleared > 0 },
];

/** The topic keeps the list current. */
const allAlarmsQuery = queryOptions({
  queryKey: allKey,
  queryFn: async ({ signal }): Promise<Alarm[]> =>
    (await call(alarmApi.list, { query: { count: limits.page.max }, signal })).list,
});

const rowActions = (alarm: Alarm) => (alarm.cleared === 0 ? <AlarmRowActions alarm={alarm} /> : null);

/** The newest alarms of all channels, of devices and of the hub. */
export default function AlarmListPage() {
  const { t, i18n } = useLingui();
  const mayControl = useMay('channelControl');
  useTopic(alarmsTopic, true);
  const { data: alarms } = useSuspenseQuery(allAlarmsQuery);
  const calling = alarms.filter((alarm) => callsForAttention(alarm, Date.now())).map(({ id }) => id);
  const acknowledge = () =>
    acknowledgeAlarms({ id: calling.slice(0, 1000) }).catch((error: unknown) =>
      showToast('error', faultText(i18n, error)),
    );
  return (
    <>
      <PageHeader
        title={t`Alarms`}
        actions={
          <>
            <Button
              component="a"
              variant="default"
              href={addressOf(alarmExportPath, {})}
              download
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              <Trans>Export</Trans>
            </Button>
            {mayControl && calling.length > 0 && (
              <Button leftSection={<IconBellCheck size={16} aria-hidden />} onClick={() => void acknowledge()}>
                <Trans>Acknowledge all</Trans>
              </Button>
            )}
          </>
        }
      />
      <AlarmSignals />
      <DataTable
        id="alarms"
        label={t`Alarms`}
        columns={columns}
        states={states}
        items={alarms}
        {...(mayControl && { rowActions })}
        actionsWidth={84}
        empty={
          <EmptyState icon={IconBellCheck} title={<Trans>No alarms yet</Trans>}>
            <Trans>Alarms of all channels, of devices and of the hub are listed here.</Trans>
          </EmptyState>
        }
      />
    </>
  );
}

function ChannelCell({ alarm }: { alarm: Alarm }) {
  const { i18n } = useLingui();
  const { channel, device, name } = alarm;
  if (channel === 0 && device === undefined) return alarmPlaceText(i18n, alarm);
  return (
    <Link
      className={styles.name ?? ''}
      to={device === undefined ? channelPath(channel) : devicePath(device)}
      title={name}
    >
      {name}
    </Link>
  );
}

function KindCell({ alarm }: { alarm: Alarm }) {
  const { i18n } = useLingui();
  const { comma } = useFormat();
  const { kind, output, peak, reason } = alarm;
  const text = alarmKindText(i18n, kind);
  const count = isCommon(alarm) ? plural(peak, { one: '# device', other: '# devices' }) : undefined;
  const line = output === undefined ? [text, count].filter(Boolean).join(comma) : `${text} → ${output.name}`;
  const why = alarmReasonText(i18n, reason);
  return (
    <>
      <span title={line}>{line}</span>
      {why !== '' && (
        <span className={styles.reason} title={why}>
          {why}
        </span>
      )}
    </>
  );
}
