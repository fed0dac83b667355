import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FaultText } from '../../ui/FaultText.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './LogFrame.module.css';
import type { LogScroll } from './useLogScroll.ts';

type LogQuery = UseInfiniteQueryResult<InfiniteData<{ readonly list: readonly unknown[] }>>;

interface LogListProps {
  readonly label: string;
  readonly log: LogQuery;
  readonly scroll: LogScroll;
  /** In place of the entries where there is none. */
  readonly none: ReactNode;
  readonly children: ReactNode;
}

/** What of a log scrolls: its entries, or why there are none. */
export function LogList({ label, log, scroll, none, children }: LogListProps) {
  const { data } = log;
  const isEmpty = data?.pages.every(({ list }) => list.length === 0);
  return (
    <section
      ref={scroll.setRoot}
      className={styles.list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      aria-busy={log.isPending}
      data-stale={log.isPlaceholderData}
    >
      {log.isPending && <RowSkeleton />}
      {log.isLoadingError && <LoadFault log={log} />}
      {isEmpty === true && none}
      {isEmpty === false && (
        <>
          {children}
          <Older log={log} root={scroll.root} />
        </>
      )}
    </section>
  );
}

/** How far from its end the list is made longer. */
const aheadPx = 2000;

/** The end of what is loaded; more is asked for before one gets there. */
function Older({ log, root }: { log: LogQuery; root: HTMLElement | null }) {
  const end = useRef<HTMLDivElement>(null);
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = log;
  const isWanted = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  // Each page that has come is looked at anew: the end may be in sight still.
  const pages = data?.pages.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an observer tells of a change, and of what is when it begins
  useEffect(() => {
    if (end.current === null || root === null || !isWanted) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage();
      },
      { root, rootMargin: `${aheadPx}px 0px` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [root, isWanted, pages, fetchNextPage]);
  return (
    <div ref={end} className={styles.end}>
      {isFetchNextPageError ? (
        <>
          <FaultText error={log.error} />
          <Button size="xs" variant="default" onClick={() => void fetchNextPage()}>
            <Trans>Try again</Trans>
          </Button>
        </>
      ) : hasNextPage ? (
        <Trans>Loading what is older</Trans>
      ) : (
        <Trans>Nothing older</Trans>
      )}
    </div>
  );
}

function LoadFault({ log }: { log: LogQuery }) {
  return (
    <EmptyState
      icon={IconAlertTriangle}
      title={<Trans>The log could not be loaded</Trans>}
      action={
        <Button variant="default" onClick={() => void log.refetch()}>
          <Trans>Try again</Trans>
        </Button>
      }
    >
      <FaultText error={log.error} />
    </EmptyState>
  );
}

function RowSkeleton() {
  return (
    <div className={styles.skeleton}>
      {Array.from({ length: 12 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have nothing else
        <Skeleton key={row} height={22} />
      ))}
    </div>
  );
}
