import { Trans, useLingui } from '@lingui/react/macro';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router-dom';
import type { Alarm } from '../../../../daemon/contract/alarms.ts';
import { alarmKindText, alarmReasonText } from '../../i18n/alarm-text.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { channelPath } from '../../lib/paths.ts';
import { useActiveAlarms } from '../../shared/alarms/alarms-query.ts';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { LookMark, StateMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { alarmsBeside, attentionOf } from './attention.ts';
import styles from './DashboardPage.module.css';

/** Channels and outputs that should be running but are not, and active alarms. Not rendered when all is well. */
export function AttentionPanel() {
  const { i18n } = useLingui();
  const channels = useChannels().data;
  const list = attentionOf(channels ?? []);
  const alarms = alarmsBeside(list, useActiveAlarms());
  if (list.length === 0 && alarms.length === 0) return null;
  return (
    <Panel title={<Trans>Needs attention</Trans>} isFlush>
      <ul className={styles.rows}>
        {list.map(({ key, channel, outputName, look, reason }) => (
          <li key={key} className={styles.row}>
            <div>
              <Link className={styles.rowName ?? ''} to={channelPath(channel.id)}>
                {channel.name}
                {outputName !== undefined && ` → ${outputName}`}
              </Link>
              <div className={styles.rowNote}>{reasonText(i18n, reason)}</div>
            </div>
            <span>
              <LookMark look={look} />
            </span>
          </li>
        ))}
        {alarms.map((alarm) => (
          <AlarmRow key={`alarm-${alarm.id}`} alarm={alarm} />
        ))}
      </ul>
    </Panel>
  );
}

function AlarmRow({ alarm }: { alarm: Alarm }) {
  const { i18n } = useLingui();
  const format = useFormat();
  const reason = alarmReasonText(i18n, alarm.reason);
  return (
    <li className={styles.row}>
      <div>
        {alarm.channel === 0 ? (
          <span className={styles.rowName}>
            <Trans>Hub</Trans>
          </span>
        ) : (
          <Link className={styles.rowName ?? ''} to={channelPath(alarm.channel)}>
            {alarm.name}
            {alarm.output !== undefined && ` → ${alarm.output.name}`}
          </Link>
        )}
        <div className={styles.rowNote}>
          <Trans>Since {format.clock(alarm.raised)}</Trans>
        </div>
        {reason !== '' && <div className={styles.rowNote}>{reason}</div>}
      </div>
      <span>
        <StateMark tone="warn" icon={IconAlertTriangle}>
          {alarmKindText(i18n, alarm.kind)}
        </StateMark>
      </span>
    </li>
  );
}
