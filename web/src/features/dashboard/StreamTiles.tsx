import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { SystemStatus } from '../../../../daemon/contract/system.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { playersByProtocol, trafficOf } from '../../shared/streams/traffic.ts';
import { systemHistoryQuery } from '../../shared/system/system-query.ts';
import { NoValue, Quantity } from '../../ui/data/Quantity.tsx';
import { Sparkline } from '../../ui/data/Sparkline.tsx';
import styles from './DashboardPage.module.css';

/** Traffic of the hub: channels, outputs, players, and the bit rate in and out. */
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
      <Tile label={t`Channels live`} value={format.number(live)} tone={live > 0 ? 'live' : undefined}>
        <Trans>
          {enabled} enabled, {used} in all, {channel['limit-create-num']} at most
        </Trans>
      </Tile>
      <Tile label={t`Outputs running`} value={format.number(outputsLive)} tone={outputsLive > 0 ? 'live' : undefined}>
        <Trans>
          {outputsEnabled} enabled, {output['used-num']} in all
        </Trans>
      </Tile>
      <Tile label={t`Players`} value={format.number(client['live-num'])} tone={undefined}>
        {channels && <PlayerKinds channels={channels} />}
      </Tile>
      <Tile label={t`Received`} value={rate(traffic?.in)} tone={undefined}>
        {history && <Sparkline values={history['media-in']} label={t`Media received in the last 60 minutes`} />}
      </Tile>
      <Tile label={t`Sent`} value={rate(traffic?.out)} tone={undefined}>
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
  readonly children: ReactNode;
}

function Tile({ label, value, tone, children }: TileProps) {
  return (
    <li className={styles.tile}>
      <span className={styles.tileLabel}>{label}</span>
      <span className={styles.tileValue} data-tone={tone}>
        {value}
      </span>
      <div className={styles.tileNote}>{children}</div>
    </li>
  );
}
