import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect, Switch } from '@mantine/core';
import { IconArrowUp, IconDownload, IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { type SystemLogLine, systemLogExportPath } from '../../../../daemon/contract/system-log.ts';
import { addressOf } from '../../api/client.ts';
import { useTopic } from '../../api/live.ts';
import { ListPart } from '../../ui/ListPart.tsx';
import { StateMark } from '../../ui/StateMark.tsx';
import { BarButton } from './BarButton.tsx';
import { LogFilters } from './LogFilters.tsx';
import { LogFoot } from './LogFoot.tsx';
import frame from './LogFrame.module.css';
import { LogLine } from './LogLine.tsx';
import { LogList } from './LogList.tsx';
import { type LogFilter, momentOf, useLogFilter } from './log-filter.ts';
import { NoEntries } from './NoEntries.tsx';
import styles from './SystemLog.module.css';
import { givenOf, type SystemLogQuery, systemLogQuery } from './system-log-query.ts';
import { useFollowing } from './useFollowing.ts';
import { useLogScroll } from './useLogScroll.ts';
import { useQuietSearch } from './useQuietSearch.ts';

const noPages: never[] = [];
const drawLine = (line: SystemLogLine) => <LogLine key={line.id} line={line} />;

export function SystemLog() {
  const { t } = useLingui();
  const { filter, change } = useLogFilter();
  const [isFollowing, setFollowing] = useState(true);
  useTopic('syslog', isFollowing);
  const query = useAsked(filter);
  const log = useInfiniteQuery(systemLogQuery(query));
  const scroll = useLogScroll(JSON.stringify(query));
  const { root, isAtTop, toTop } = scroll;
  const pages = log.data?.pages ?? noPages;
  const { parts, waiting } = useFollowing(pages, isAtTop);
  const total = pages[0]?.total;
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
        {/* biome-ignore lint/a11y/useSemanticElements: a list may hold nothing but items, and these stand in parts */}
        <div role="list" aria-label={t`System log`} className={styles.lines}>
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
        </div>
      </LogList>
      <LogFoot count={total !== undefined && <Plural value={total} one="# line" other="# lines" />} scroll={scroll}>
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

function LevelField({ level, change }: { level: string; change: (level: string) => void }) {
  const { t } = useLingui();
  return (
    <NativeSelect
      size="xs"
      label={t`Level`}
      data={[
        { value: '', label: t`All` },
        { value: 'warn,error', label: t`Warnings and errors` },
        { value: 'error', label: t`Errors` },
        { value: 'info', label: t`Information` },
      ]}
      value={level}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** In words for who can't see that nothing moves. */
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
      searched={<Trans>The parts of the hub and their messages are searched.</Trans>}
      title={<Trans>No line yet</Trans>}
    >
      <Trans>What the hub and its processes say of themselves is listed here.</Trans>
    </NoEntries>
  );
}
