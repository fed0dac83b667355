import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router-dom';
import { reasonText } from '../../i18n/reason-text.ts';
import { channelPath } from '../../paths.ts';
import { Panel } from '../../ui/Panel.tsx';
import { StateMark } from '../../ui/StateMark.tsx';
import { useChannels } from '../channels/useChannels.ts';
import { attentionOf } from './attention.ts';
import styles from './DashboardPage.module.css';

/** Channels and outputs that ought to run and don't. Absent when all is well. */
export function AttentionPanel() {
  const { i18n } = useLingui();
  const channels = useChannels().data;
  const list = attentionOf(channels ?? []);
  if (list.length === 0) return null;
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
              <StateMark tone={look.tone} icon={look.icon}>
                {i18n._(look.text)}
              </StateMark>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
