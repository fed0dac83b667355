import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { Skeleton } from '../../ui/layout/Skeleton.tsx';
import styles from './LogFrame.module.css';
import type { LogScroll } from './useLogScroll.ts';

type LogQuery = UseInfiniteQueryResult<InfiniteData<{ readonly list: readonly unknown[] }>>;

interface LogListProps {
  readonly label: string;
  readonly log: LogQuery;
  readonly scroll: LogScroll;
  /** Shown if there are no entries. */
  readonly none: ReactNode;
  readonly children: ReactNode;
}

/** The scrolling part of a log: its entries, or why there are none. */
export function LogList({ label, log, scroll, none, children }: LogListProps) {
  const { data } = log;
  const isEmpty = data?.pages.every(({ list }) => list.length === 0);
  return (
    <section
      ref={scroll.setRoot}
      className={styles.list}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
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

/** Distance from the end of the list, in pixels, at which more entries are loaded. */
const aheadPx = 2000;

/** The end of the loaded entries; more are fetched before the user reaches it. */
function Older({ log, root }: { log: LogQuery; root: HTMLElement | null }) {
  const end = useRef<HTMLDivElement>(null);
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = log;
  const isWanted = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  // Observes again after each loaded page: the end may still be in view.
  const pages = data?.pages.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an observer reports changes and the initial state
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
        <Trans>Loading older entries</Trans>
      ) : (
        <Trans>No older entries</Trans>
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
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have no other key
        <Skeleton key={row} height={22} />
      ))}
    </div>
  );
}
