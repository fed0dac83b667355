import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconDownload, IconList, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { type SystemLogLine, systemLogExportPath } from '../../../../daemon/contract/system-log.ts';
import { addressOf } from '../../api/client.ts';
import { useTopic } from '../../api/live.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FaultText } from '../../ui/FaultText.tsx';
import { FormFault } from '../../ui/FormFault.tsx';
import { useTableAddress } from '../../ui/table/table-address.ts';
import { LogFilters } from './LogFilters.tsx';
import { momentOf, useLogFilter } from './log-filter.ts';
import styles from './SystemLog.module.css';
import { systemLogQuery } from './system-log-query.ts';
import { useQuietSearch } from './useQuietSearch.ts';

export function SystemLog() {
  const { t } = useLingui();
  const { address, change: changeAddress } = useTableAddress();
  const { filter, change } = useLogFilter();
  const [isFollowing, setFollowing] = useState(true);
  useTopic('syslog', isFollowing);
  const key = useQuietSearch(address.search).trim().slice(0, limits.logKey.max);
  const query = { level: filter.level, key, from: momentOf(filter.from), to: momentOf(filter.to, true) };
  const log = useInfiniteQuery(systemLogQuery(query));
  const lines = log.data?.pages.flatMap(({ list }) => list) ?? [];
  const total = log.data?.pages[0]?.total ?? 0;
  const download = addressOf(systemLogExportPath, { ...query, level: query.level || undefined, key: key || undefined });
  return (
    <div className={styles.frame}>
      <LogFilters filter={filter} change={change}>
        <NativeSelect
          size="xs"
          label={t`Level`}
          data={[
            { value: '', label: t`All` },
            { value: 'warn,error', label: t`Warnings and errors` },
            { value: 'error', label: t`Errors` },
            { value: 'info', label: t`Information` },
          ]}
          value={filter.level}
          onChange={(event) => change({ level: event.currentTarget.value })}
        />
        <TextInput
          type="search"
          size="xs"
          label={t`Search`}
          leftSection={<IconSearch size={15} aria-hidden />}
          value={address.search}
          onChange={(event) => changeAddress({ search: event.currentTarget.value })}
        />
        <Checkbox
          className={styles.follow ?? ''}
          label={t`Follow`}
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
        <Button
          component="a"
          href={download}
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
        >
          <Trans>Download</Trans>
        </Button>
      </LogFilters>
      {log.error !== null && (
        <FormFault>
          <FaultText error={log.error} />
        </FormFault>
      )}
      {log.data !== undefined && lines.length === 0 && (
        <EmptyState icon={IconList} title={<Trans>No line matches</Trans>} />
      )}
      <ol className={styles.lines} aria-label={t`System log`}>
        {lines.map((line) => (
          <LogLine key={line.id} line={line} />
        ))}
      </ol>
      <div className={styles.foot}>
        <Plural value={total} one="# line" other="# lines" />
        {log.hasNextPage && (
          <Button size="xs" variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            <Trans>Older lines</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}

function LogLine({ line: { time, level, scope, text } }: { line: SystemLogLine }) {
  const { t } = useLingui();
  const format = useFormat();
  const names = { debug: t`Debug`, info: t`Information`, warn: t`Warning`, error: t`Error` };
  return (
    <li className={styles.line} data-level={level}>
      <time dateTime={new Date(time).toISOString()}>{format.dateTime(time)}</time>
      <span className={styles.level}>{names[level]}</span>
      <span className={styles.scope}>{scope}</span>
      <span className={styles.text}>{text}</span>
    </li>
  );
}
