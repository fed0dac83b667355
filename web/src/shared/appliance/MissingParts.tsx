import { Trans, useLingui } from '@lingui/react/macro';
import type { Missing } from '../../../../daemon/contract/appliance.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import styles from './MissingParts.module.css';
import { missingTitle, remedyOf } from './missing-text.ts';

/** What a page of the appliance cannot show or change because a part of the operating system is missing, and the remedy. */
export function MissingParts({ missing }: { missing: Missing }) {
  const { i18n } = useLingui();
  return missing.map((one) => {
    const { text, command } = remedyOf(one);
    return (
      <Banner key={one.part} tone="warn" title={missingTitle(i18n, one)}>
        <p>{i18n._(text)}</p>
        {command !== undefined && (
          <p className={styles.command}>
            <Trans>
              In a terminal of the hub: <code>{command}</code>
            </Trans>
          </p>
        )}
      </Banner>
    );
  });
}
