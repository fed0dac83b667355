import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { alarmApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useTopic } from '../../api/live.ts';
import { queryClient } from '../../api/query-client.ts';
import { useMay } from '../../api/session.ts';
import { alarmFigureText, alarmKindText } from '../../i18n/alarm-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { Moment } from '../../ui/data/Moment.tsx';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import type { Column } from '../../ui/table/column.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import styles from './AlarmPanel.module.css';
import { alarmsTopic, historyKey, historyLength } from './alarms-query.ts';

const AlarmRulesDialog = deferredPart(() => import('./AlarmRulesDialog.tsx'));

const columns: readonly Column<Alarm>[] = [
  { key: 'state', title: msg`State`, width: 110, cell: (alarm) => <AlarmState alarm={alarm} />, onCard: 'state' },
  { key: 'kind', title: msg`Alarm`, cell: (alarm) => <KindCell alarm={alarm} />, onCard: 'title' },
  {
    key: 'threshold',
    title: msg`Threshold`,
    width: 120,
    isRight: true,
    cell: (alarm) => <Figure of={alarm} value={alarm.threshold} />,
  },
  { key: 'worst', title: msg`Worst`, width: 120, isRight: true, cell: (alarm) => <Worst alarm={alarm} /> },
  { key: 'raised', title: msg`Raised`, width: 200, cell: ({ raised }) => <TimeCell time={raised} /> },
  { key: 'cleared', title: msg`Cleared`, width: 200, cell: ({ cleared }) => <TimeCell time={cleared} /> },
];

/** After the first response the topic keeps the list current. */
function channelAlarmsQuery(channel: number) {
  return queryOptions({
    queryKey: [...historyKey, channel],
    queryFn: async ({ signal }): Promise<Alarm[]> =>
      (await call(alarmApi.list, { query: { channel, count: historyLength }, signal })).list,
  });
}

/** Alarm history and active alarms of a channel, and their thresholds. */
export default function AlarmPanel({ channel, dialog }: { channel: Channel; dialog: DialogAddress }) {
  const { t } = useLingui();
  useTopic(alarmsTopic, true);
  const mayEdit = useMay('channelEdit');
  const { data: list } = useQuery(channelAlarmsQuery(channel.id));
  const hasHistory = list?.some(({ cleared }) => cleared > 0) === true;
  const clear = () =>
    confirm({
      title: t`Clear the alarm history of “${channel.name}”?`,
      consequence: t`Cleared alarms are permanently deleted. Active alarms are kept.`,
      verb: t`Clear history`,
      isDangerous: true,
      async run() {
        await call(alarmApi.clearHistory, { body: { channel: channel.id } });
        await queryClient.invalidateQueries({ queryKey: channelAlarmsQuery(channel.id).queryKey });
      },
    });
  return (
    <Panel
      title={<Trans>Alarms</Trans>}
      isFlush
      aside={
        mayEdit && (
          <div className={styles.actions}>
            {hasHistory && (
              <Button size="xs" variant="default" onClick={clear}>
                <Trans>Clear history</Trans>
              </Button>
            )}
            <Button size="xs" variant="default" onClick={() => dialog.open('alarms')}>
              <Trans>Alarm settings</Trans>
            </Button>
          </div>
        )
      }
    >
      {list?.length === 0 && (
        <p className={styles.quiet}>
          <Trans>No alarms yet.</Trans>
        </p>
      )}
      {list !== undefined && list.length > 0 && (
        <TableGrid label={t`Alarms of this channel`} columns={columns} rows={list} />
      )}
      {mayEdit && dialog.name === 'alarms' && <AlarmRulesDialog channel={channel} onClose={dialog.close} />}
    </Panel>
  );
}

function AlarmState({ alarm }: { alarm: Alarm }) {
  return alarm.cleared === 0 ? (
    <StateMark tone="warn" icon={IconAlertTriangle}>
      <Trans>Active</Trans>
    </StateMark>
  ) : (
    <StateMark tone="off" icon={IconCircleCheck}>
      <Trans context="state">Cleared</Trans>
    </StateMark>
  );
}

function KindCell({ alarm }: { alarm: Alarm }) {
  const { i18n } = useLingui();
  const kind = alarmKindText(i18n, alarm.kind);
  return alarm.output === undefined ? kind : `${kind} → ${alarm.output.name}`;
}

function Figure({ of, value }: { of: Alarm; value: number }) {
  const { i18n } = useLingui();
  const format = useFormat();
  return <span>{alarmFigureText(i18n, format, of.kind, value)}</span>;
}

/** The duration is known only once the alarm has cleared. */
function Worst({ alarm }: { alarm: Alarm }) {
  return alarm.cleared === 0 ? <NoValue /> : <Figure of={alarm} value={alarm.peak} />;
}

function TimeCell({ time }: { time: number }) {
  return time === 0 ? <NoValue /> : <Moment time={time} />;
}
