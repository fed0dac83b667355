import { Trans } from '@lingui/react/macro';
import styles from './SourceDialog.module.css';

/** What conversion costs, before it is switched on: measured by `tests/bench/ndi/measure-channels.ts`. */
export function NdiCost({ isInput }: { isInput: boolean }) {
  return (
    <p className={styles.mark}>
      {isInput ? (
        <Trans>
          The hub encodes the video, which takes about 0.7 CPU cores for 1080p30 and 0.3 for 720p30. The NDI runtime
          needs additional CPU time.
        </Trans>
      ) : (
        <Trans>
          The hub decodes the channel, which takes about 0.1 CPU cores for 1080p30. The NDI runtime needs additional CPU
          time to compress the video.
        </Trans>
      )}
    </p>
  );
}
