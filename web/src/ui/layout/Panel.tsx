import { type ReactNode, useId } from 'react';
import styles from './Panel.module.css';

interface PanelProps {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** The content extends to the edges, for example a table. */
  readonly isFlush?: boolean;
}

export function Panel({ title, aside, children, isFlush = false }: PanelProps) {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      <div className={isFlush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}
