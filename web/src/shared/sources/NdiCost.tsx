import { Trans } from '@lingui/react/macro';
import styles from './SourceDialog.module.css';

/** What conversion costs, before it is switched on: measured by `tests/bench/ndi/measure-channels.ts`. */
export function NdiCost({ isInput }: { isInput: boolean }) {
  return (
    <p className={styles.mark}>
      {isInput ? (
        <Trans>
          The hub encodes the video: about 0.7 processor cores for 1080p30, 0.3 for 720p30. The NDI runtime needs
          additional processor time.
        </Trans>
      ) : (
        <Trans>
          The hub decodes the channel: about 0.1 processor cores for 1080p30. Compression by the NDI runtime needs
          additional processor time.
        </Trans>
      )}
    </p>
  );
}
