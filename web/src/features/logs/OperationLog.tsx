import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconDownload, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import { type Operation, operationExportPath } from '../../../../daemon/contract/logs.ts';
import { addressOf } from '../../api/client.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import type { Column } from '../../ui/table/column.ts';
import { useTableAddress } from '../../ui/table/table-address.ts';
import { readTableSettings, type TableSettings, writeTableSettings } from '../../ui/table/table-settings.ts';
import { LogFilters } from './LogFilters.tsx';
import { ActionCell, DetailCell, ExactTimeCell, PlaceCell, ResultCell, TimeCell, UserCell } from './log-cells.tsx';
import { type LogFilter, momentOf, useLogFilter } from './log-filter.ts';
import styles from './OperationLog.module.css';
import { OperationTable } from './OperationTable.tsx';
import { givenOf, operationsQuery } from './operations-query.ts';
import { useQuietSearch } from './useQuietSearch.ts';

const columns: readonly Column<Operation>[] = [
  {
    key: 'time',
    title: msg`Time`,
    width: 136,
    cell: (operation) => <TimeCell operation={operation} />,
    isFixed: true,
  },
  {
    key: 'exactTime',
    title: msg`Exact time`,
    width: 190,
    cell: (operation) => <ExactTimeCell operation={operation} />,
    isOptional: true,
    onCard: 'none',
  },
  { key: 'user', title: msg`User`, width: 116, cell: (operation) => <UserCell operation={operation} /> },
  { key: 'ip', title: msg`IP address`, width: 136, cell: (operation) => <PlaceCell operation={operation} /> },
  {
    key: 'action',
    title: msg`Action`,
    width: 230,
    cell: (operation) => <ActionCell operation={operation} />,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'detail',
    title: msg`Details`,
    cell: (operation) => <DetailCell operation={operation} />,
    onCard: 'line',
  },
  {
    key: 'result',
    title: msg`Result`,
    width: 176,
    cell: (operation) => <ResultCell operation={operation} />,
    onCard: 'state',
  },
];

const tableId = 'operation-log';
const pageSizes = [25, 50, 100];
const defaults: TableSettings = {
  hidden: columns.filter((column) => column.isOptional === true).map((column) => column.key),
  order: [],
  pageSize: 50,
};

export function OperationLog() {
  const { t } = useLingui();
  const { address, change } = useTableAddress();
  const [settings, setSettings] = useState(() => readTableSettings(tableId, defaults));
  const keep = (next: TableSettings) => {
    setSettings(next);
    writeTableSettings(tableId, next);
  };
  const search = useQuietSearch(address.search);
  const { filter, change: changeFilter } = useLogFilter();
  const user = useQuietSearch(filter.user).trim();
  const asked = {
    ...{ key: search.trim().slice(0, limits.logKey.max), user, result: filter.result },
    ...{ from: momentOf(filter.from), to: momentOf(filter.to, true) },
  };
  const log = useQuery(operationsQuery({ asked, page: address.page, pageSize: settings.pageSize }));
  const download = addressOf(operationExportPath, givenOf(asked));
  return (
    <>
      <div className={styles.frame}>
        <LogFilters filter={filter} change={changeFilter}>
          <TextInput
            size="xs"
            label={t`User`}
            value={filter.user}
            onChange={(event) => changeFilter({ user: event.currentTarget.value })}
          />
          <NativeSelect
            size="xs"
            label={t`Result`}
            data={[
              { value: '', label: t`All` },
              { value: 'success', label: t`Success` },
              { value: 'failure', label: t`Failure` },
            ]}
            value={filter.result}
            onChange={(event) => changeFilter({ result: event.currentTarget.value as LogFilter['result'] })}
          />
          <Button
            component="a"
            href={download}
            size="xs"
            variant="default"
            leftSection={<IconDownload size={15} aria-hidden />}
          >
            <Trans>Download as CSV</Trans>
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={15} aria-hidden />}
            loading={log.isFetching && !log.isPending}
            onClick={() => void log.refetch()}
          >
            <Trans>Refresh</Trans>
          </Button>
          <UpdatedAt time={log.dataUpdatedAt} />
        </LogFilters>
        <OperationTable log={log} toolbar={{ columns, address, change, settings, defaults, keep }} sizes={pageSizes} />
      </div>
    </>
  );
}

function UpdatedAt({ time }: { time: number }) {
  const format = useFormat();
  if (time === 0) return null;
  return (
    <span className={styles.updated}>
      <Trans>As of {format.clock(time)}</Trans>
    </span>
  );
}
