import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { useSystem } from '../features/dashboard/system-query.ts';
import styles from './PageHeader.module.css';
import { usePageName } from './page-name.ts';

interface PageHeaderProps {
  readonly title: string;
  /** The title is the name of an object: the breadcrumb shows it too. */
  readonly isObject?: boolean;
  /** State beside the title. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
}

let pagesShown = 0;

export function PageHeader({ title, isObject = false, aside, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const hubName = useSystem()?.info['host-name'] ?? 'Signalbox';
  useEffect(() => {
    document.title = `${title}, ${hubName}`;
  }, [title, hubName]);
  useEffect(() => {
    if (!isObject) return;
    usePageName.setState({ name: title });
    return () => usePageName.setState({ name: undefined });
  }, [title, isObject]);
  // Before the page is painted: later it could take the focus from where a quick reader has put it.
  useLayoutEffect(() => {
    // The first page of a visit leaves the focus where the browser put it; every later one says where one is.
    pagesShown += 1;
    if (pagesShown > 1) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={styles.header}>
      <div className={styles.title}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
