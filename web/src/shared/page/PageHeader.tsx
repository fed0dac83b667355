import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';
import { useSystem } from '../system/system-query.ts';
import styles from './PageHeader.module.css';
import { countPage } from './pages-shown.ts';
import { useTitleCount } from './title-count.ts';

/** Name of the object that a detail page shows, for the breadcrumb; set by its PageHeader. */
export const usePageName = create<{ readonly name: string | undefined }>(() => ({ name: undefined }));

interface PageHeaderProps {
  readonly title: string;
  /** Whether the title is the name of an object, which the breadcrumb also shows. */
  readonly isObject?: boolean;
  /** State shown next to the title. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHeader({ title, isObject = false, aside, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const hubName = useSystem()?.info.name ?? 'Signalbox';
  const count = useTitleCount((state) => state.count);
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title}, ${hubName}`;
  }, [title, hubName, count]);
  useEffect(() => {
    if (!isObject) return;
    usePageName.setState({ name: title });
    return () => usePageName.setState({ name: undefined });
  }, [title, isObject]);
  // Before the page is painted: later it could steal the focus from an element that the user has already chosen.
  useLayoutEffect(() => {
    // The first page of a visit leaves the focus unchanged; later pages focus the heading to announce the page.
    if (countPage() > 1) heading.current?.focus({ preventScroll: true });
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
