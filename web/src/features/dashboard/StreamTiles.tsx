import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { SystemStatus } from '../../../../daemon/contract/system.ts';
import { useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { paths } from '../../lib/paths.ts';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { playersByProtocol, trafficOf } from '../../shared/streams/traffic.ts';
import { systemHistoryQuery } from '../../shared/system/system-query.ts';
import { NoValue, Quantity } from '../../ui/data/Quantity.tsx';
import { Sparkline } from '../../ui/data/Sparkline.tsx';
import styles from './DashboardPage.module.css';

/** Traffic of the hub: channels, outputs, players, and the bitrate in and out. */
export function StreamTiles({ system }: { system: SystemStatus['system'] }) {
  const { t } = useLingui();
  const format = useFormat();
  const channels = useChannels().data;
  const history = useQuery(systemHistoryQuery).data;
  const traffic = channels && trafficOf(channels);
  const { channel, output, client } = system;
  const live = channel['live-num'];
  const enabled = channel['enable-num'];
  const used = channel['used-num'];
  const outputsLive = output['live-num'];
  const outputsEnabled = output['enable-num'];
  const rate = (kbps: number | undefined) =>
    kbps === undefined ? <NoValue /> : <Quantity amount={format.rate(kbps)} isNarrow />;
  return (
    <ul className={styles.tiles}>
      <Tile
        label={t`Channels live`}
        value={format.number(live)}
        tone={live > 0 ? 'live' : undefined}
        to={`${paths.channels}?sort=state`}
      >
        <Trans>
          {enabled} of {used} enabled · limit {channel['limit-create-num']}
        </Trans>
      </Tile>
      <Tile
        label={t`Outputs running`}
        value={format.number(outputsLive)}
        tone={outputsLive > 0 ? 'live' : undefined}
        to={paths.outputs}
      >
        <Trans>
          {outputsEnabled} of {output['used-num']} enabled
        </Trans>
      </Tile>
      <Tile
        label={t`Players`}
        value={format.number(client['live-num'])}
        tone={undefined}
        to={`${paths.channels}?sort=-players`}
      >
        {channels && <PlayerKinds channels={channels} />}
      </Tile>
      <Tile label={t`Received`} value={rate(traffic?.in)} tone={undefined} to={`${paths.channels}?sort=-rate`}>
        {history && <Sparkline values={history['media-in']} label={t`Media received in the last 60 minutes`} />}
      </Tile>
      <Tile label={t`Sent`} value={rate(traffic?.out)} tone={undefined} to={paths.outputs}>
        {history && <Sparkline values={history['media-out']} label={t`Media sent in the last 60 minutes`} />}
      </Tile>
    </ul>
  );
}

/** Number of players per protocol. */
function PlayerKinds({ channels }: { channels: readonly Channel[] }) {
  const format = useFormat();
  const kinds = Object.entries(playersByProtocol(channels));
  return <>{kinds.map(([kind, count]) => `${format.number(count)} ${kind.toUpperCase()}`).join(format.comma)}</>;
}

interface TileProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly tone: 'live' | undefined;
  /** The list of what the tile counts. */
  readonly to: string;
  readonly children: ReactNode;
}

function Tile({ label, value, tone, to, children }: TileProps) {
  const may = useMay('channelView');
  const content = (
    <>
      <span className={styles.tileLabel}>{label}</span>
      <span className={styles.tileValue} data-tone={tone}>
        {value}
      </span>
      <div className={styles.tileNote}>{children}</div>
    </>
  );
  return (
    <li>
      {may ? (
        <Link className={styles.tile ?? ''} to={to}>
          {content}
        </Link>
      ) : (
        <div className={styles.tile}>{content}</div>
      )}
    </li>
  );
}
