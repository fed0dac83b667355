import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './Banner.module.css';

interface BannerProps {
  readonly tone: 'fault' | 'warn' | 'info';
  readonly title: ReactNode;
  readonly children?: ReactNode;
}

/** A persistent warning or notice. */
export function Banner({ tone, title, children }: BannerProps) {
  const Icon = tone === 'info' ? IconInfoCircle : IconAlertTriangle;
  return (
    <div className={styles.banner} data-tone={tone}>
      <Icon size={18} aria-hidden />
      <div>
        <p className={styles.title}>{title}</p>
        {children && <div className={styles.text}>{children}</div>}
      </div>
    </div>
  );
}
