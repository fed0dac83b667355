import { useLingui } from '@lingui/react/macro';
import { Suspense } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { lazyPart } from '../../lib/lazy-part.ts';
import styles from './Thumbnail.module.css';

const ThumbnailPicture = lazyPart(() => import('./ThumbnailPicture.tsx'));

/** Current picture of a channel; an empty box of the same size if there is none. */
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
