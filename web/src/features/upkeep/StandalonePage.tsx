import { Trans } from '@lingui/react/macro';
import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { useSystem } from '../../shared/system/system-query.ts';
import { Mark } from '../../ui/layout/Mark.tsx';
import styles from './Upkeep.module.css';

interface StandalonePageProps {
  readonly title: string;
  readonly intro: ReactNode;
  /** There is no way back once it has started. */
  readonly isStarted: boolean;
  readonly children: ReactNode;
}

/** The frame of pages without menu: what they do concerns the whole hub. */
export function StandalonePage({ title, intro, isStarted, children }: StandalonePageProps) {
  const hubName = useSystem()?.info.name ?? '';
  return (
    <div className={styles.page}>
      <div className={styles.top}>
        <span className={styles.brand}>
          <Mark size={22} />
          <span>{hubName}</span>
        </span>
        {!isStarted && (
          <Link to={paths.generalSettings} className={styles.back}>
            <IconArrowLeft size={16} aria-hidden />
            <Trans>Back to the settings</Trans>
          </Link>
        )}
      </div>
      <PageHeader title={title} />
      <p className={styles.intro}>{intro}</p>
      {children}
    </div>
  );
}
