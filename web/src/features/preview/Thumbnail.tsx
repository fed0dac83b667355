import { useLingui } from '@lingui/react/macro';
import { lazy, Suspense } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import styles from './Thumbnail.module.css';

const ThumbnailPicture = lazy(() => import('./ThumbnailPicture.tsx'));

/** What a channel shows now; an empty box of the same size where it shows nothing. */
export function Thumbnail({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  return (
    <span className={styles.box}>
      {channel.state === 'live' && (
        <Suspense fallback={null}>
          <ThumbnailPicture channelId={channel.id} alt={t`Picture of ${channel.name}`} />
        </Suspense>
      )}
    </span>
  );
}
