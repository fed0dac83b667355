import { useLingui } from '@lingui/react/macro';
import { IconVideo, IconVideoOff } from '@tabler/icons-react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { ndiPreviewId } from '../../../../daemon/contract/ndi-preview.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import thumbnail from '../../shared/preview/Thumbnail.module.css';
import styles from './SourcePicture.module.css';

const ThumbnailPicture = deferredPart(() => import('../../shared/preview/ThumbnailPicture.tsx'));

interface SourcePictureProps {
  /** Its name on the network; null for none. */
  readonly source: string | null;
  readonly isOnline: boolean;
  /** `small`: in a table. `button`: in a large button. `wide`: as large as its container. */
  readonly size?: 'small' | 'button' | 'wide';
}

/** The current picture of a source; a box of the same size that says why there is none. */
export function SourcePicture({ source, isOnline, size = 'small' }: SourcePictureProps) {
  const { t } = useLingui();
  const reason = source === null ? t`No source` : isOnline ? t`Waiting for the picture` : t`Offline`;
  const Icon = source !== null && isOnline ? IconVideo : IconVideoOff;
  const imageId = source === null ? '' : ndiPreviewId(source);
  return (
    <span className={`${thumbnail.box} ${styles.box}`} data-size={size}>
      <span className={styles.none} title={reason}>
        <Icon size={16} stroke={1.5} aria-hidden />
        {size === 'wide' && reason}
      </span>
      {source !== null && isOnline && imageId.length <= limits.imageId && (
        // The name is next to the picture, and part of the name of a button.
        <ThumbnailPicture imageId={imageId} alt="" />
      )}
    </span>
  );
}
