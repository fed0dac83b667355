import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { trafficOf } from '../../shared/streams/traffic.ts';
import { NoValue, Quantity } from '../../ui/data/Quantity.tsx';
import styles from './ChannelDetailPage.module.css';

/** The key figures of a channel. */
export function ChannelFigures({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const format = useFormat();
  const sent = trafficOf([channel]).out;
  const seconds = channel['living-time-s'];
  const enabled = channel.outputs.list.filter(({ enable }) => enable);
  const running = enabled.filter(({ kbps }) => kbps > 0).length;
  const rate = (kbps: number) =>
    channel.config.enable ? <Quantity amount={format.rate(kbps)} isNarrow /> : <NoValue />;
  return (
    <ul className={styles.figures}>
      <Figure name={t`Received`} value={rate(channel.kbps)} />
      <Figure name={t`Sent`} value={rate(sent)} />
      <Figure name={t`Live for`} value={isOnAir(channel.state) ? format.duration(seconds) : <NoValue />} />
      <Figure name={t`Players`} value={format.number(channel.clients.total)} />
      <Figure name={t`Outputs running`} value={`${running} / ${enabled.length}`} />
    </ul>
  );
}

function Figure({ name, value }: { name: string; value: ReactNode }) {
  return (
    <li className={styles.figure}>
      <div className={styles.figureName}>{name}</div>
      <div className={styles.figureValue}>{value}</div>
    </li>
  );
}
