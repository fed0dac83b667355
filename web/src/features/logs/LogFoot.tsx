import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './LogFrame.module.css';
import type { LogScroll } from './useLogScroll.ts';

interface LogFootProps {
  readonly count: ReactNode;
  readonly scroll: LogScroll;
  readonly children: ReactNode;
}

/** Below a log: how much there is of it, and the way back to its newest entry. */
export function LogFoot({ count, scroll, children }: LogFootProps) {
  return (
    <div className={styles.foot}>
      <span aria-live="polite">{count}</span>
      <div className={styles.footEnd}>
        {!scroll.isAtTop && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconArrowUp size={14} aria-hidden />}
            onClick={scroll.toTop}
          >
            <Trans>To the newest</Trans>
          </Button>
        )}
        {children}
      </div>
    </div>
  );
}
