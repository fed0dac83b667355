import { Plural, Trans } from '@lingui/react/macro';
import { Link } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { channelPath, paths } from '../../lib/paths.ts';
import { Thumbnail } from '../../shared/preview/Thumbnail.tsx';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { channelLooks } from '../../shared/streams/state-look.ts';
import { Quantity } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './DashboardPage.module.css';

const StartSteps = deferredPart(() => import('./StartSteps.tsx'));

/** The style sheet hides the last of them where there is no room. */
const maxShown = 12;
const shownOnTablet = 8;
const shownOnPhone = 6;

/** The channels that are live, and since when. */
export function OnAirPanel() {
  const format = useFormat();
  const may = useMay('channelView');
  const channels = useChannels().data;
  if (!may || channels === undefined) return null;
  if (channels.length === 0) return <StartSteps />;
  const live = channels.filter((channel) => channel.state === 'live');
  return (
    <Panel
      title={<Trans>On air</Trans>}
      aside={
        <Link className={styles.rowNote} to={paths.channels}>
          <Plural value={channels.length} one="All channels (#)" other="All # channels" />
        </Link>
      }
      isFlush
    >
      {live.length === 0 && (
        <p className={styles.quiet}>
          <Trans>No channel is live at the moment.</Trans>
        </p>
      )}
      <ul className={`${styles.rows} ${styles.onAir}`}>
        {live.slice(0, maxShown).map((channel) => (
          <li key={channel.id} className={`${styles.row} ${styles.liveRow}`}>
            <Thumbnail channel={channel} />
            <Link className={styles.rowName ?? ''} to={channelPath(channel.id)}>
              {channel.name}
            </Link>
            <span className={styles.figure}>
              <Quantity amount={format.rate(channel.kbps)} />
            </span>
            <span className={`${styles.figure} ${styles.hideOnPhone}`}>
              {format.duration(channel['living-time-s'])}
            </span>
            <span className={`${styles.figure} ${styles.hideOnPhone}`}>
              <LookMark look={channelLooks.live} />
            </span>
          </li>
        ))}
      </ul>
      {live.length > shownOnPhone && (
        <p className={styles.more} data-fits={live.length <= shownOnTablet}>
          <Link to={`${paths.channels}?state=live`}>
            <Trans>See all {live.length} live channels</Trans>
          </Link>
        </p>
      )}
    </Panel>
  );
}
