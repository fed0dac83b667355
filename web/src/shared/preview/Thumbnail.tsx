import { useLingui } from '@lingui/react/macro';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../daemon/contract/streams.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import styles from './Thumbnail.module.css';

const ThumbnailPicture = deferredPart(() => import('./ThumbnailPicture.tsx'));

/** Current picture of a channel; an empty box of the same size if there is none. */
export function Thumbnail({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  return (
    <span className={styles.box}>
      {isOnAir(channel.state) && <ThumbnailPicture channelId={channel.id} alt={t`Picture of ${channel.name}`} />}
    </span>
  );
}
