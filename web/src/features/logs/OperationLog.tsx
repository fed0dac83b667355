import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import { IconDownload, IconRefresh } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { operationExportPath } from '../../../../daemon/contract/calls.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { addressOf } from '../../api/client.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { usePhone } from '../../lib/screen.ts';
import { peopleQuery } from '../../shared/users/user-calls.ts';
import { ColumnChooser } from '../../ui/table/ColumnChooser.tsx';
import { LongTable } from '../../ui/table/LongTable.tsx';
import { useTableSettings } from '../../ui/table/table-settings.ts';
import { BarButton } from './BarButton.tsx';
import { LogFilters } from './LogFilters.tsx';
import { LogFoot } from './LogFoot.tsx';
import styles from './LogFrame.module.css';
import { LogList } from './LogList.tsx';
import { type LogFilter, momentOf, useLogFilter } from './log-filter.ts';
import { givenOf, refreshNewest, useQuietSearch } from './log-query.ts';
import { NoEntries } from './NoEntries.tsx';
import { operationColumns } from './operation-columns.tsx';
import { operationsQuery } from './operations-query.ts';
import { useLogScroll } from './useLogScroll.ts';

export function OperationLog() {
  const { t } = useLingui();
  const client = useQueryClient();
  const isPhone = usePhone();
  const { filter, change } = useLogFilter();
  const { shown, chooser } = useTableSettings('operation-log', operationColumns);
  const asked = useAsked(filter);
  const log = useInfiniteQuery(operationsQuery(asked));
  const scroll = useLogScroll(JSON.stringify(givenOf(asked)));
  const pages = log.data?.pages;
  const parts = useMemo(() => (pages ?? []).map(({ list }) => list), [pages]);
  const newest = pages?.[0];
  const refresh = () => {
    scroll.toTop();
    void refreshNewest(client, operationsQuery(asked).queryKey);
  };
  return (
    <div className={styles.frame}>
      <LogFilters
        filter={filter}
        change={change}
        end={
          <>
            <BarButton
              icon={IconRefresh}
              label={t`Refresh`}
              isBusy={log.isRefetching && !log.isPlaceholderData}
              onClick={refresh}
            />
            <BarButton
              icon={IconDownload}
              label={t`Download as CSV`}
              file={addressOf(operationExportPath, givenOf(asked))}
            />
            {!isPhone && <ColumnChooser {...chooser} />}
          </>
        }
      >
        <UserField user={filter.user} change={(user) => change({ user })} />
        <NativeSelect
          size="xs"
          label={t`Result`}
          data={[
            { value: '', label: t`All` },
            { value: 'success', label: t`Success` },
            { value: 'failure', label: t`Failure` },
          ]}
          value={filter.result}
          onChange={(event) => change({ result: event.currentTarget.value as LogFilter['result'] })}
        />
      </LogFilters>
      <LogList
        label={t`Operation log`}
        log={log}
        scroll={scroll}
        none={<NoOperations filter={filter} change={change} />}
      >
        <LongTable
          label={t`Operation log`}
          columns={shown}
          parts={parts}
          total={newest?.counted === true ? newest.total : undefined}
          root={scroll.root}
        />
      </LogList>
      <LogFoot count={newest && <EntryCount total={newest.total} isAll={newest.counted} />} scroll={scroll}>
        {newest && <UpdatedAt time={newest.at} />}
      </LogFoot>
    </div>
  );
}

function useAsked({ search, user, result, from, to }: LogFilter) {
  const key = useQuietSearch(search).trim().slice(0, limits.logKey.max);
  const name = useQuietSearch(user).trim();
  return { key, user: name, result, from: momentOf(from), to: momentOf(to, true) };
}

/** Suggests the current users; former users are also in the log and can be typed. */
function UserField({ user, change }: { user: string; change: (user: string) => void }) {
  const { t } = useLingui();
  const id = useId();
  const people = useQuery(peopleQuery);
  return (
    <>
      <TextInput
        size="xs"
        label={t`User`}
        list={id}
        maxLength={limits.name.max}
        autoComplete="off"
        value={user}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <datalist id={id}>
        {people.data?.users.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function NoOperations(props: { filter: LogFilter; change: (part: Partial<LogFilter>) => void }) {
  return (
    <NoEntries
      {...props}
      searched={<Trans>Searches usernames, IP addresses and details.</Trans>}
      title={<Trans>No operations yet</Trans>}
    >
      <Trans>All changes to the hub are listed here with the user who made them.</Trans>
    </NoEntries>
  );
}

function EntryCount({ total, isAll }: { total: number; isAll: boolean }) {
  const format = useFormat();
  if (isAll) return <Plural value={total} one="# entry" other="# entries" />;
  return <Trans>More than {format.number(total)} entries</Trans>;
}

function UpdatedAt({ time }: { time: number }) {
  const format = useFormat();
  return (
    <span>
      <Trans>As of {format.clock(time)}</Trans>
    </span>
  );
}
