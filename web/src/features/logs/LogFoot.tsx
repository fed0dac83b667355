import { Trans, useLingui } from '@lingui/react/macro';
import { IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './LogFrame.module.css';
import type { LogScroll } from './useLogScroll.ts';

interface LogFootProps {
  readonly count: ReactNode;
  readonly scroll: LogScroll;
  readonly children: ReactNode;
}

/** Footer of a log: number of entries, and a button that returns to the newest one. */
export function LogFoot({ count, scroll, children }: LogFootProps) {
  const { t } = useLingui();
  return (
    <div className={styles.foot}>
      <span aria-live="polite">{count}</span>
      <div className={styles.footEnd}>
        {!scroll.isAtTop && (
          <button type="button" className={styles.toTop} aria-label={t`Jump to latest`} onClick={scroll.toTop}>
            <IconArrowUp size={14} aria-hidden />
            <span>
              <Trans>Jump to latest</Trans>
            </span>
          </button>
        )}
        {children}
      </div>
    </div>
  );
}
