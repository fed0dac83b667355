import { Trans, useLingui } from '@lingui/react/macro';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { useChannels } from '../../shared/streams/channels-query.ts';
import { systemStatusQuery } from '../../shared/system/system-query.ts';
import { AttentionPanel } from './AttentionPanel.tsx';
import styles from './DashboardPage.module.css';
import { DeviceTiles } from './DeviceTiles.tsx';
import { HubPanel } from './HubPanel.tsx';
import { OnAirPanel } from './OnAirPanel.tsx';
import { StreamTiles } from './StreamTiles.tsx';

const PartBanners = deferredPart(() => import('./PartBanners.tsx'));

export default function DashboardPage() {
  const { t } = useLingui();
  const format = useFormat();
  const channels = useChannels();
  const { system } = useSuspenseQuery(systemStatusQuery).data;
  return (
    <>
      <PageHeader
        title={t`Dashboard`}
        aside={
          <span className={styles.uptime}>
            <Trans>Hub up {format.span(system.info['up-time'])}</Trans>
          </span>
        }
      />
      <div className={styles.page}>
        {system.parts.some(({ ok }) => !ok) && <PartBanners parts={system.parts} />}
        <StreamTiles system={system} />
        <DeviceTiles initial={system.device} />
        {/* Not before the channels are known: on a phone their panels would push the others down. */}
        {(channels.isFetched || !channels.isEnabled) && (
          <div className={styles.columns}>
            <div className={styles.attention}>
              <AttentionPanel />
            </div>
            <div className={styles.hub}>
              <HubPanel system={system} />
            </div>
            <div className={styles.onAirPlace}>
              <OnAirPanel />
            </div>
          </div>
        )}
      </div>
    </>
  );
}
