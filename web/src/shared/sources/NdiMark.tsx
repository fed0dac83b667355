import { Trans } from '@lingui/react/macro';
import styles from './SourceDialog.module.css';

/** Trademark notice and source of the runtime, which the NDI license requires wherever NDI is configured. */
export function NdiMark() {
  return (
    <p className={styles.mark}>
      <Trans>
        NDI® is a mark of Vizrt NDI AB. The hub needs its runtime, which you install yourself:{' '}
        <a href="https://ndi.video" target="_blank" rel="noreferrer">
          ndi.video
        </a>
      </Trans>
    </p>
  );
}
