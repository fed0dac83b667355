import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect, Switch } from '@mantine/core';
import { IconArrowUp, IconDownload, IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { systemLogExportPath } from '../../../../daemon/contract/calls.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { addressOf } from '../../api/client.ts';
import { useTopic } from '../../api/live.ts';
import { StateMark } from '../../ui/data/StateMark.tsx';
import { ListPart } from '../../ui/layout/ListPart.tsx';
import { BarButton } from './BarButton.tsx';
import { WithLineNames } from './LineText.tsx';
import { LogFilters } from './LogFilters.tsx';
import { LogFoot } from './LogFoot.tsx';
import frame from './LogFrame.module.css';
import { LogLine } from './LogLine.tsx';
import { LogList } from './LogList.tsx';
import { isGap, newLines, partsOf } from './line-parts.ts';
import { type LiveLines, systemLogTopic, useLiveLines } from './live-lines.ts';
import { type LogFilter, momentOf, useLogFilter } from './log-filter.ts';
import { givenOf, refreshNewest, useQuietSearch } from './log-query.ts';
import { NoEntries } from './NoEntries.tsx';
import styles from './SystemLog.module.css';
import { type SystemLogPage, type SystemLogQuery, systemLogQuery } from './system-log-query.ts';
import { type LogScroll, useLogScroll } from './useLogScroll.ts';

const noPages: never[] = [];
const drawLine = (line: SystemLogLine) => <LogLine key={line.id} line={line} />;

export function SystemLog() {
  const { t } = useLingui();
  const { filter, change } = useLogFilter();
  const [isFollowing, setFollowing] = useState(true);
  useTopic(systemLogTopic, isFollowing);
  const query = useAsked(filter);
  const log = useInfiniteQuery(systemLogQuery(query));
  const scroll = useLogScroll(JSON.stringify(query));
  const { root, isAtTop, toTop } = scroll;
  const pages = log.data?.pages ?? noPages;
  const { parts, total, waiting } = useLines(pages, query, scroll);
  useNoGap(log, query, isAtTop);
  return (
    <div className={frame.frame}>
      <LogFilters
        filter={filter}
        change={change}
        end={
          <BarButton icon={IconDownload} label={t`Download`} file={addressOf(systemLogExportPath, givenOf(query))} />
        }
      >
        <LevelField level={filter.level} change={(level) => change({ level })} />
      </LogFilters>
      <div className={styles.over}>{isFollowing && !isAtTop && <Waiting count={waiting} onShow={toTop} />}</div>
      <LogList label={t`System log`} log={log} scroll={scroll} none={<NoLines filter={filter} change={change} />}>
        {/* biome-ignore lint/a11y/useSemanticElements: a list may only contain items; these are grouped in parts */}
        <div role="list" aria-label={t`System log`} className={styles.lines}>
          <WithLineNames>
            {parts.map((lines) => (
              <ListPart
                key={lines.at(-1)?.id ?? 0}
                tag="div"
                root={root}
                className={styles.part}
                items={lines}
                first={0}
                draw={drawLine}
              />
            ))}
          </WithLineNames>
        </div>
      </LogList>
      <LogFoot count={pages.length > 0 && <Plural value={total} one="# line" other="# lines" />} scroll={scroll}>
        <FollowState isFollowing={isFollowing} isAtTop={isAtTop} />
        <Switch
          size="xs"
          label={t`Follow`}
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
      </LogFoot>
    </div>
  );
}

function useAsked({ search, level, from, to }: LogFilter): SystemLogQuery {
  const key = useQuietSearch(search).trim().slice(0, limits.logKey.max);
  return { level, key, from: momentOf(from), to: momentOf(to, true) };
}

/** While the user is scrolled down, new lines are held back so that the visible lines do not move. */
function useLines(pages: readonly SystemLogPage[], query: SystemLogQuery, { isAtTop }: LogScroll) {
  const live = useLiveLines();
  const [held, setHeld] = useState<LiveLines>();
  if (isAtTop && held !== undefined) setHeld(undefined);
  if (!isAtTop && held === undefined) setHeld(live);
  const asked = JSON.stringify(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is a new object on each render
  const newer = useMemo(() => newLines(pages, live, query), [pages, live, asked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const shown = useMemo(() => (held ? newLines(pages, held, query) : newer), [pages, held, newer, asked]);
  const parts = useMemo(() => partsOf(pages, shown), [pages, shown]);
  return { parts, total: (pages[0]?.total ?? 0) + newer.length, waiting: newer.length - shown.length };
}

/** Refetches a list that has missed lines, but only while it is scrolled to the top. */
function useNoGap(log: UseInfiniteQueryResult<InfiniteData<SystemLogPage>>, query: SystemLogQuery, isAtTop: boolean) {
  const client = useQueryClient();
  const live = useLiveLines();
  const isMissing = isGap(log.data?.pages ?? noPages, live) && isAtTop && !log.isFetching;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is a new object on each render
  useEffect(() => {
    if (isMissing) void refreshNewest(client, systemLogQuery(query).queryKey);
  }, [client, isMissing]);
}

function LevelField({ level, change }: { level: string; change: (level: string) => void }) {
  const { t } = useLingui();
  return (
    <NativeSelect
      size="xs"
      label={t`Level`}
      data={[
        { value: '', label: t`All` },
        { value: 'warn,error', label: t`Warnings and errors` },
        { value: 'warn', label: t`Warnings` },
        { value: 'error', label: t`Errors` },
        { value: 'info', label: t`Information` },
      ]}
      value={level}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** The follow state as text, for screen readers. */
function FollowState({ isFollowing, isAtTop }: { isFollowing: boolean; isAtTop: boolean }) {
  return (
    <span role="status">
      {!isFollowing && (
        <StateMark tone="off" icon={IconPlayerStop}>
          <Trans>Not following</Trans>
        </StateMark>
      )}
      {isFollowing && isAtTop && (
        <StateMark tone="live" icon={IconPlayerPlay}>
          <Trans>Following</Trans>
        </StateMark>
      )}
      {isFollowing && !isAtTop && (
        <StateMark tone="warn" icon={IconPlayerPause}>
          <Trans>Paused</Trans>
        </StateMark>
      )}
    </span>
  );
}

function Waiting({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <Button size="xs" radius="xl" leftSection={<IconArrowUp size={15} aria-hidden />} onClick={onShow}>
      <Plural value={count} one="# new line" other="# new lines" />
    </Button>
  );
}

function NoLines(props: { filter: LogFilter; change: (part: Partial<LogFilter>) => void }) {
  return (
    <NoEntries
      {...props}
      searched={<Trans>Searches the components of the hub and their messages.</Trans>}
      title={<Trans>No lines yet</Trans>}
    >
      <Trans>Messages from the hub and its processes are listed here.</Trans>
    </NoEntries>
  );
}
