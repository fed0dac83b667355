import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { PageHeader } from '../../shell/PageHeader.tsx';
import type { Column } from '../../ui/table/column.ts';
import { useTableAddress } from '../../ui/table/table-address.ts';
import { readTableSettings, type TableSettings, writeTableSettings } from '../../ui/table/table-settings.ts';
import styles from './LogPage.module.css';
import { LogTable } from './LogTable.tsx';
import { ActionCell, DetailCell, ExactTimeCell, PlaceCell, ResultCell, TimeCell, UserCell } from './log-cells.tsx';
import { operationsQuery } from './operations-query.ts';
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

export default function LogPage() {
  const { t } = useLingui();
  const { address, change } = useTableAddress();
  const [settings, setSettings] = useState(() => readTableSettings(tableId, defaults));
  const keep = (next: TableSettings) => {
    setSettings(next);
    writeTableSettings(tableId, next);
  };
  const search = useQuietSearch(address.search);
  const log = useQuery(operationsQuery({ search, page: address.page, pageSize: settings.pageSize }));
  return (
    <>
      <PageHeader
        title={t`Logs`}
        actions={
          <>
            <UpdatedAt time={log.dataUpdatedAt} />
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={log.isFetching && !log.isPending}
              onClick={() => void log.refetch()}
            >
              <Trans>Refresh</Trans>
            </Button>
          </>
        }
      />
      <LogTable log={log} toolbar={{ columns, address, change, settings, defaults, keep }} sizes={pageSizes} />
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
