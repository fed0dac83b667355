import { useLingui } from '@lingui/react/macro';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { previewIdOf } from '../../../../daemon/contract/preview-stream.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import styles from './Thumbnail.module.css';

const ThumbnailPicture = deferredPart(() => import('./ThumbnailPicture.tsx'));

/** Current picture of a channel; an empty box of the same size if there is none. `isWide`: as wide as its container. */
export function Thumbnail({ channel, isWide = false }: { channel: Channel; isWide?: boolean }) {
  const { t } = useLingui();
  return (
    <span className={styles.box} data-wide={isWide} data-thumbnail={isWide ? 'wide' : 'small'}>
      {isOnAir(channel.state) && (
        <ThumbnailPicture imageId={previewIdOf(channel.id)} alt={t`Picture of ${channel.name}`} />
      )}
    </span>
  );
}
